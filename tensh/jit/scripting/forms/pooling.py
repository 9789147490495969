"""Forms of pooling."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.forms.marking import form

aten = torch.ops.aten


@form(length=1)
def _max_pool1d(
    input: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0, dilation: list[int] = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Tensor:  # fmt: skip
    if stride is None:
        stride = torch.jit.annotate(list[int], [])
    return torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


@form(length=2)
def _max_pool2d(
    input: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0, dilation: list[int] = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Tensor:  # fmt: skip
    if stride is None:
        stride = torch.jit.annotate(list[int], [])
    return torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


@form(length=3)
def _max_pool3d(
    input: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0, dilation: list[int] = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Tensor:  # fmt: skip
    if stride is None:
        stride = torch.jit.annotate(list[int], [])
    return torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


@form(length=1)
def max_pool1d_with_indices(
    input: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0, dilation: list[int] = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    if stride is None:
        stride = torch.jit.annotate(list[int], [])
    return aten.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


@form(length=2)
def max_pool2d_with_indices(
    input: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0, dilation: list[int] = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    if stride is None:
        stride = torch.jit.annotate(list[int], [])
    return aten.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


@form(length=3)
def max_pool3d_with_indices(
    input: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0, dilation: list[int] = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    if stride is None:
        stride = torch.jit.annotate(list[int], [])
    return aten.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


@form
def _output_sizes(sizes: list[int], wanted: list[int]) -> list[int]:
    """Return the last sizes, with those that are wanted in the places of others; a negative number stands for no wish."""
    result = sizes[len(sizes) - len(wanted) :]
    for i, each in enumerate(wanted):
        if each >= 0:
            result[i] = each
    return result


@form(length=2)
def adaptive_avg_pool2d(input: Tensor, output_size: list[int]) -> Tensor:
    return aten.adaptive_avg_pool2d(input, _output_sizes(input.size(), output_size))


@form(length=3)
def adaptive_avg_pool3d(input: Tensor, output_size: list[int]) -> Tensor:
    return aten.adaptive_avg_pool3d(input, _output_sizes(input.size(), output_size))


@form(length=1)
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: list[int], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    return torch.adaptive_max_pool1d(input, output_size)


@form(length=2)
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: list[int], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    return aten.adaptive_max_pool2d(input, _output_sizes(input.size(), output_size))


@form(length=3)
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: list[int], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    return aten.adaptive_max_pool3d(input, _output_sizes(input.size(), output_size))


@form(length=1)
def _adaptive_max_pool1d(input: Tensor, output_size: list[int], return_indices: bool = False) -> Tensor:
    return adaptive_max_pool1d_with_indices(input, output_size)[0]


@form(length=2)
def _adaptive_max_pool2d(input: Tensor, output_size: list[int], return_indices: bool = False) -> Tensor:
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


@form(length=3)
def _adaptive_max_pool3d(input: Tensor, output_size: list[int], return_indices: bool = False) -> Tensor:
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


@form(length=2)
def fractional_max_pool2d_with_indices(
    input: Tensor, kernel_size: list[int], output_size: list[int] | None = None, output_ratio: list[float] | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    if output_size is None:
        if output_ratio is None:
            raise AssertionError("fractional_max_pool2d requires specifying either an output_size or an output_ratio")
        output_size = [int(input.size(-2) * output_ratio[0]), int(input.size(-1) * output_ratio[1])]
    if _random_samples is None:
        batch = 1 if input.dim() == 3 else input.size(0)
        _random_samples = torch.rand(batch, input.size(-3), 2, dtype=input.dtype, device=input.device)
    return aten.fractional_max_pool2d(input, kernel_size, output_size, _random_samples)


@form(length=2)
def _fractional_max_pool2d(
    input: Tensor, kernel_size: list[int], output_size: list[int] | None = None, output_ratio: list[float] | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Tensor:  # fmt: skip
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


@form(length=3)
def fractional_max_pool3d_with_indices(
    input: Tensor, kernel_size: list[int], output_size: list[int] | None = None, output_ratio: list[float] | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    if output_size is None:
        if output_ratio is None:
            raise AssertionError("fractional_max_pool3d requires specifying either an output_size or an output_ratio")
        output_size = [
            int(input.size(-3) * output_ratio[0]),
            int(input.size(-2) * output_ratio[1]),
            int(input.size(-1) * output_ratio[2]),
        ]
    if _random_samples is None:
        batch = 1 if input.dim() == 4 else input.size(0)
        _random_samples = torch.rand(batch, input.size(-4), 3, dtype=input.dtype, device=input.device)
    return aten.fractional_max_pool3d(input, kernel_size, output_size, _random_samples)


@form(length=3)
def _fractional_max_pool3d(
    input: Tensor, kernel_size: list[int], output_size: list[int] | None = None, output_ratio: list[float] | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Tensor:  # fmt: skip
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


@form
def _unpool_sizes(
    sizes: list[int], kernel: list[int], stride: list[int], padding: list[int], wanted: list[int] | None
) -> list[int]:
    last = len(kernel)
    if wanted is not None:
        result = wanted[len(wanted) - last :]
    else:
        result = torch.jit.annotate(list[int], [])
        for i in range(last):
            result.append((sizes[len(sizes) - last + i] - 1) * stride[i] + kernel[i] - 2 * padding[i])
    return result


@form(length=1)
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0,
    output_size: list[int] | None = None,
) -> Tensor:  # fmt: skip
    steps = kernel_size if stride is None else stride
    sizes = _unpool_sizes(input.size(), kernel_size, steps, padding, output_size)
    return aten.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [sizes[0], 1]).squeeze(-1)


@form(length=2)
def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0,
    output_size: list[int] | None = None,
) -> Tensor:  # fmt: skip
    steps = kernel_size if stride is None else stride
    return aten.max_unpool2d(input, indices, _unpool_sizes(input.size(), kernel_size, steps, padding, output_size))


@form(length=3)
def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: list[int], stride: list[int] | None = None, padding: list[int] = 0,
    output_size: list[int] | None = None,
) -> Tensor:  # fmt: skip
    steps = kernel_size if stride is None else stride
    sizes = _unpool_sizes(input.size(), kernel_size, steps, padding, output_size)
    return aten.max_unpool3d(input, indices, sizes, steps, padding)


@form
def _as_float(value: int | float) -> float:
    result = float(value) if isinstance(value, int) else value
    return result


@form(length=1)
def lp_pool1d(
    input: Tensor, norm_type: int | float, kernel_size: int, stride: list[int] | None = None, ceil_mode: bool = False
) -> Tensor:  # fmt: skip
    power = _as_float(norm_type)
    steps = torch.jit.annotate(list[int], []) if stride is None else stride
    means = torch.avg_pool1d(input.pow(power), [kernel_size], steps, [0], ceil_mode)
    return (torch.sign(means) * torch.relu(torch.abs(means)) * kernel_size).pow(1.0 / power)


@form(length=2)
def lp_pool2d(
    input: Tensor, norm_type: int | float, kernel_size: list[int], stride: list[int] | None = None, ceil_mode: bool = False
) -> Tensor:  # fmt: skip
    power = _as_float(norm_type)
    steps = torch.jit.annotate(list[int], []) if stride is None else stride
    means = aten.avg_pool2d(input.pow(power), kernel_size, steps, [0, 0], ceil_mode)
    return (torch.sign(means) * torch.relu(torch.abs(means)) * (kernel_size[0] * kernel_size[1])).pow(1.0 / power)


@form(length=3)
def lp_pool3d(
    input: Tensor, norm_type: int | float, kernel_size: list[int], stride: list[int] | None = None, ceil_mode: bool = False
) -> Tensor:  # fmt: skip
    power = _as_float(norm_type)
    steps = torch.jit.annotate(list[int], []) if stride is None else stride
    means = aten.avg_pool3d(input.pow(power), kernel_size, steps, [0, 0, 0], ceil_mode)
    count = kernel_size[0] * kernel_size[1] * kernel_size[2]
    return (torch.sign(means) * torch.relu(torch.abs(means)) * count).pow(1.0 / power)
