"""Dimensions as objects: one dimension, and lists of them whose length may be open."""

import itertools

from tensh.engine import find_public
from tensh.func.rearrange import DimensionBindError
from tensh.functorch.dim.tensors import Named

numbers = itertools.count()


class DimensionMismatchError(Exception):
    """Dimensions that do not fit together."""

    __module__ = "functorch.dim"


class Dim(Named):
    """A dimension, which gets its size when a tensor is indexed with it; as a tensor it is ``arange(size)`` along itself.

    >>> import tensh as torch
    >>> from tensh.functorch.dim import dims
    >>> i, j = dims(2)
    >>> (torch.ones(2, 3)[i, j] + i).order(j, i)
    tensor([[1., 2.],
            [1., 2.],
            [1., 2.]])
    """

    __module__ = "functorch.dim"
    __format__ = object.__format__
    __hash__ = object.__hash__
    ndim = property(lambda self: 1, doc="1")
    levels = property(lambda self: (self,), doc="The dimension itself.")

    def __init__(self, name, size=-1):
        self._name, self._size, self._range, self._number = name, size, None, next(numbers)

    @property
    def size(self):
        """The size; raise ValueError as long as it is unknown, DimensionBindError where another one is set."""
        if self._size == -1:
            raise ValueError(f"dimension {self._name} is unbound")
        return self._size

    @size.setter
    def size(self, size):
        if self._size not in (-1, size):
            raise DimensionBindError(
                f"Dim '{self!r}' previously bound to a dimension of size {self._size} "
                f"cannot bind to a dimension of size {size}"
            )
        self._size = size

    is_bound = property(lambda self: self._size != -1, doc="True if the size is known.")

    @property
    def data(self):
        """The numbers 0 to size - 1."""
        if self._range is None:
            self._range = find_public("arange")(self.size)
        return self._range

    def __repr__(self):
        return self._name


class DimList:
    """Dimensions in a row; a list of open length takes as many as are left where a tensor is indexed with it."""

    __module__ = "functorch.dim"

    def __init__(self, len_or_dims=None, name=None):
        self._name, self._dims = name, None
        if isinstance(len_or_dims, int):
            self.bind_len(len_or_dims)
        elif len_or_dims is not None:
            self._dims = [
                Dim(self._name_of(n), each) if isinstance(each, int) else Dim(each)
                for n, each in enumerate(len_or_dims)
            ]

    def _name_of(self, n):
        return f"{self._name or 'dim'}{n}"

    is_bound = property(lambda self: self._dims is not None, doc="True if the length is known.")

    def bind_len(self, size):
        """Set the length; raise DimensionBindError for another one."""
        if self._dims is None:
            self._dims = [Dim(self._name_of(n)) for n in range(size)]
        elif len(self._dims) != size:
            raise DimensionBindError(f"Dimlist has size {len(self._dims)} but it is being bound to size {size}")

    def bind(self, sizes):
        """Set the length and all sizes."""
        if not hasattr(sizes, "__len__") or not hasattr(sizes, "__getitem__"):
            raise ValueError("expected a sequence")
        self.bind_len(len(sizes))
        for each, size in zip(self._dims, sizes, strict=True):
            each.size = int(size)

    def size(self):
        """Return the length; raise DimensionBindError as long as it is unknown."""
        if self._dims is None:
            raise DimensionBindError("DimList not bound")
        return len(self._dims)

    __len__ = size

    def __getitem__(self, key):
        if not isinstance(key, (int, slice)):
            raise ValueError("expected an int or a slice")
        n = self.size()
        if isinstance(key, slice):
            return tuple(self._dims[key])
        if not 0 <= key < n:
            raise IndexError("index out of bounds")
        return self._dims[key]

    def __repr__(self):
        if self._dims is not None:
            return f"({', '.join(map(repr, self._dims))})"
        return f"*{self._name}" if self._name is not None else "<unbound_dimlist>"
