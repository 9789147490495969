"""Tensor: an array, the node that receives its gradient, and its place in a base.  Everything else is derived.

The methods are attached by the package ``methods``, from the table of operators.
"""

from functools import partial

import numpy as np

from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arrays.absent import Absent
from tensh.engine.arrays.halves import HalfNumber
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.dtypes.device import cpu, meta, strided
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.dtypes.size import SIZES


class Tensor:
    """A multi-dimensional array of one dtype that can record what is computed from it.

    Shapes are tuples of ints; dtypes are ``torch.float32`` and the like.  Differentiable where ``requires_grad``.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    # ``_base``, ``_view_info`` and ``_time`` are explained in core/views.py.  ``_kept`` is the gradient kept for a computed tensor;
    # that of a leaf is in its node.
    __slots__ = ("array", "node", "_base", "_view_info", "_time", "_kept", "__dict__", "__weakref__")
    __module__ = "torch"
    __array_priority__ = 1000  # makes ``array * tensor`` call the tensor, not NumPy

    @shows("cls, *size_or_data", "device=None")
    def __new__(cls, *args, **options):
        return ports.construct(cls, args, options)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Call a function for tensors of a subclass, whose results are tensors of that class: see dispatch/override/."""
        return ports.torch_function(cls, func, types, args, kwargs)

    @staticmethod
    def _make_subclass(cls, data, require_grad=False):
        """Make an object of a subclass over the memory of a tensor, detached from its history."""
        return ports.make_subclass(cls, data, require_grad)

    @staticmethod
    def _make_wrapper_subclass(cls, size, strides=None, storage_offset=None, **options):
        """Make an object of a subclass with a shape and a dtype and no elements: its ``__torch_dispatch__`` knows them."""
        return ports.make_wrapper_subclass(cls, size, strides, **options)

    shape = property(lambda self: SIZES[self.array.shape], doc="The size of each dimension.")
    dtype = property(lambda self: BY_NUMPY[self.array.dtype], doc="The type of the elements.")
    ndim = property(lambda self: self.array.ndim, doc="The number of dimensions.")
    itemsize = property(lambda self: self.array.itemsize, doc="Bytes of one element.")
    nbytes = property(lambda self: self.array.nbytes, doc="Bytes of all elements.")
    device = property(lambda self: cpu if type(self.array) is not Absent else meta, doc="The device of the elements.")
    layout = property(
        lambda self: self.array.layout if type(self.array) in SPARSE else strided,
        doc="The layout of the elements in memory: torch.strided, or a sparse one.",
    )


new = partial(object.__new__, Tensor)  # 75 ns; Tensor() would run __new__: 160 ns


SPARSE: dict = {}
"""Class of sparse arrays -> a function that makes one the array of a tensor: see operators/sparse/array.py."""


def as_array(array):
    """Return a NumPy scalar as an array; an array without elements, or a sparse one, as it is; a rounded number unrounded."""
    if type(array) in (Absent, HalfNumber):
        return array if type(array) is Absent else array.exact
    try:
        return SPARSE[type(array)](array) if type(array) in SPARSE else np.asarray(array)
    except Lift:  # what a node keeps of a tensor of a wrapper subclass
        if not hasattr(type(array), "tensor"):
            raise
        return array


def wrap(array, node=None):
    """Make a tensor over ``array`` (a NumPy scalar becomes a 0-d array)."""
    t = new()
    t.array = array if type(array) is np.ndarray else as_array(array)
    t.node, t._base, t._kept = node, None, None
    return t
