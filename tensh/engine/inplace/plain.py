"""Writes that nothing can refuse, without the checks of all others: no gradient is recorded, and no memory is shared.

An operation of 64 numbers takes 1 to 3 microseconds. The checks of ``writes`` and ``out`` take 5 to 15, those here one.
"""

from numpy import ndarray

from tensh.engine.arrays import memory
from tensh.engine.arrays.threads import parallel_map
from tensh.engine.core.clock import mode, owner, stamp_write
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import INFERENCE
from tensh.engine.dispatch.override.points import arrivals
from tensh.engine.inplace.outside import differentiating


def is_plain(t, inputs, apart=False):
    """Return True if nothing can refuse a write into ``t`` of a result of ``inputs``: tensors, lists of them, other values.

    ``t`` may be one of the inputs, unless they must lie ``apart``. False for many writes that are allowed, too.
    """
    if type(t) is not Tensor or mode.levels or differentiating:
        return False
    array, base = t.array, t._base
    if type(array) is not ndarray or not array.size:
        return False
    if base is not None and (base is INFERENCE or mode.grad and base.node is not None):
        return False
    if t.node is not None and mode.grad:
        return False
    block = array
    if array.base is not None:
        if memory.overlaps_itself(array):
            return False
        block = owner(array)
    return not inputs or are_plain(inputs, array, block, apart)


def are_plain(values, array, block, apart):
    """Return True if no tensor among ``values`` has a history, or another array in the memory ``block`` of ``array``."""
    for value in values:
        if type(value) is Tensor:
            base, own = value._base, value.array
            if mode.grad and (value.node is not None or base is not None and base.node is not None):
                return False
            if own is array:
                if apart:
                    return False
            elif own is block or own.base is not None and owner(own) is block or type(own) is not ndarray:
                return False
        elif type(value) in (list, tuple):
            if not are_plain(value, array, block, apart):
                return False
        elif type(value) is ndarray:
            if owner(value) is block:
                return False
        elif isinstance(value, Tensor):
            return False
    return True


def write_plain(t, result):
    """Write a result of the shape and dtype of ``t``, for which ``is_plain`` holds; return whether it is one."""
    array, value = t.array, getattr(result, "array", None)
    if (
        type(value) is not ndarray
        or value.dtype is not array.dtype
        or value.shape != array.shape
        or result.node is not None
    ):
        return False
    stamp_write(array)
    array[...] = value
    return True


def compute_plain(t, operator, inputs, numbers, **options):
    """Compute an elementwise operator block by block into ``t``, for which ``is_plain`` holds, if it fits; return whether."""
    array = t.array
    if arrivals or not all([type(each) is Tensor and each.array.shape == array.shape for each in inputs]):
        return False
    arrays = [each.array for each in inputs]
    dtype = arrays[0].dtype
    if dtype.kind not in operator.types or not all([each.dtype is dtype for each in arrays]):
        return False
    if operator.returns_bool:
        if array.dtype.kind != "b":
            return False
    elif dtype is not array.dtype or dtype.kind not in ("f" if operator.floats else "biuf"):
        return False
    stamp_write(array)
    result = parallel_map(operator.kernel, arrays, numbers, array, **options)
    if result is not array:
        array[...] = result
    return True
