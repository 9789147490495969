"""Reductions of any dtype by MPI's operations: half precision as float32, booleans as bytes, a mean as a sum."""

import numpy as np

from tensh.distributed.operations import RedOpType, reduction_of

WIDE = {"float16": "float32", "bfloat16": "float32", "complex32": "complex64"}
"""Dtypes unknown to MPI -> the dtypes in which their sums are computed."""
OF_BOOLS = {
    RedOpType.SUM: RedOpType.BOR,
    RedOpType.PRODUCT: RedOpType.BAND,
    RedOpType.MAX: RedOpType.BOR,
    RedOpType.MIN: RedOpType.BAND,
}
NAMES = {RedOpType.SUM: "SUM", RedOpType.AVG: "SUM", RedOpType.PRODUCT: "PROD"} | {
    each: each.name for each in (RedOpType.MIN, RedOpType.MAX, RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
}


def reduce_with(mpi, size, source, op, exchange):
    """Reduce an array over ``size`` processes by ``exchange``, which takes an array and an operation of MPI.

    Return None if ``exchange`` does, on a process that gets no result.
    """
    op, dtype = reduction_of(op), source.dtype
    if dtype.kind == "b":
        op, source = OF_BOOLS.get(op, op), source.view(np.uint8)
    elif dtype.name in WIDE:
        source = source.astype(WIDE[dtype.name])
    result = exchange(source, getattr(mpi, NAMES[op]))
    if result is None:
        return None
    if op is RedOpType.AVG:
        result = result / size if result.dtype.kind in "fc" else result // size
    return result.view(dtype) if dtype.kind == "b" else result.astype(dtype, copy=False)
