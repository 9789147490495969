"""torch.multiprocessing.reductions: pickling of tensors and storages in shared memory for another process.

The receiver finds these functions by their module, and so passes tensors on in the same way.
"""

from multiprocessing import reduction
from multiprocessing.reduction import ForkingPickler

import numpy as np

from tensh.engine.arrays import memory, shared
from tensh.engine.arrays.absent import is_absent, make_absent
from tensh.engine.arrays.bounds import view_bytes
from tensh.engine.arrays.owners import first_owner
from tensh.engine.core.clock import owner
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import SPARSE, Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.messages import COWARDLY
from tensh.engine.methods import protocols
from tensh.engine.operators.shapes.composites.sharing import move_to_shared
from tensh.engine.operators.shapes.composites.storage import view_storage
from tensh.engine.operators.shapes.composites.typed_storage import wrap_row
from tensh.multiprocessing.storage_references import StorageWeakRef

__all__ = [
    "StorageWeakRef",
    "init_reductions",
    "rebuild_storage",
    "rebuild_tensor",
    "rebuild_typed_storage",
    "reduce_storage",
    "reduce_tensor",
    "reduce_typed_storage",
]


def init_reductions():
    """Let processes pass tensors, parameters and storages in shared memory."""
    from tensh.nn.parameter import Parameter
    from tensh.storage import TypedStorage, UntypedStorage

    for cls in (Tensor, Parameter):
        ForkingPickler.register(cls, reduce_tensor)
    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(TypedStorage, reduce_typed_storage)


def reduce_tensor(tensor):
    """Reduce a tensor for another process: the file of its memory, and its place there.

    Raise RuntimeError for a tensor that is not a leaf and requires grad.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(COWARDLY)
    array = tensor.array
    if type(array) in SPARSE:
        return reduce_sparse(tensor)
    facts = protocols.name_of(type(tensor)), uses_gradient(refresh_node(tensor)), tensor.__dict__ or None
    if is_absent(array):
        return rebuild_meta, (*describe_meta(array), *facts)
    if not shared.AVAILABLE:
        return tensor.__reduce_ex__(5)
    if not memory.dense_owner(array).nbytes:  # nothing to share
        return rebuild_empty, (array.dtype, array.shape, memory.strides(array), *facts)
    move_to_shared(tensor)
    array = tensor.array
    block = first_owner(array)
    place = array.dtype, array.shape, memory.strides(array), memory.address(array) - memory.address(block)
    return rebuild_tensor, (*hand_over(block), *place, *facts)


def rebuild_tensor(handle, size, kind, dtype, shape, strides, start, name, requires_grad, state):
    """Rebuild a tensor on memory from another process."""
    return dress(place(take_over(handle, size, kind), dtype, shape, strides, start), name, requires_grad, state)


def rebuild_empty(dtype, shape, strides, name, requires_grad, state):
    """Rebuild a tensor without bytes."""
    return dress(place(np.empty(0, np.uint8), dtype, shape, strides, 0), name, requires_grad, state)


def place(block, dtype, shape, strides, start):
    """Return the array at a place in memory: ``start`` in bytes, ``strides`` in elements."""
    dtype = memory.canonical(np.empty(0, dtype)).dtype
    return view_bytes(block, dtype, shape, strides, start)


def dress(array, name, requires_grad, state):
    """Return the tensor of an array, with the class called ``name`` and its additional attributes."""
    made = protocols.rebuild_tensor(name, array, array.shape, None, 0, requires_grad)
    made.__dict__.update(state or {})
    return made


def describe_meta(array):
    """Return the dtype of an array without elements, the size of its memory, its shape, strides and offset."""
    root = owner(array)
    return array.dtype, root.size, array.shape, memory.strides(array), memory.offset(array)


def rebuild_meta(dtype, size, shape, strides, offset, name, requires_grad, state):
    """Rebuild a tensor of the device meta."""
    root = make_absent((size,), memory.canonical(np.empty(0, dtype)).dtype)
    return dress(root.view_strided(shape, strides, offset), name, requires_grad, state)


def reduce_sparse(tensor):
    """Reduce a sparse tensor: its indices and values, which are shared like dense tensors."""
    array = SPARSE[type(tensor.array)](tensor.array)
    function, (values, indices, *facts) = array.__reduce__()
    parts = [wrap(each) for each in (values, *indices)]
    if shared.AVAILABLE:
        for each in parts:
            move_to_shared(each)
        array.values, *places = [each.array for each in parts]
        array.indices = tuple(places)
    return rebuild_sparse, (function, parts, facts, tensor.requires_grad)


def rebuild_sparse(function, parts, facts, requires_grad):
    """Rebuild a sparse tensor from its values and indices."""
    values, *indices = [each.array for each in parts]
    return wrap(function(values, tuple(indices), *facts)).requires_grad_(requires_grad)


def reduce_storage(storage):
    """Reduce a storage for another process: the file of its memory."""
    if is_absent(storage.array) or not shared.AVAILABLE or not storage.array.nbytes:
        return storage.__reduce_ex__(5)
    move_to_shared(storage)
    return rebuild_storage, hand_over(first_owner(storage.array))


def rebuild_storage(handle, size, kind):
    """Rebuild a storage on memory from another process."""
    return view_storage(take_over(handle, size, kind))


def reduce_typed_storage(storage):
    """Reduce a storage with a dtype: a tensor of all its elements."""
    whole = wrap(storage.array)
    if shared.AVAILABLE and storage.array.size:
        move_to_shared(whole)
    return rebuild_typed_storage, (whole,)


def rebuild_typed_storage(whole):
    """Rebuild a storage with a dtype on the memory of a tensor."""
    return wrap_row(whole.array)


def hand_over(block):
    """Return the data by which another process maps a block: a file handle, the number of elements, the dtype."""
    return reduction.DupFd(shared.descriptor_of(block)), block.size, block.dtype


def take_over(handle, size, kind):
    """Return the block that ``hand_over`` described."""
    return shared.map_file(handle.detach(), size, memory.canonical(np.empty(0, kind)).dtype)
