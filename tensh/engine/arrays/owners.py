"""The owners of memory: arrays that NumPy considers separate, and that other tensors or libraries share.

``memory.share_apart`` gives memory another owner, a memoryview of the first.
"""

import weakref
from functools import partial

import numpy as np

from tensh.engine.core.clock import owner

_lent: dict[int, weakref.ref] = {}  # id(memory owner) -> a weak reference that removes the entry with the owner


def lend(array):
    """Note that the memory of ``array`` is shared with another library; return ``array``."""
    block = owner(array)
    key = id(block)
    if key not in _lent:
        _lent[key] = weakref.ref(block, partial(_lent.pop, key))
    return array


def require_resizable(array):
    """Raise RuntimeError if replacing the memory of ``array`` would separate it from another library's array."""
    if any(id(block) in _lent for block in owners(array)):
        raise RuntimeError("Trying to resize storage that is not resizable")


# ── several owners of one memory ─────────────────────────────────────────────
def owners(array):
    """Yield the owner of the memory of ``array``, and then those that share it with that one under another name."""
    yield (block := owner(array))
    while type(block.base) is memoryview and type(block.base.obj) is np.ndarray:
        yield (block := owner(block.base.obj))


def memory_of(array):
    """Return the array that stands for the memory of ``array``, under whatever name it is shared."""
    *_, block = owners(array)
    return block


def first_owner(array):
    """Return the first owner of the same memory, and of no more."""
    mine, *others = owners(array)
    return next((block for block in reversed(others) if block.nbytes == mine.nbytes), mine)


def memory_behind(block):
    """Return the first owner of the memory that ``block`` owns under another name.

    Otherwise each ``p.data -= step`` would lengthen the chain of owners: after a hundred thousand, freeing it overflows the stack.
    """
    while type(block.base) is memoryview and type(block.base.obj) is np.ndarray and id(block) not in _lent:
        before = owner(block.base.obj)
        if before.nbytes != block.nbytes or not before.flags.forc:
            break
        block = before
    return block


def are_alike(one, two):
    """Return True if two arrays have one dtype, shape and strides."""
    return (one.dtype, one.shape, one.strides) == (two.dtype, two.shape, two.strides)


def are_names_of_one(one, two):
    """Return True for two owners of the same memory, which both are all of it, as one array and its ``share_apart``."""
    if type(one) is not np.ndarray or type(two) is not np.ndarray or not are_alike(one, two):
        return False
    return owner(one) is one and owner(two) is two and memory_behind(one) is memory_behind(two)
