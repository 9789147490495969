"""Interpolation to another size, and sampling at the points of a grid."""

import math

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.kinds import NO_FIT, TAKERS
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.forms import require, require_kind
from tensh.engine.operators.layers import resampling
from tensh.engine.operators.layers.composites.adaptive_pooling import adaptive_avg, adaptive_avg_pool1d
from tensh.engine.operators.layers.composites.registry import layer, refuse_dtypes
from tensh.engine.operators.layers.composites.windows import integers, require_addressable
from tensh.engine.operators.layers.grid import GRID_SAMPLE, affine_points

MODES = ("linear", "bilinear", "bicubic", "trilinear", "lanczos")
NEEDS = {"linear": 3, "bilinear": 4, "trilinear": 5}
AXES = {1: "W", 2: "HW", 3: "DHW"}


# ── the requested size ───────────────────────────────────────────────────────
def number_per_dim(value, name, spatial):
    """Return one number per spatial dimension; raise ValueError for a different number of them."""
    if not isinstance(value, (tuple, list)):
        return [value] * len(spatial)
    if len(value) != len(spatial):
        what = "output size of" if name == "size" else "scale_factor of shape"
        short = "output size in (o1, o2, ...,oK)" if name == "size" else "scale_factor in (s1, s2, ...,sK)"
        raise ValueError(
            f"Input and {'output' if name == 'size' else name} must have the same number of spatial dimensions, but got input "
            f"with spatial dimensions of {spatial} and {what} {value}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            f"format and {short} format."
        )
    return list(value)


def read_request(spatial, size, scale_factor, recompute):
    """Return (output size, None) or (None, scale factors), with one number per dimension."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        sizes = number_per_dim(size, "size", spatial)
        if isinstance(size, (tuple, list)) and not all(isinstance(n, int) or hasattr(n, "__index__") for n in sizes):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with "
                f"types {[type(n) for n in sizes]}"
            )
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return sizes, None
    return None, number_per_dim(scale_factor, "scale_factor", spatial)


def check_modes(input, mode, align_corners, antialias):
    """Raise PyTorch's errors for incompatible options; return whether corners are aligned."""
    if mode in UNALIGNED and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if mode == "lanczos":
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
    if antialias and not (mode in resampling.WINDOWS and input.dim() == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    return bool(align_corners)


UNALIGNED = ("nearest", "area", "nearest-exact")
"""Modes without aligned corners."""
SCALES = {
    1: "float scales = None",
    2: "float scales_h = None, float scales_w = None",
    3: "float scales_d = None, float scales_h = None, float scales_w = None",
}


def check_request(input, mode, sizes, factors, corners, antialias):
    """Raise PyTorch's TypeError unless sizes are integers, factors are numbers and ``align_corners`` is a bool."""
    if (
        all(type(n) is int or TAKERS["int"](n) is not NO_FIT for n in sizes or ())
        and all(type(n) is float or TAKERS["float"](n) is not NO_FIT for n in factors or ())
        and (corners is None or type(corners) is bool)
    ):
        return
    dims = input.dim() - 2
    if mode == "area":
        return
    called = f"upsample_{mode.replace('-', '_')}{dims}d"
    if antialias or mode == "nearest-exact":
        called = f"_{called}{'_aa' * antialias}"
    is_linear = mode in MODES
    given = "Tensor input, tuple of ints output_size" + ", bool align_corners" * is_linear
    bind(
        called,
        (f"({given}, tuple of floats scale_factors)", f"({given}, {SCALES[dims]}, *, Tensor out = None)"),
        (input, sizes, *([bool(corners) if corners is None else corners] if is_linear else []), factors),
        {},
    )


def check_sizes(spatial, sizes, shape):
    if min(*spatial, *sizes) <= 0:

        def format_numbers(numbers):
            return ", ".join(f"{axis}: {n}" for axis, n in zip(AXES[len(spatial)], numbers))

        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({format_numbers(spatial)}) {'and ' * (len(sizes) == 1)}"
            f"output ({format_numbers(sizes)})"
        )
    if shape[1] == 0:
        raise RuntimeError(f"Non-empty {len(shape)}D data tensor expected but got a tensor with sizes {list(shape)}")


def check_fit(shape, mode):
    """Raise NotImplementedError for an unknown mode, or one for another number of dimensions."""
    dims = len(shape) - 2
    if dims not in (1, 2, 3) or mode not in (*MODES, *UNALIGNED) or mode in ("bicubic", "lanczos") and dims != 2:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {len(shape)}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    if NEEDS.get(mode, len(shape)) != len(shape):
        raise NotImplementedError(f"Got {len(shape)}D input, but {mode} mode needs {NEEDS[mode]}D input")


@layer
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False
):  # fmt: skip
    """The input [N, C, ...] resized to ``size``, or by ``scale_factor``, in all but its first two dimensions.

    ``mode`` is 'nearest', 'nearest-exact', 'area' (means), 'linear', 'bilinear', 'trilinear' or 'bicubic'.
    ``align_corners`` keeps the outermost elements where they are; ``antialias`` widens the window where the result is
    smaller.  Differentiable.  Raise NotImplementedError for a mode that does not fit, RuntimeError for an empty result.

    >>> import tensh as torch
    >>> torch.nn.functional.interpolate(torch.tensor([[[0.0, 4.0]]]), size=4, mode="linear")
    tensor([[[0., 1., 3., 4.]]])
    """
    corners = check_modes(input, mode, align_corners, antialias)
    shape = input.array.shape
    spatial = list(shape[2:])
    sizes, factors = read_request(spatial, size, scale_factor, recompute_scale_factor)
    check_fit(shape, mode)
    check_request(input, mode, sizes, factors, align_corners, antialias)
    if sizes is None:
        sizes = [math.floor(float(n) * factor) for n, factor in zip(spatial, factors)]
    sizes = tuple(n.__index__() for n in sizes)
    if factors is None or recompute_scale_factor or mode == "area":
        factors = [None] * len(spatial)
    dims = len(spatial)
    if size is None and max(sizes, default=0) >= 2**63:
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    if size is not None and max(sizes, default=0) >= 2**63:
        name = f"adaptive_avg_pool{dims}d" if mode == "area" else f"upsample_{mode}{dims}d"
        integers(sizes, name, "output_size", 2)
    if mode == "area":
        return (
            adaptive_avg_pool1d(input, sizes)
            if dims == 1
            else adaptive_avg(f"adaptive_avg_pool{dims}d", dims, input, sizes)
        )
    check_sizes(spatial, sizes, shape)
    if antialias:
        refuse_dtypes("compute_index_ranges_weights", input, "float16", "bfloat16")
    require_addressable((*shape[:2], *sizes), input.array.itemsize)
    maps = tuple(map_for(mode, antialias, *each, corners) for each in zip(spatial, sizes, factors))
    return resampling.UPSAMPLE[
        (mode, dims) if mode.startswith("nearest") else f"{mode}_smooth" if antialias else mode
    ].fn(input, maps)


def map_for(mode, antialias, n, size, factor, corners):
    """Return the linear map of one dimension; None for the identity."""
    if n == size and (factor is None or factor == 1):
        return None
    if mode.startswith("nearest"):
        return resampling.nearest(n, size, factor, mode == "nearest-exact")
    if antialias:
        return resampling.smooth(n, size, corners, factor, mode)
    return (resampling.cubic if mode == "bicubic" else resampling.linear)(n, size, corners, factor)


def warn_deprecated(name):
    warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


@layer
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """``interpolate`` under its old name.  Differentiable.  Shape: [N, C, *]. Raise RuntimeError as ``interpolate`` does."""
    warn_deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@layer
def upsample_nearest(input, size=None, scale_factor=None):
    """``interpolate`` in mode 'nearest' under its old name.  Differentiable.

    Shape: [N, C, *]. Raise RuntimeError as ``interpolate`` does.
    """
    warn_deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@layer
def upsample_bilinear(input, size=None, scale_factor=None):
    """``interpolate`` in mode 'bilinear' with aligned corners, under its old name.  Differentiable.

    Shape: [N, C, H, W]. Raise RuntimeError as ``interpolate`` does.
    """
    warn_deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# ── grids ────────────────────────────────────────────────────────────────────
INTERPOLATION = ("bilinear", "nearest", "bicubic")
PADDING = ("zeros", "border", "reflection")
CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


def check_grid(input, grid):
    """Raise PyTorch's errors for a grid that does not fit the input."""
    shape = require(input, "grid_sampler", "input", 1).array.shape
    points = require(grid, "grid_sampler", "grid", 2).array.shape
    where = f"but got input with sizes {list(shape)} and grid with sizes {list(points)}"
    if shape[0] != points[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {where}")
    if points[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension, but got grid with sizes "
            f"{list(points)}"
        )
    if len(shape) not in (4, 5) or len(points) != len(shape):
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, {where}")
    for dim in range(2, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {list(shape)} with "
                f"dimension {dim} being empty"
            )
    if input.dtype is not grid.dtype and input.is_floating_point():
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {grid.dtype.title}")


@composite(method=False)
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """``grid_sample`` with its modes as numbers.  Differentiable.

    Shapes: [N, C, H, W] with [N, h, w, 2] to [N, C, h, w]. Raise RuntimeError for other shapes.
    """
    check_grid(input, grid)
    for name, number in ("interpolation_mode", interpolation_mode), ("padding_mode", padding_mode):
        require_kind("int", number, "grid_sampler", name)
    require_kind("bool", align_corners, "grid_sampler", "align_corners")
    dims, mode = input.array.ndim - 2, INTERPOLATION[interpolation_mode]
    if mode == "bicubic" and dims == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    return GRID_SAMPLE[dims].fn(input, grid, (0,) * dims, mode, PADDING[padding_mode], bool(align_corners))


PUBLIC["grid_sampler_2d"] = PUBLIC["grid_sampler_3d"] = grid_sampler


@layer
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """The input [N, C, H, W] (or with a depth) at the points of a grid [N, h, w, 2]: [N, C, h, w].

    Points are (x, y) from -1 to 1, from edge to edge of the input (with ``align_corners`` from centre to centre of the
    outermost elements).  ``mode`` is 'bilinear', 'nearest' or 'bicubic'; ``padding_mode`` defines the input outside:
    'zeros', 'border' or 'reflection'.  Differentiable in both.  Raise ValueError for another mode, RuntimeError for
    other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.grid_sample(torch.tensor([[[[1.0, 3.0]]]]), torch.zeros(1, 1, 1, 2), align_corners=False)
    tensor([[[[2.]]]])
    """
    if mode not in INTERPOLATION:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDING:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warn(CHANGED)
    return grid_sampler(input, grid, INTERPOLATION.index(mode), PADDING.index(padding_mode), bool(align_corners))


@composite(method=False)
def affine_grid_generator(theta, size, align_corners):
    """``affine_grid`` without its checks.  Differentiable.

    Shapes: ``theta`` [N, 2, 3] to [N, H, W, 2]. Raise RuntimeError for other shapes.
    """
    array = require(theta, "affine_grid_generator", "theta", 1).array
    if array.shape[0] != size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {array.shape[2]}] but got: "
            f"[{array.shape[0]}, {array.shape[2]}]."
        )
    return affine_points.fn(theta, tuple(size[2:]), bool(align_corners))


@layer
def affine_grid(theta, size, align_corners=None):
    """The grid [N, H, W, 2] of the affine maps ``theta`` [N, 2, 3], for ``grid_sample``; ``size`` is the output's.

    With three spatial dimensions ``theta`` is [N, 3, 4].  Differentiable.  Raise ValueError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.affine_grid(torch.eye(2, 3)[None], (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    if align_corners is None:
        warn(CHANGED)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    dims = len(size) - 2
    if theta.array.shape[1:] != (dims, dims + 1) or theta.array.ndim != 3:
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. Got {theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not "
            "an intended use case of affine_grid. See the documentation of affine_grid for details.",
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, size, bool(align_corners))
