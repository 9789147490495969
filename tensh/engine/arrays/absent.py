"""Arrays without elements: the arrays of tensors on the device "meta".

An ``Absent`` has the shape, strides, dtype and place in memory of an array.  It wraps a NumPy array over an address
without memory, since NumPy computes views from shapes and strides alone, at any size.  That array never leaves its
``Absent``; reading elements raises ``Absence``.
"""

import mmap
from contextlib import suppress
from functools import cache
from math import prod

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.bounds import count_elements, view_memory
from tensh.engine.arrays.orders import order_of
from tensh.engine.core.lift import Absence
from tensh.engine.dtypes.dtype import BY_NUMPY


@cache
def nowhere():
    """Return the address of absent arrays: memory that reads as zeros if a bug in tensh reads it."""
    for bits in (40, 36, 30):
        with suppress(OSError, ValueError, OverflowError, AttributeError):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
            room = np.frombuffer(mmap.mmap(-1, 1 << bits, flags, mmap.PROT_READ), np.uint8)
            return address(room), room
    return 4096, None


class Layout:
    """The layout that NumPy needs for an array over memory that does not exist."""

    def __init__(self, shape, kind, strides=None):
        self.__array_interface__ = {
            "shape": tuple(shape), "typestr": kind, "strides": strides, "data": (nowhere()[0], True), "version": 3
        }  # fmt: skip


class Absent:
    """An array without elements; ``root`` is the one whose memory it shares, itself if that is its own."""

    __slots__ = ("layout", "root", "__weakref__")

    def __init__(self, layout, root=None):
        self.layout, self.root = layout, self if root is None else root

    shape = property(lambda a: a.layout.shape)
    strides = property(lambda a: a.layout.strides)
    ndim = property(lambda a: a.layout.ndim)
    dtype = property(lambda a: a.layout.dtype)
    itemsize = property(lambda a: a.layout.itemsize)
    nbytes = property(lambda a: a.layout.nbytes)
    size = property(lambda a: a.layout.size)
    base = property(lambda a: None if a.root is a else a.root)
    parts = ()  # arrays that have elements

    @property
    def flags(self):
        """The flags of the layout; only the flags for order are meaningful."""
        return self.layout.flags

    def place(self):
        """Return the number of elements between the start of the memory and the first one."""
        return (address(self.layout) - address(self.root.layout)) // self.itemsize

    def view_as(self, layout):
        """Return an array over the same memory."""
        return Absent(layout, self.root)

    def share_apart(self):
        """Return the array with a separate root."""
        return Absent(self.layout, Absent(self.root.layout))

    def view_strided(self, shape, steps, start=0):
        """Return an array over the same memory, from ``start`` elements after the first one."""
        return view_memory(self.root, self.dtype, shape, steps, self.place() + start)

    # ── views, and copies ────────────────────────────────────────────────────
    def reshape(self, *shape, order="C"):
        """Return a view if possible, otherwise new memory."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if -1 in shape:
            rest = -prod(shape)
            shape = [self.size // rest if n == -1 and rest else n for n in shape]
        if prod(shape) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(shape)}")
        steps = memory.view_strides(self.shape, memory.strides(self), tuple(shape))
        return make_absent(shape, self.dtype) if steps is None else self.view_strided(shape, steps)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """New memory for another dtype, in the same order."""
        dtype = np.dtype(dtype)
        return self if not copy and dtype is self.dtype else make_like(self, dtype)

    def copy(self, order="C"):
        """Return new memory: row-major, or with "K" in the same order."""
        return make_like(self) if order == "K" else make_absent(self.shape, self.dtype)

    def fill(self, number):
        """Do nothing: there are no elements."""

    def __getitem__(self, index):
        index = index if type(index) is tuple else (index,)
        if not all([each is None or each is ... or type(each) in (int, slice) for each in index]):
            raise Absence
        return self.view_as(self.layout[index if ... in index else (*index, ...)])

    def __setitem__(self, index, value):
        """Do nothing: there are no elements."""

    def item(self):
        """The value of a single element, which is absent."""
        if self.size != 1:
            raise ValueError
        raise Absence

    def __len__(self):
        return len(self.layout)

    def __getattr__(self, name):
        raise Absence

    def __array__(self, *args, **options):
        raise Absence

    def __reduce__(self):
        return make_absent_strided, (self.shape, memory.strides(self), self.dtype)

    __array_ufunc__ = __array_function__ = __array__
    __array_struct__ = __array_interface__ = property(__array__)
    __hash__ = object.__hash__


def _view(name):
    def method(self, *args):
        return self.view_as(getattr(self.layout, name)(*args))

    setattr(Absent, name, method)


for _name in ("transpose", "swapaxes", "squeeze", "view", "diagonal"):
    _view(_name)
for _name in ("T", "real", "imag"):
    setattr(Absent, _name, property(lambda a, name=_name: a.view_as(getattr(a.layout, name))))
for _name in (
    "iter contains bool int float complex index eq ne lt le gt ge neg pos abs invert add radd iadd sub rsub isub mul rmul imul "
    "truediv rtruediv itruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand iand or ror ior xor rxor ixor "
    "lshift rshift"
).split():
    setattr(Absent, f"__{_name}__", Absent.__array__)


def address(layout):
    """Return the address of the first element."""
    return layout.__array_interface__["data"][0]


def lay_out(shape, dtype, strides=None):
    """Make a NumPy array over absent memory, with ``strides`` in bytes."""
    kind = dtype.str if dtype.isbuiltin != 2 else f"<u{dtype.itemsize}"  # NumPy has no error name for this
    try:
        layout = np.asarray(Layout(shape, kind, strides))
    except (ValueError, OverflowError):
        if strides is not None and len(strides) != len(shape):
            message = f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(strides)})"
        else:
            message = f"Storage size calculation overflowed with sizes={list(shape)}"
        raise RuntimeError(message) from None
    return layout if layout.dtype == dtype else layout.view(dtype)


def make_absent(shape, dtype, order=None):
    """Return a new array without elements, its dimensions from the outermost to the innermost in ``order``."""
    shape = tuple(shape)
    inside = shape if order is None else [shape[d] for d in order]
    root = Absent(lay_out(inside, np.dtype(dtype)))
    return root if order is None else root.transpose(np.argsort(order))


def make_like(array, dtype=None):
    """Return a new array without elements, with the dimensions of ``array`` in the same order and no gaps."""
    order = None if array.flags.c_contiguous else order_of(array.shape, array.strides)
    return make_absent(array.shape, dtype or array.dtype, order)


def drop_elements(array):
    """Return a new array of the shape, strides and dtype of ``array``."""
    if type(array) is Absent:
        return array
    if array.flags.c_contiguous or min(array.strides) < 0 or not array.size:
        return make_absent(array.shape, array.dtype)
    return make_absent_strided(array.shape, memory.strides(array), array.dtype)


def place_beside(array, other):
    """Return ``array`` on the device of ``other``: without elements if that has none."""
    return drop_elements(array) if type(other) is Absent else array


def make_absent_strided(shape, steps, dtype):
    """Return a new array of these strides, to rebuild a pickled one."""
    dtype = BY_NUMPY[dtype].numpy
    return view_memory(make_absent((count_elements(shape, steps),), dtype), dtype, shape, steps)


without_elements_of = make_absent_strided  # the name in pickles of earlier versions


def is_absent(value):
    """Return True for an array, or a tensor, without elements."""
    return type(value) is Absent or type(getattr(value, "array", None)) is Absent


def require_elements(array):
    """Raise ``Absence`` in a kernel that would otherwise read only shape and dtype."""
    if type(array) is Absent:
        raise Absence
