"""The operators that the engine itself speaks: fitting a gradient to a shape and dtype, copying, conjugating.

Each is linear, so its derivative is its own adjoint.
"""

import numpy as np

from tensh.engine.dtype import BY_NUMPY
from tensh.engine.table import op
from tensh.engine.tensor import Tensor
from tensh.engine.vocabulary import ARRAYS, TENSORS, recorded


@op(public=False, node="SumBackward1", input="expand(g, input.shape)")
def sum_to(input, shape):
    """The sum over the dimensions in which ``shape`` is broadcast to the input's shape."""
    extra = input.ndim - len(shape)
    ones = (i + extra for i, n in enumerate(shape) if n == 1 != input.shape[i + extra])
    axes = (*range(extra), *ones)
    return np.add.reduce(input, axis=axes, keepdims=True, dtype=input.dtype).reshape(shape) if axes else input


@op(public=False, view=True, node="ExpandBackward0", input="sum_to(g, input.shape)")
def expand(input, shape):
    """The input broadcast to ``shape``, without copying."""
    return broadcast(input, shape)


def broadcast(array, shape):
    """``np.broadcast_to`` in a tenth of its time, and as writable as the array."""
    extra = len(shape) - array.ndim
    steps = array.strides
    strides = (0,) * extra + tuple(0 if n == 1 else s for n, s in zip(array.shape, steps))
    if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or array.dtype.kind == "V" or not array.size:
        return np.broadcast_to(array, shape)
    return np.ndarray(shape, array.dtype, array, 0, strides)


@op(public=False, node="ToCopyBackward0", input="cast(g, input.dtype)")
def cast(input, dtype):
    """A copy in another dtype (NumPy's); the real part where that is not complex."""
    if input.dtype.kind == "c" and dtype.kind not in "c":
        input = input.real
    return input.astype(dtype)


@op(node="CloneBackward0", public=False, input="g")
def clone(input):
    """A copy of the input."""
    return input.copy()


@op(node="ConjBackward0", public=False, input="conj(g)")
def conj_physical(input):
    """The complex conjugate."""
    return np.conjugate(input)


def conj(input):
    """The complex conjugate; real values are their own, and stay as they are."""
    if isinstance(input, Tensor):
        return recorded("conj_physical")(input) if input.array.dtype.kind == "c" else input
    return input.conj() if input.dtype.kind == "c" else input


ARRAYS["conj"] = TENSORS["conj"] = conj


@op(node="RealBackward0", public=False, view=True, input="complex_of(g, input.dtype)")
def real(input):
    """The real part, sharing memory."""
    return input.real


@op(node="ToCopyBackward0", public=False, input="cast(g, input.dtype)")
def complex_of(input, dtype):
    """Real values as complex ones."""
    return input.astype(dtype)


@op(public=False, node="SumBackward0", input="expand(g, input.shape)")
def sum_all(input):
    """The sum of all elements."""
    return np.add.reduce(input, axis=None)
