"""Tensors in shared memory, and how they are handed to other processes."""

from multiprocessing import reduction

import numpy as np

from tensh.engine.arrays import memory, shared
from tensh.engine.core.clock import owner
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.views import refresh_node
from tensh.engine.methods.protocols import name_of, rebuilt
from tensh.engine.operators.shapes.composites.sharing import move_to_shared
from tensh.engine.operators.shapes.composites.storage import view_storage

COWARDLY = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing process "
    "boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing (e.g., putting it "
    "on the queue)."
)


def reduce_tensor(tensor):
    """Reduce a tensor for another process: the file of its memory, and its place there.

    RuntimeError for a tensor that is not a leaf and requires grad.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(COWARDLY)
    if type(tensor.array) is not np.ndarray or not shared.AVAILABLE:
        return tensor.__reduce_ex__(5)
    move_to_shared(tensor)
    array = tensor.array
    block = owner(array)
    place = array.dtype, array.shape, memory.strides(array), memory.address(array) - memory.address(block)
    facts = name_of(type(tensor)), uses_gradient(refresh_node(tensor))
    return rebuild_tensor, (*hand_over(block), *place, *facts)


def rebuild_tensor(handle, size, kind, dtype, shape, strides, start, name, requires_grad):
    """Rebuild a tensor over memory that came from another process."""
    block = take_over(handle, size, kind)
    dtype = memory.canonical(np.empty(0, dtype)).dtype
    array = np.ndarray(shape, dtype, block, start, [step * dtype.itemsize for step in strides])
    return rebuilt(name, array, array.shape, None, 0, requires_grad)


def reduce_storage(storage):
    """Reduce a storage for another process: the file of its memory."""
    if type(storage.array) is not np.ndarray or not shared.AVAILABLE:
        return storage.__reduce_ex__(5)
    move_to_shared(storage)
    return rebuild_storage, hand_over(owner(storage.array))


def rebuild_storage(handle, size, kind):
    """Rebuild a storage over memory that came from another process."""
    return view_storage(take_over(handle, size, kind))


def hand_over(block):
    """What another process needs to map a block: a handle of its file, the number of elements and their dtype."""
    return reduction.DupFd(shared.descriptor_of(block)), block.size, block.dtype


def take_over(handle, size, kind):
    """The block that ``hand_over`` told of."""
    return shared.map_file(handle.detach(), size, memory.canonical(np.empty(0, kind)).dtype)
