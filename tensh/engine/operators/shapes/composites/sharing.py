"""Moving memory to where other processes find it, and the facts that storages report about it."""

import gc
import os
import sys

import numpy as np

from tensh.engine.arrays import files, memory
from tensh.engine.arrays.bounds import view_bytes
from tensh.engine.arrays.owners import first_owner
from tensh.engine.autograd.leaves import replace_array
from tensh.engine.core.clock import Stamp, continue_version, owner, stamps
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import SPARSE, Tensor, wrap


class OwnMemory:
    """Facts of all storages about shared and pinned memory, and about files."""

    __slots__ = ()

    @property
    def filename(self):
        """The file that writes reach; None for memory that is not a file."""
        return files.file_of(first_owner(self.array)) if type(self.array) is np.ndarray else None

    def is_pinned(self, device="cuda"):
        """False: memory is never pinned for a device."""
        return False

    def is_shared(self):
        """Return True if other processes may map the memory."""
        return lies_in_shared(self.array)

    def share_memory_(self):
        """Move the memory, with all tensors over it, to shared memory, and return the storage."""
        move_to_shared(self)
        return self


def require_storage_of(array):
    """Raise NotImplementedError for a sparse tensor, whose indices and values are separate arrays."""
    if type(array) in SPARSE:
        kind = "SparseTensorImpl" if SPARSE[type(array)](array).layout.name == "sparse_coo" else "SparseCsrTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")


def lies_in_shared(array):
    """Return True for an array in memory that other processes may map.  Raise NotImplementedError for a sparse one."""
    require_storage_of(array)
    shared = sys.modules.get("tensh.engine.arrays.shared")  # a module that is not loaded has shared nothing
    if type(array) is not np.ndarray:
        return False
    block = first_owner(array)
    return files.is_mapped(block) or (shared is not None and shared.is_shared(block))


def count_holders(tensor):
    """Count the references to a tensor's array and to its memory, but for those of its node."""
    array, node = tensor.array, tensor.node
    block, held = owner(array), type(node) is AccumulateGrad and node.array is array
    return sys.getrefcount(array) - held, sys.getrefcount(block) - (held and block is array)


ALONE = count_holders(wrap(np.empty(1))), count_holders(wrap(np.empty(2)[:1]))
"""Return the reference counts of a tensor with separate memory: for a tensor over all its memory, and over a part."""


def move_to_shared(thing):
    """Move the memory of a tensor or a storage into shared memory, and with it all tensors and storages over it.

    NumPy arrays over the memory, and values that nodes have saved, keep the old memory. Raise RuntimeError if there is
    no room, and for meta tensors; NotImplementedError for sparse tensors.
    """
    from tensh.engine.arrays import shared  # loads a part of multiprocessing, which takes 6 ms and is rarely needed

    array = thing.array
    require_storage_of(array)
    if type(array) is not np.ndarray:
        raise RuntimeError("_share_fd_: only available on CPU")
    if not shared.AVAILABLE or lies_in_shared(array):
        return
    old = memory.dense_owner(array)
    try:
        new = shared.copy_to_shared(old)
    except OSError as error:
        text = f"unable to allocate shared memory of {old.nbytes} bytes: {os.strerror(error.errno)} ({error.errno})"
        raise RuntimeError(text) from None
    alone = isinstance(thing, Tensor) and counts_as_alone(thing, old is array)
    for each in [thing] if alone else find_holders(first_owner(array)):
        moved = place_in_block(each.array, old, new)
        if owner(each.array) is not owner(array):  # it counts its own writes
            moved = memory.share_apart(moved)
            continue_version(each.array, moved)
        if isinstance(each, Tensor):
            replace_array(each, moved)
        else:
            each.array = moved
    if stamp := stamps.get(id(owner(old))):  # versions of tensors do not change
        stamps[id(new)] = later = Stamp(new)
        later.count, later.operation = stamp.count, stamp.operation
        later.times.extend(stamp.times)


def counts_as_alone(tensor, is_whole):
    """Return True if only the tensor, and the two names in ``move_to_shared``, refer to its memory."""
    if first_owner(tensor.array) is not owner(tensor.array):
        return False
    counts = count_holders(tensor)
    most = ALONE[0] if is_whole else ALONE[1]
    extra = (2, 2) if is_whole else (1, 1)
    return all(count <= least + more for count, least, more in zip(counts, most, extra))


def find_holders(block):
    """Return all tensors and storages over a block of memory."""
    kinds = Tensor, OwnMemory
    holders = [each for each in gc.get_objects() if issubclass(type(each), kinds)]
    return [each for each in holders if type(array := array_of(each)) is np.ndarray and first_owner(array) is block]


def array_of(holder):
    """Return the array of a tensor or storage, also of a parameter without a shape; None while it is being made."""
    try:
        return Tensor.array.__get__(holder) if isinstance(holder, Tensor) else holder.array
    except AttributeError:
        return None


def place_in_block(array, old, new):
    """Return the array at the same offset in other memory."""
    start = memory.address(array) - memory.address(old)
    return view_bytes(new, array.dtype, array.shape, memory.strides(array), start)
