"""Tensors with named dimensions, which hide from every function: it computes as for one element along them."""

from tensh.engine.core.tensor import Tensor as Plain
from tensh.functorch.dim.levels import count_places, is_place, match, renumber


class Named:
    """A tensor whose ``data`` has a level for each dimension: a ``Dim``, or a place from the right.

    ``methods`` adds the methods that compute.
    """

    __module__ = "functorch.dim"
    __qualname__ = "_Tensor"
    __hash__ = object.__hash__
    dims = property(lambda self: tuple(each for each in self.levels if not is_place(each)), doc="The named dimensions.")
    ndim = property(lambda self: count_places(self.levels), doc="The number of dimensions without names.")

    def dim(self):
        """Return the number of dimensions without names."""
        return self.ndim

    def __repr__(self):
        shown = tuple(each + self.ndim if is_place(each) else each for each in self.levels)
        return f"{self.data}\nwith dims={shown} sizes={tuple(self.data.shape)}"


Named.__name__ = "_Tensor"


class Tensor(Named):
    """A tensor with named dimensions, made by an index with a ``Dim``.

    A product of two tensors without other dimensions is computed when it is read: its sum is a product of matrices.
    """

    __module__ = "functorch.dim"

    def __init__(self, data, levels, factors=None):
        self._data, self.levels, self.factors = data, levels, factors

    @property
    def data(self):
        """The elements, along all dimensions."""
        if self._data is None:
            one, other = [match(each.data, each.levels, self.levels) for each in self.factors]
            self._data, self.factors = one * other, None
        return self._data


def wrap(data, levels):
    """Return a tensor with levels: a plain one if none of them has a name."""
    levels = renumber(levels)
    return data if count_places(levels) == len(levels) else Tensor(data, levels)


def read(value):
    """Return (data, levels) of a tensor; None for another value, and for a dimension of unknown size."""
    if isinstance(value, Named):
        if not isinstance(value, Tensor) and not value.is_bound:
            return None
        return value.data, value.levels
    return (value, tuple(range(-value.ndim, 0))) if isinstance(value, Plain) else None
