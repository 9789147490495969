"""Tensors and parameters in pickles, and the functions that rebuild them.

Every program whose `torch` is tensh writes pickles in this form, which PyTorch reads, and reads PyTorch's.
"""

from collections import OrderedDict
from weakref import WeakValueDictionary

import tensh as torch  # where PyTorch's pickles look up memory formats
from tensh._tensor import _rebuild_from_type_v2
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import is_absent
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.shapes.composites.storage import UntypedStorage
from tensh.engine.operators.shapes.composites.typed_storage import TypedStorage
from tensh.nn.parameter import Parameter
from tensh.serialization import rebuilding
from tensh.serialization.sparse import sparse_facts
from tensh.serialization.storages import STORAGES, dtype_name, place_of

# (address, bytes) of memory -> its storage, while a pickler that has written it refers to it
KEPT = WeakValueDictionary()


# ── rebuilding ───────────────────────────────────────────────────────────────
def _rebuild_tensor(storage, storage_offset, size, stride):
    """Make a tensor over a storage."""
    return rebuilding.tensor(as_memory(storage), storage_offset, size, stride)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """Make a tensor over a storage, with requires_grad and a pending conjugation or negation."""
    return rebuilding.tensor(as_memory(storage), storage_offset, size, stride, requires_grad, None, metadata)


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    """Make a tensor of ``dtype`` over a storage of bytes."""
    return rebuilding.tensor_of_dtype(
        as_memory(storage), storage_offset, size, stride, requires_grad, None, dtype, metadata
    )


def _rebuild_sparse_tensor(layout, data):
    """Make a sparse tensor from its indices, values and size."""
    *indices, values, size, last = data if layout is torch.sparse_coo else (*data, None)
    if layout is torch.sparse_coo:
        return torch.sparse_coo_tensor(*indices, values, size, is_coalesced=last)
    return torch.sparse_compressed_tensor(*indices, values, size, layout=layout)


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    """Make a meta tensor."""
    return rebuilding.tensor_without_elements(dtype, size, stride, requires_grad)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """Make a parameter over the memory of a tensor."""
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """Make a parameter over the memory of a tensor, with the user's attributes."""
    made = Parameter(data, requires_grad)
    made.__dict__.update(state)
    return made


def _rebuild_wrapper_subclass(cls, dtype, size, stride, storage_offset, layout, device, requires_grad):
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    return Tensor._make_wrapper_subclass(cls, size, stride, storage_offset, **options)


def as_memory(storage):
    """Return a storage in the form that tensors of files use."""
    row = storage.bytes() if isinstance(storage, UntypedStorage) else storage.row
    return rebuilding.storage_over(row)


# ── describing ───────────────────────────────────────────────────────────────
class Memory(TypedStorage):
    """The storage of pickled tensors, which later tensors in the same memory share."""

    __slots__ = ("__weakref__",)


def reduce_tensor(t):
    """Reduce a tensor for a pickle: its location in a storage, or the indices and values of a sparse one."""
    if type(t.array) in SPARSE:
        return _rebuild_sparse_tensor, (t.layout, sparse_facts(t))
    if is_wrapper(t):
        facts = t.dtype, tuple(t.shape), t.stride(), t.storage_offset(), t.layout, t.device, t.requires_grad
        return _rebuild_from_type_v2, (_rebuild_wrapper_subclass, type(t), (type(t), *facts), t.__dict__)
    function, facts = (describe_without_elements if is_absent(t.array) else describe_in_memory)(t)
    if type(t) is Tensor and not t.__dict__:
        return function, facts
    return _rebuild_from_type_v2, (function, type(t), facts, t.__dict__)


def describe_without_elements(t):
    """Return the function and arguments that rebuild a meta tensor."""
    return _rebuild_meta_tensor_no_storage, (t.dtype, tuple(t.shape), t.stride(), t.requires_grad)


def describe_in_memory(t):
    """Return the function and arguments that rebuild a dense tensor."""
    place, name, dtype = place_of(t.array), dtype_name(t.array), BY_NUMPY[t.array.dtype]
    storage = storage_of(place.block, dtype)
    size, recorded = tuple(map(int, t.shape)), uses_gradient(refresh_node(t))
    facts = storage, place.offset, size, place.strides, recorded, OrderedDict()
    return (_rebuild_tensor_v2, facts) if name in STORAGES else (_rebuild_tensor_v3, (*facts, dtype))


def reduce_parameter(p):
    """Reduce a parameter for a pickle: its tensor, and the user's attributes."""
    facts = p.data, p.requires_grad, OrderedDict()
    return (_rebuild_parameter_with_state, (*facts, p.__dict__)) if p.__dict__ else (_rebuild_parameter, facts)


def storage_of(block, dtype):
    """Return the storage over a block of bytes: the same for all tensors in it, as long as a pickler keeps it."""
    key = memory.address(block), block.nbytes, dtype
    found = KEPT.get(key)
    if found is None:
        if dtype.name in STORAGES:
            found = object.__new__(Memory)
            found.row = block.view(dtype.numpy)
        else:
            found = UntypedStorage(block)
        if block.nbytes:
            KEPT[key] = found
    return found
