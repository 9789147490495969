"""Derivatives as operators, with fast kernels: each is one node in a recorded backward pass.

``grad`` is the gradient of the output, ``result`` the output.
"""

import numpy as np

from tensh.engine.codegen.chains import FEW
from tensh.engine.codegen.mixing import ZERO
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors
from tensh.engine.operators import kernels
from tensh.engine.operators.basic import conj
from tensh.engine.operators.kernels import ONE, is_real, reusable
from tensh.engine.operators.precision import F2, F4, F8, is_half, narrow_result, widen

ARRAYS |= {"squared": lambda x: x * x, "cubed": lambda x: x * x * x}
TENSORS |= {"squared": lambda x: on_tensors("pow")(x, 2), "cubed": lambda x: on_tensors("pow")(x, 3)}


@op(parallel=True, public=False, node="TanhBackwardBackward0",
    grad="tanh_backward(g, conj(result))", result="conj(g) * (-2 * conj(result) * grad)")  # fmt: skip
def tanh_backward(grad, result):
    """The derivative of tanh: ``grad * (1 - result ** 2)``."""
    if is_half(grad.dtype):
        return narrow_result(tanh_backward.kernel(widen(grad), widen(result)), grad.dtype)
    if result.dtype is F4 and result.size < FEW:  # square and difference are rounded together, as in PyTorch
        wide = result.astype(F8)
        return grad * (1 - wide * wide).astype(F4)
    slope = np.multiply(result, result)
    slope = np.subtract(ONE[result.dtype], slope, reusable(slope))
    return np.multiply(grad, conj(slope), reusable(slope))


@op(parallel=True, public=False, node="SigmoidBackwardBackward0",
    grad="sigmoid_backward(g, conj(result))", result="conj(g) * grad * (-2 * conj(result) + 1)")  # fmt: skip
def sigmoid_backward(grad, result):
    """The derivative of sigmoid: ``grad * (1 - result) * result``; of float16, each step is rounded."""
    if grad.dtype is F2:
        return grad * (ONE[F2] - result) * result
    if is_half(grad.dtype):
        return narrow_result(sigmoid_backward.kernel(widen(grad), widen(result)), grad.dtype)
    slope = np.subtract(ONE[result.dtype], result)
    if is_real(slope):  # in the order in which PyTorch rounds
        return np.multiply(np.multiply(grad, slope, reusable(slope)), result, reusable(slope))
    slope = np.multiply(slope, result, reusable(slope))
    return np.multiply(grad, conj(slope), reusable(slope))


def is_kept(result):
    """True where relu, which is never negative, is positive or nan.

    ``result != 0`` would convert the number in every call, for 0.6 microseconds.
    """
    return np.not_equal(result, ZERO[result.dtype])


@op(
    parallel=lambda out, grad, result: kernels.write_unless(out, grad, is_kept(result)),
    public=False,
    node="ThresholdBackwardBackward0",
    grad="threshold_backward(g, result)",
    result="nothing(g)",
)
def threshold_backward(grad, result):
    """The derivative of relu: the gradient where ``result`` is positive (or nan)."""
    return kernels.zero_unless(grad, is_kept(result))


@op(public=False, out=False, node="AliasBackward0", grad="g", input="zeros_as(g, input.shape)")
def tie(grad, input):
    """Record the gradient as a function of the input, too, although it does not depend on it.

    PyTorch does so, because a derivative that is one node takes all of its arguments.
    """
    return grad


@op(public=False, node="SoftmaxBackwardDataBackward0", grad="softmax_backward(g, result, dim)",
    result="grad * (g - sum_dim(g * result, dim, True)) - g * sum_dim(grad * result, dim, True)")  # fmt: skip
def softmax_backward(grad, result, dim):
    """The derivative of softmax along ``dim``."""
    wide, result = widen(grad), widen(result)
    part = wide * result
    return narrow_result(np.subtract(part, result * ARRAYS["sum_dim"](part, dim, True), reusable(part)), grad.dtype)


@op(public=False, node="LogSoftmaxBackwardDataBackward0",
    grad="g - sum_dim(g * exp(result), dim, True)", result="-g * exp(result) * sum_dim(grad, dim, True)")  # fmt: skip
def log_softmax_backward(grad, result, dim):
    """The derivative of log_softmax along ``dim``."""
    wide = widen(grad)
    return narrow_result(wide - np.exp(widen(result)) * ARRAYS["sum_dim"](wide, dim, True), grad.dtype)
