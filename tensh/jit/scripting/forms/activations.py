"""Forms of activation functions."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.forms.marking import form

aten = torch.ops.aten


@form
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    result = torch.relu_(input) if inplace else torch.relu(input)
    return result


@form
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    result = aten.relu6_(input) if inplace else aten.relu6(input)
    return result


@form
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    result = aten.elu_(input, alpha) if inplace else aten.elu(input, alpha)
    return result


@form
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    result = torch.selu_(input) if inplace else torch.selu(input)
    return result


@form
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    result = torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)
    return result


@form
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    result = aten.leaky_relu_(input, negative_slope) if inplace else aten.leaky_relu(input, negative_slope)
    return result


@form
def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    result = torch.rrelu_(input, lower, upper, training) if inplace else torch.rrelu(input, lower, upper, training)
    return result


@form
def glu(input: Tensor, dim: int = -1) -> Tensor:
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return aten.glu(input, dim)


@form
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    result = aten.hardtanh_(input, min_val, max_val) if inplace else aten.hardtanh(input, min_val, max_val)
    return result


@form
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    result = aten.hardsigmoid_(input) if inplace else aten.hardsigmoid(input)
    return result


@form
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    result = aten.hardswish_(input) if inplace else aten.hardswish(input)
    return result


@form
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    result = aten.silu_(input) if inplace else aten.silu(input)
    return result


@form
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    result = aten.mish_(input) if inplace else aten.mish(input)
    return result


@form
def sigmoid(input: Tensor) -> Tensor:
    return input.sigmoid()


@form
def tanh(input: Tensor) -> Tensor:
    return input.tanh()


@form
def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


@form
def softsign(input: Tensor) -> Tensor:
    return input / (input.abs() + 1)


@form
def _threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    result = torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)
    return result


@form(space="nn.functional")
def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    dim = 0 if ndim == 0 or ndim == 1 or ndim == 3 else 1
    return dim


@form
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None) -> Tensor:
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    result = input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)
    return result


@form
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None) -> Tensor:
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    result = (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)
    return result


@form
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None) -> Tensor:
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    result = input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)
    return result


@form
def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    noise = -torch.empty_like(logits, memory_format=torch.legacy_contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if hard:
        index = soft.max(dim, keepdim=True)[1]
        chosen = torch.zeros_like(logits, memory_format=torch.legacy_contiguous_format).scatter_(dim, index, 1.0)
        result = chosen - soft.detach() + soft
    else:
        result = soft
    return result
