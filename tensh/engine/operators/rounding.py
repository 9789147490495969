"""Words of derivatives that PyTorch computes in a wider dtype than that of the operands."""

from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.precision import F4, WIDER, is_half, widen


def accumulated_dtype(dtype):
    """Return the dtype in which PyTorch adds numbers of ``dtype``."""
    return F4 if is_half(dtype) else WIDER.get(dtype, dtype)


ARRAYS["accumulated"] = lambda array: array.astype(accumulated_dtype(array.dtype), copy=False)
TENSORS["accumulated"] = lambda t: t.to(BY_NUMPY[accumulated_dtype(t.array.dtype)])
ARRAYS["widened"] = widen
TENSORS["widened"] = lambda t: t.float() if is_half(t.array.dtype) else t
ARRAYS["rounded_like"] = lambda g, array: array.astype(g.dtype, copy=False)
TENSORS["rounded_like"] = lambda g, t: t.to(g.dtype)
