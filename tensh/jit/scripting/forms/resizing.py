"""Forms of padding, windows, sampling and resampling."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.forms.marking import form
from tensh.jit.scripting.forms.pooling import adaptive_avg_pool2d, adaptive_avg_pool3d

aten = torch.ops.aten


@form
def pad(input: Tensor, pad: list[int], mode: str = "constant", value: float | None = None) -> Tensor:
    return aten.pad(input, pad, mode, value)


@form(length=2)
def fold(
    input: Tensor, output_size: list[int], kernel_size: list[int], dilation: list[int] = 1, padding: list[int] = 0,
    stride: list[int] = 1,
) -> Tensor:  # fmt: skip
    return aten.col2im(input, output_size, kernel_size, dilation, padding, stride)


@form(length=2)
def unfold(
    input: Tensor, kernel_size: list[int], dilation: list[int] = 1, padding: list[int] = 0, stride: list[int] = 1
) -> Tensor:
    return aten.im2col(input, kernel_size, dilation, padding, stride)


@form
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:  # fmt: skip
    if mode == "bilinear":
        chosen = 0
    elif mode == "nearest":
        chosen = 1
    elif mode == "bicubic":
        chosen = 2
    else:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode == "zeros":
        outside = 0
    elif padding_mode == "border":
        outside = 1
    elif padding_mode == "reflection":
        outside = 2
    else:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    corners = False if align_corners is None else align_corners
    return torch.grid_sampler(input, grid, chosen, outside, corners)


@form
def affine_grid(theta: Tensor, size: list[int], align_corners: bool | None = None) -> Tensor:
    corners = False if align_corners is None else align_corners
    return torch.affine_grid_generator(theta, size, corners)


@form
def _resampled_sizes(sizes: list[int], factors: list[float]) -> list[int]:
    result = torch.jit.annotate(list[int], [])
    for i in range(len(factors)):
        result.append(int(float(sizes[i + 2]) * factors[i]))
    return result


@form
def _repeat_nearest(input: Tensor, sizes: list[int] | None, factors: list[float] | None) -> Tensor:
    if input.dim() == 3:
        return aten.upsample_nearest1d(input, sizes, factors)
    if input.dim() == 4:
        return aten.upsample_nearest2d(input, sizes, factors)
    return aten.upsample_nearest3d(input, sizes, factors)


@form
def _repeat_nearest_exact(input: Tensor, sizes: list[int] | None, factors: list[float] | None) -> Tensor:
    if input.dim() == 3:
        return aten._upsample_nearest_exact1d(input, sizes, factors)
    if input.dim() == 4:
        return aten._upsample_nearest_exact2d(input, sizes, factors)
    return aten._upsample_nearest_exact3d(input, sizes, factors)


@form
def _average_areas(input: Tensor, sizes: list[int] | None) -> Tensor:
    if sizes is None:
        raise AssertionError("the sizes are unknown")
    if input.dim() == 3:
        return torch.adaptive_avg_pool1d(input, sizes)
    if input.dim() == 4:
        return adaptive_avg_pool2d(input, sizes)
    return adaptive_avg_pool3d(input, sizes)


@form(open=("size", "scale_factor"))
def interpolate(
    input: Tensor, size: int | None = None, scale_factor: list[float] | None = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    dim = input.dim() - 2
    corners = False if align_corners is None else align_corners
    if mode in ["nearest", "area", "nearest-exact"] and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    sizes: list[int] | None = None
    factors: list[float] | None = None
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        sizes = [size] * dim if isinstance(size, int) else size
    elif scale_factor is not None:
        factors = [scale_factor] * dim if isinstance(scale_factor, float) else scale_factor
    else:
        raise ValueError("either size or scale_factor should be defined")
    if factors is not None and (mode == "area" or (recompute_scale_factor is not None and recompute_scale_factor)):
        sizes = _resampled_sizes(input.size(), factors)
        factors = None
    if mode == "nearest" and dim in [1, 2, 3]:
        return _repeat_nearest(input, sizes, factors)
    if mode == "nearest-exact" and dim in [1, 2, 3]:
        return _repeat_nearest_exact(input, sizes, factors)
    if mode == "area":
        return _average_areas(input, sizes)
    if dim == 1 and mode == "linear":
        return aten.upsample_linear1d(input, sizes, corners, factors)
    if dim == 2 and mode == "bilinear":
        if antialias:
            return aten._upsample_bilinear2d_aa(input, sizes, corners, factors)
        return aten.upsample_bilinear2d(input, sizes, corners, factors)
    if dim == 3 and mode == "trilinear":
        return aten.upsample_trilinear3d(input, sizes, corners, factors)
    if dim == 2 and mode == "bicubic":
        if antialias:
            return aten._upsample_bicubic2d_aa(input, sizes, corners, factors)
        return aten.upsample_bicubic2d(input, sizes, corners, factors)
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | linear | bilinear | "
        f"bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


@form(open=("size", "scale_factor"))
def upsample(
    input: Tensor, size: int | None = None, scale_factor: list[float] | None = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    return interpolate(input, size, scale_factor, mode, align_corners)


@form(open=("size", "scale_factor"))
def upsample_nearest(input: Tensor, size: int | None = None, scale_factor: list[float] | None = None) -> Tensor:
    return interpolate(input, size, scale_factor, "nearest")


@form(open=("size", "scale_factor"))
def upsample_bilinear(input: Tensor, size: int | None = None, scale_factor: list[float] | None = None) -> Tensor:
    return interpolate(input, size, scale_factor, "bilinear", True)
