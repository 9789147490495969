"""Convolutions, resampling and padding as ``aten`` operators."""

from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh._aten.resizing import name_operator


def convolution(dims, transposed=False):
    def sizes(value):
        return [value] * dims if isinstance(value, int) else list(value)

    def steps(input, weight, bias=None, stride=1, padding=0, *rest, **options):
        names = ("output_padding", "groups", "dilation") if transposed else ("dilation", "groups")
        given = dict(zip(names, rest)) | options
        if isinstance(padding, str) or input.dim() != dims + 2:
            return NotImplemented
        more = (
            sizes(given.get("dilation", 1)),
            transposed,
            sizes(given.get("output_padding", 0)),
            given.get("groups", 1),
        )
        return aten("convolution", input, weight, bias, sizes(stride), sizes(padding), *more)

    return steps


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):  # fmt: skip
    dims = input.dim() - 2
    name = name_operator(mode, dims)
    if antialias or recompute_scale_factor or name not in schemas() or (size is None) is (scale_factor is None):
        return NotImplemented
    factors = (
        []
        if scale_factor is None
        else scale_factor
        if isinstance(scale_factor, (list, tuple))
        else [scale_factor] * dims
    )
    sizes = [int(n * factor) for n, factor in zip(input.shape[2:], factors, strict=False)]
    sizes = sizes or (list(size) if isinstance(size, (list, tuple)) else [size] * dims)
    corners = () if mode.startswith("nearest") else (bool(align_corners),)
    return aten(name, input, sizes, *corners, *factors)


def pad(input, pad, mode="constant", value=None):
    if mode == "constant":
        return aten("constant_pad_nd", input, list(pad), 0.0 if value is None else value)
    kind = {"reflect": "reflection", "replicate": "replication"}.get(mode)
    name = f"{kind}_pad{len(pad) // 2}d"
    return aten(name, input, list(pad)) if name in schemas() else NotImplemented
