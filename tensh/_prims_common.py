"""torch._prims_common: questions about dtypes, dimensions and strides, which decompositions ask."""

from itertools import accumulate
from operator import mul

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import channels_last, channels_last_3d, contiguous_format
from tensh.engine.dtypes.dtype import BOOL, INTEGER, bfloat16, complex32, complex64, dtype, float16, float32
from tensh.engine.errors.messages import wrap_dim

TensorLike = Tensor
WIDER = {float16: float32, bfloat16: float32, complex32: complex64}
"""Dtype of 16 bits -> the dtype in which PyTorch computes."""


def require_dtype(value):
    """Raise AssertionError for a value that is no dtype."""
    if not isinstance(value, dtype):
        raise AssertionError(f"Expected torch.dtype, got {type(value)}")


def is_boolean_dtype(dtype):
    """Return True for ``torch.bool``."""
    require_dtype(dtype)
    return dtype.category == BOOL


def is_integer_dtype(dtype):
    """Return True for a dtype of integers, to which ``torch.bool`` does not belong."""
    require_dtype(dtype)
    return dtype.category == INTEGER


def is_float_dtype(dtype):
    """Return True for a dtype of real floating point numbers."""
    require_dtype(dtype)
    return dtype.is_floating_point


def is_complex_dtype(dtype):
    """Return True for a dtype of complex numbers."""
    require_dtype(dtype)
    return dtype.is_complex


def is_low_precision_dtype(dtype):
    """Return True for a dtype of floating point numbers of 16 bits, complex or not."""
    require_dtype(dtype)
    return dtype in WIDER


def get_computation_dtype(dtype):
    """Return the dtype in which PyTorch computes with numbers of a dtype."""
    return WIDER.get(dtype, dtype)


def canonicalize_dim(rank, idx, wrap_scalar=True):
    """Return the number of a dimension, counted from the first; raise IndexError where there is none."""
    return wrap_dim(idx, rank, scalar=wrap_scalar)


def canonicalize_dims(rank, indices, wrap_scalar=True):
    """Return the number of a dimension, or a tuple of numbers of several."""
    if isinstance(indices, int):
        return canonicalize_dim(rank, indices, wrap_scalar)
    return tuple(canonicalize_dim(rank, each, wrap_scalar) for each in indices)


def make_contiguous_strides_for(shape, row_major=True):
    """Return the strides of contiguous memory; unless ``row_major``, of matrices whose columns are contiguous."""
    last = [max(each, 1) for each in shape]
    strides = [1, *accumulate(reversed(last[1:]), mul)][: len(last)][::-1]
    if not row_major and len(last) > 1:
        strides[-2:] = 1, max(shape[-2], 1)
    return tuple(strides)


def suggest_memory_format(x):
    """Return the memory format in which the elements of a tensor lie."""
    formats = {4: channels_last, 5: channels_last_3d}
    found = formats.get(x.dim())
    return found if found and not x.is_contiguous() and x.is_contiguous(memory_format=found) else contiguous_format


def is_contiguous_or_false(a):
    """Return True if the elements of a tensor lie in memory in their order."""
    return a.is_contiguous()


def is_same_shape(a, b):
    """Return True if two shapes are equal, whatever sequences they are."""
    return tuple(a) == tuple(b)
