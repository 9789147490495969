"""``interpolate`` as PyTorch's operators, one for each mode and number of dimensions, and back."""

import math
from functools import partial

from tensh.nn import functional

CORNERS = ("linear", "bilinear", "bicubic", "trilinear")
"""Modes whose operators take ``align_corners``."""
OPERATORS = {
    **{f"upsample_nearest{dims}d": ("nearest", False) for dims in (1, 2, 3)},
    **{f"_upsample_nearest_exact{dims}d": ("nearest-exact", False) for dims in (1, 2, 3)},
    "upsample_linear1d": ("linear", False), "upsample_bilinear2d": ("bilinear", False), "upsample_bicubic2d": ("bicubic", False),
    "upsample_trilinear3d": ("trilinear", False), "_upsample_bilinear2d_aa": ("bilinear", True), "_upsample_bicubic2d_aa": ("bicubic", True),
}  # fmt: skip
"""Operator -> (mode, antialias)."""


def read_settings(name, output_size, *settings):
    """Keywords of ``interpolate`` for the arguments of an operator: a list of factors or, beside sizes, single ones."""
    mode, antialias = OPERATORS[name]
    settings = list(settings)
    corners = bool(settings.pop(0)) if mode in CORNERS else None
    options = {"mode": mode, "align_corners": corners, "antialias": antialias}
    if output_size is not None:
        return options | {"size": list(output_size)}
    return options | {"scale_factor": list(settings[0])}


def resize(name, input, output_size, *settings, **named):
    """Compute an operator; scale factors determine the positions of elements if the sizes follow from them."""
    settings = (*settings, *named.values())
    options = read_settings(name, output_size, *settings)
    factors = [each for each in settings if type(each) is float]
    if output_size is not None and factors and sizes_by(factors, input) == list(output_size):
        options["size"], options["scale_factor"] = None, factors
    return functional.interpolate(input, **options)


def sizes_by(factors, input):
    return [math.floor(n * factor) for n, factor in zip(input.shape[2:], factors)]


def name_operator(mode, dims, antialias=False):
    """Return the operator of a mode for a number of dimensions; None if there is none."""
    return next((each for each, known in OPERATORS.items() if known == (mode, antialias) and f"{dims}d" in each), None)


KERNELS = {name: partial(resize, name) for name in OPERATORS}


def find_operator(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False
):  # fmt: skip
    """Return (operator, arguments) of a call of ``interpolate``; None where there is no operator."""
    shape = input.array.shape[2:]
    dims = len(shape)
    if size is not None and not isinstance(size, (tuple, list)):
        size = [size] * dims
    if scale_factor is not None:
        given = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * dims
        scale_factor = [float(each) for each in given]
    if scale_factor is not None and (recompute_scale_factor or mode == "area"):
        size = [math.floor(n * factor) for n, factor in zip(shape, scale_factor, strict=True)]
    if mode == "area":
        return f"adaptive_avg_pool{dims}d", (input, size if dims > 1 else size[0])
    name = name_operator(mode, dims, antialias)
    corners = [bool(align_corners)] if mode in CORNERS else []
    sizes = (None, scale_factor) if size is None else (list(size), None)
    return name and (name, (input, sizes[0], *corners, sizes[1]))
