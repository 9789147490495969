"""Checks that refuse writes into memory shared with other operands or other elements of the tensor."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import owner
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import dtype_error
from tensh.engine.errors.warnings import warn


def refuse_overlap_in_part(t, others):
    """Raise if one of ``others`` overlaps ``t``, which is to be written, without being the same tensor."""
    for other in others:
        if isinstance(other, Tensor) and other.array is not t.array and owner(other.array) is owner(t.array):
            refuse_partial_overlap(t.array, other.array)


def refuse_overlap(array, name=None):
    """Raise if several elements lie in one place, where a write would depend on the order.

    A dtype that the operator ``name`` refuses with its own message comes first.
    """
    if memory.overlaps_itself(array):
        if name is not None and array.dtype.kind in OPS[name].refusal:
            raise dtype_error(name, array.dtype)
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def refuse_partial_overlap(array, source):
    """Raise if two dense arrays share some memory without being the same."""
    if not (memory.is_dense(array) and memory.is_dense(source) and array.size and source.size):
        return
    same = array.shape == source.shape and memory.address(array) == memory.address(source)
    if not (same and memory.strides(array) == memory.strides(source)) and may_share_memory(array, source):
        raise RuntimeError(SHARED)


def may_share_memory(one, two):
    """Return True if the bounds of two arrays in one memory overlap; arrays without elements have bounds, too."""
    return np.may_share_memory(getattr(one, "layout", one), getattr(two, "layout", two))


def refuse_shared(array, others):
    """Raise if one of ``others`` is a tensor, or an array of integers, in the memory of ``array``, which is to be written.

    A mask is read before anything is written.
    """
    for other in others:
        if isinstance(other, (list, tuple)):
            refuse_shared(array, other)
        elif isinstance(other, Tensor):
            if other.array is array or _overlap(other.array, array):
                raise RuntimeError(SHARED)
        elif isinstance(other, np.ndarray) and other.dtype.kind == "i" and _overlap(other, array):
            raise RuntimeError(SHARED)


def _overlap(one, two):
    """Return True if two dense arrays share memory.  PyTorch does not check other arrays."""
    if owner(one) is not owner(two) or not (memory.is_dense(one) and memory.is_dense(two)):
        return False
    return may_share_memory(one, two)


def warn_of_overlap(name):
    """Warn of a write into an expanded tensor, which the operator ``name`` still allows."""
    warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
        f"This also applies to advanced indexing e.g. {INDEXED[name]}"
    )


INDEXED = {
    "index_fill_": "tensor[mask] = scalar",
    "masked_fill_": "tensor[mask] = scalar",
    "index_put_": "tensor[indices] = tensor",
}
"""Other functions that call the operators which still write into expanded tensors."""

SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
