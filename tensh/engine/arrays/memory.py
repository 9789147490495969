"""The memory of an array: its owner, the array's offset in it, and other arrays over it.

Strides and offsets are counted in elements, as in PyTorch.
"""

import math

import numpy as np

from tensh.engine.arrays.bounds import count_elements, require_storage, view_memory
from tensh.engine.arrays.copying import MANY, copy_into
from tensh.engine.arrays.orders import order_of
from tensh.engine.arrays.owners import are_alike, memory_behind, require_resizable
from tensh.engine.core.clock import owner
from tensh.engine.core.lift import Lift
from tensh.engine.dtypes.device import contiguous_format, preserve_format
from tensh.engine.dtypes.dtype import BY_NUMPY

NO_MEMORY = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
    "{} bytes. Error code 12 (Cannot allocate memory)"
)


# ── questions ────────────────────────────────────────────────────────────────
def address(array):
    """Return the address of the first element; for absent arrays, in absent memory."""
    try:
        return array.__array_interface__["data"][0]
    except Lift:
        return array.layout.__array_interface__["data"][0]


def is_same(one, two):
    """Return True if two arrays are the same elements of one memory, in the same order."""
    if one is two:
        return True
    return are_alike(one, two) and address(one) == address(two)


def canonical(array):
    """Return the array with the unique NumPy dtype object of its tensor dtype.

    An unpickled array has another, equal dtype object; operators compare dtypes by identity.
    """
    dtype = BY_NUMPY[array.dtype].numpy
    return array if array.dtype is dtype else array.view(dtype)


def distance(base, array):
    """Return the offset of ``array`` from the first element of ``base``, in elements."""
    if base is array:
        return 0
    if type(array) is not np.ndarray:
        return array.place() - base.place()
    return (address(array) - address(base)) // array.itemsize


def offset(array):
    """Return the offset of the first element from the start of the memory, in elements."""
    return distance(owner(array), array)


def strides(array):
    """Return the strides in elements.

    A dimension of one element with NumPy's stride 0 (``a[None]``, ``keepdims``) has the stride of a dense array, as in
    PyTorch.  So does a new array without elements; one made by NumPy keeps its zeros.
    """
    size = array.itemsize
    steps = [s // size for s in array.strides]
    if 0 in steps:
        if not array.size:
            return contiguous_strides(array.shape) if array.base is None else tuple(steps)
        shape = array.shape
        for d in range(len(steps) - 1, -1, -1):
            if steps[d] == 0 and shape[d] == 1:
                steps[d] = steps[d + 1] * max(shape[d + 1], 1) if d + 1 < len(steps) else 1
    return tuple(steps)


def contiguous_strides(shape):
    """Return the strides of a dense row-major array."""
    steps, step = [1] * len(shape), 1
    for d in range(len(shape) - 1, -1, -1):
        steps[d] = step
        step *= shape[d] or 1
    return tuple(steps)


def overlaps_itself(array):
    """Return True if several elements share one address, as in an expanded array."""
    return (
        0 in array.strides
        and 0 not in array.shape
        and any(s == 0 and n > 1 for n, s in zip(array.shape, array.strides))
    )


def is_dense(array):
    """Return True if every element has its own address, without gaps."""
    if array.flags.forc:
        return True
    reach = array.itemsize
    for step, n in sorted((step, n) for step, n in zip(array.strides, array.shape) if n != 1):
        if step != reach:
            return False
        reach *= n
    return True


def may_overlap(shape, steps):
    """Return True if an array of this shape and these strides may have several elements at one address."""
    reach = 1
    for step, n in sorted((step, n) for step, n in zip(steps, shape) if n != 1):
        if step < reach:
            return True
        reach = step * n
    return False


# ── arrays over given memory ─────────────────────────────────────────────────
def view_strided(array, shape, steps, start=0):
    """Return an array over the memory of ``array``, starting ``start`` elements after its first one.

    Raise RuntimeError if it would lead out of the memory.
    """
    flags = array.flags
    if not flags.forc:
        block = dense_owner(array)
        start += distance(block, array)
    else:
        block = array
    return view_memory(block, array.dtype, shape, steps, start)


def view_within(array, shape, steps, start):
    """View memory with any offset, where the result may lie anywhere in the memory of ``array``."""
    block = dense_owner(array)
    if block is array:
        return view_strided(array, shape, steps, start)
    return view_strided(flat_memory(array), shape, steps, start + distance(block, array))


def flat_memory(array):
    """Return all the memory of ``array`` as a vector of its dtype."""
    data = dense_owner(array).reshape(-1, order="A").view(np.uint8)  # it may have been allocated in another dtype
    return data[: data.size // array.itemsize * array.itemsize].view(array.dtype)


def fit_in_room(array, shape, steps):
    """Return an array of another size at the same address, or in new memory if the old is too short."""
    number, start, whole = math.prod(shape), offset(array), flat_memory(array)
    if start + number <= whole.size:
        return view_strided(whole, shape, steps, start)
    require_resizable(array)
    return view_strided(reallocate(whole[start:], number), shape, steps)


def reallocate(old, number):
    """Allocate memory for ``number`` elements that begins with those of ``old``."""
    room = allocate(number, old.dtype)
    kept = min(number, old.size)
    room[:kept] = old[:kept]
    return room


def allocate(size, dtype, make=np.empty):
    """Allocate memory for a number or a shape of elements; raise PyTorch's RuntimeError if there is not enough."""
    try:
        return make(size, dtype)
    except MemoryError:
        wanted = math.prod(size if isinstance(size, (tuple, list)) else (size,)) * dtype.itemsize
        raise RuntimeError(NO_MEMORY.format(wanted)) from None


def copy_memory(array, **options):
    """Copy an array by its method ``copy``; raise PyTorch's RuntimeError if there is not enough memory."""
    try:
        return array.copy(**options)
    except MemoryError:
        raise RuntimeError(NO_MEMORY.format(array.nbytes)) from None


def dense_owner(array):
    """Return the owner of the memory of ``array``; for memory received in pieces, the piece around it.

    An owner whose dimensions lie in neither rows nor columns is returned as a vector over its elements.
    """
    block = owner(array)
    if block.flags.forc:
        return block
    if is_dense(block):
        return block.transpose(order_of(block.shape, block.strides)).reshape(-1)
    return span_of(block)


def span_of(array):
    """Return a flat array over the memory between the first and the last element of ``array``."""
    shape, steps = array.shape, strides(array)
    require_storage(shape, steps, 0, array.itemsize)
    return np.asarray(_Interface(array, (count_elements(shape, steps),)))


def adopt(array):
    """Return ``array`` over a dense owner, as the engine requires."""
    if owner(array).flags.forc:
        return array
    return view_strided(span_of(array), array.shape, strides(array))


def unseal(array):
    """Make memory writable that NumPy considers read-only."""
    offered = _Interface(array, array.shape)
    offered.__array_interface__ |= {"strides": array.strides, "data": (address(array), False)}
    return np.asarray(offered)


class _Interface:
    """An object that exports the memory of an array as a flat array of another size."""

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array, shape):
        self.array = array
        self.__array_interface__ = array.__array_interface__ | {"shape": shape, "strides": None}


def share_apart(array):
    """Share memory under another owner, a memoryview: writes through it do not count as writes to ``array``."""
    if type(array) is not np.ndarray:
        return array.share_apart()
    if not array.size:
        return np.empty(array.shape, array.dtype)  # without elements nothing can be written
    own = dense_owner(array)
    block = memory_behind(own)
    unknown = array.dtype.isbuiltin == 2  # dtypes of ml_dtypes are unknown to the buffer protocol
    result = np.asarray((block.view(f"u{block.itemsize}") if block.dtype.isbuiltin == 2 else block).data)
    if block is array or own is array and are_alike(block, array):
        return result.view(array.dtype) if unknown else result
    start = (address(array) - address(block)) // array.itemsize
    return view_memory(result, array.dtype, array.shape, strides(array), start)


# ── new memory in the order of other memory ──────────────────────────────────
CHANNELS = {"channels_last": (4, (0, 2, 3, 1)), "channels_last_3d": (5, (0, 2, 3, 4, 1))}


def is_row_major(array):
    """Return True if an array is dense and row-major, and has no dimension of one element, whose stride may say otherwise."""
    return array.flags.c_contiguous and (array.ndim < 4 or array.strides[1] * array.shape[1] > array.strides[-1])


def channels_innermost(array):
    """Return True if the channels, dimension 1, are innermost; as in PyTorch, ambiguous layouts count as row-major."""
    if is_row_major(array) or array.ndim not in (4, 5) or not array.size:
        return False
    steps = strides(array)
    least = 1
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        if steps[dim] < least or dim == 0 and least == steps[1]:
            return False
        least = steps[dim] * max(array.shape[dim], 1)
    return True


def order_in(array, memory_format):
    """Return the dimensions of an array from the outermost to the innermost, according to a memory format unless None."""
    name = memory_format.name
    if name == "preserve_format":
        return order_of(array.shape, array.strides)
    if name == "contiguous_format":
        return range(array.ndim)
    ndim, order = CHANNELS[name]
    if array.ndim != ndim:
        raise RuntimeError(f"required rank {ndim} tensor to use {name} format")
    return order


def empty_like(array, dtype, memory_format=preserve_format):
    """Allocate dense memory of the same shape, in the order of ``array`` or of a memory format.

    Dense arrays keep their strides, also those of dimensions of one element.
    """
    if memory_format is contiguous_format or is_row_major(array):
        if memory_format in (None, preserve_format, contiguous_format):
            return np.empty(array.shape, dtype)
    elif memory_format in (None, preserve_format) and 1 in array.shape and array.size and is_dense(array):
        return empty_strided(array.shape, strides(array), dtype)
    order = order_in(array, memory_format or preserve_format)
    return np.empty([array.shape[dim] for dim in order], dtype).transpose(np.argsort(order))


def copy(array, memory_format=preserve_format):
    """Return a dense copy, in the order of ``array`` or of a memory format."""
    if memory_format is contiguous_format:
        return row_major(array)
    if memory_format is preserve_format and is_row_major(array):
        return array.copy()
    out = empty_like(array, array.dtype, memory_format)
    copy_into(out, array)
    return out


def row_major(array):
    """Return a dense row-major copy."""
    if array.size < MANY:
        return array.copy()
    out = np.empty(array.shape, array.dtype)
    copy_into(out, array)
    return out


def copy_in_order(array, order):
    """Return ``array`` in dense memory, its dimensions in ``order`` from the outermost to the innermost."""
    inside = array.transpose(order)
    inside = inside if inside.flags.c_contiguous else row_major(inside)
    if 1 in inside.shape and inside.size:  # there any stride is dense for NumPy
        inside = view_strided(inside, inside.shape, contiguous_strides(inside.shape))
    return inside.transpose(np.argsort(order))


def copy_in_order_of(array, other):
    """Return ``array`` in the memory order of ``other``, which has the same shape."""
    if other.flags.c_contiguous:
        return array
    out = empty_like(other, array.dtype)
    copy_into(out, array)
    return out


def lay_out_like(array, own):
    """Return the array in the order of the elements of ``own``, of the same shape; row-major if that one has gaps."""
    if type(array) is not np.ndarray or type(own) is not np.ndarray:
        return array
    if own.flags.c_contiguous or not is_dense(own):
        return array if array.flags.c_contiguous else row_major(array)
    return array if array.strides == own.strides else copy_in_order_of(array, own)


def dense_in(array, memory_format):
    """Return True if ``array`` has a memory format."""
    if memory_format is contiguous_format:
        return array.flags.c_contiguous
    return array.transpose(order_in(array, memory_format)).flags.c_contiguous


def empty_strided(shape, steps, dtype):
    """Return a new array with these strides."""
    require_storage(shape, steps, 0, dtype.itemsize)
    steps = contiguous_strides(shape) if any(step < 0 for step in steps) else steps  # dimensions of size 1
    return view_strided(allocate(count_elements(shape, steps), dtype), shape, steps)


def view_strides(shape, steps, size):
    """Return the strides of memory with ``shape`` and ``steps`` viewed in another ``size``; None if that needs a copy."""
    if 0 in shape:
        return steps if shape == size else contiguous_strides(size)
    if not shape:
        return (1,) * len(size)
    result, d = [0] * len(size), len(size) - 1
    inner, elements, covered = steps[-1], 1, 1
    for old in range(len(shape) - 1, -1, -1):
        elements *= shape[old]
        if old == 0 or (shape[old - 1] != 1 and steps[old - 1] != elements * inner):  # a dense piece ends here
            while d >= 0 and (covered < elements or size[d] == 1):
                result[d] = covered * inner
                covered *= size[d]
                d -= 1
            if covered != elements:
                return None
            if old:
                inner, elements, covered = steps[old - 1], 1, 1
    return tuple(result) if d == -1 else None
