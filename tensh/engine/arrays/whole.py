"""Whole values: memory that is copied once, and the value of one tensor that becomes another's."""

import numpy as np

from tensh.engine.arrays.memory import copy_memory


def copy_once(block, memo):
    """Return the copy of a block of memory by ``copy.deepcopy``: one for all tensors and storages over it."""
    if id(block) not in memo:
        memo[id(block)] = copy_memory(block, order="K")
        memo.setdefault(id(memo), []).append(block)  # keeps the array alive as long as its id is used
    return memo[id(block)]


def dense_first(*tensors):
    """Return the tensors in the order in which they can be added: those with all elements before sparse ones."""
    return sorted(tensors, key=lambda t: type(t.array) is not np.ndarray)


def take_value(t, other):
    """Give ``t`` the value of another tensor of the same layout and return ``t``; return the other if the layouts differ."""
    if type(t.array) is not type(other.array):
        return other
    if type(t.array) is np.ndarray:
        t.array[...] = other.array
    else:
        t.array = other.array
    return t
