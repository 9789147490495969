"""Transforms applied to pieces of a tensor along a dimension: concatenated or stacked slices."""

import itertools

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.transforms.base import Transform
from tensh.distributions.utils import _sum_rightmost, formula, lazy_property
from tensh.support.naming import Shared


class _Pieces(Shared, Transform):
    """A list of transforms for slices, with methods for cutting (``_pieces``) and joining (``_joined``)."""

    def __init__(self, tseq, dim=0, cache_size=0):
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [each.with_cache(cache_size) if cache_size else each for each in tseq]
        self.dim = dim

    bijective = formula(lambda t: all(each.bijective for each in t.transforms))

    def _check_value(self, name, value, spoken="tensor"):
        """Return ``value``; raise AssertionError unless it has the dimension, in the size that transforms need."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {spoken} with {value.dim()} dimensions")
        words, length = self._length
        if value.size(self.dim) != length:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {words} {length}")
        return value

    def _call(self, x):
        pieces = self._pieces(self._check_value("x", x))
        return self._joined([each(piece) for each, piece in zip(self.transforms, pieces)], self.dim)

    def _inverse(self, y):
        pieces = self._pieces(self._check_value("y", y))
        return self._joined([each.inv(piece) for each, piece in zip(self.transforms, pieces)], self.dim)

    def _log_dets(self, x, y):
        xs = self._pieces(self._check_value("x", x, "x"))
        ys = self._pieces(self._check_value("y", y, "y"))
        return [each.log_abs_det_jacobian(*pair) for each, *pair in zip(self.transforms, xs, ys)]


class CatTransform(_Pieces):
    """A transform for each of several slices along ``dim``, with ``lengths`` (1 by default), as in ``torch.cat``.

    Raise AssertionError unless there is a length for each transform and the lengths add up to the input's.

    >>> import tensh as torch
    >>> from tensh.distributions.transforms import CatTransform, ExpTransform, identity_transform
    >>> t = CatTransform([ExpTransform(), identity_transform], dim=0, lengths=[2, 1])
    >>> t(torch.tensor([0., 1., 1.]))
    tensor([1.0000, 2.7183, 1.0000])
    """

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    def _with_cache_size(self, cache_size):
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    @lazy_property
    def event_dim(self):
        """The largest ``event_dim`` among the transforms."""
        return max(each.event_dim for each in self.transforms)

    @lazy_property
    def length(self):
        """The size of the dimension: the sum over all slices."""
        return sum(self.lengths)

    _length = formula(lambda t: ("length", t.length))

    _joined = staticmethod(torch.cat)

    def _pieces(self, value):
        begins = itertools.accumulate(self.lengths, initial=0)
        return [value.narrow(self.dim, begin, length) for begin, length in zip(begins, self.lengths)]

    def log_abs_det_jacobian(self, x, y):
        terms = [
            _sum_rightmost(term, self.event_dim - each.event_dim)
            for each, term in zip(self.transforms, self._log_dets(x, y))
        ]
        dim = self.dim - (x.dim() if self.dim >= 0 else 0) + self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)  # slices of one event, or of several

    @constraints.dependent_property
    def domain(self):
        """The constraint on inputs."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        """The constraint on outputs."""
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)


class StackTransform(_Pieces):
    """A transform for each index along ``dim``, as in ``torch.stack``.

    Raise AssertionError unless there are as many slices as transforms.

    >>> import tensh as torch
    >>> from tensh.distributions.transforms import ExpTransform, StackTransform, identity_transform
    >>> t = StackTransform([ExpTransform(), identity_transform], dim=1)
    >>> t(torch.ones(2, 2))
    tensor([[2.7183, 1.0000],
            [2.7183, 1.0000]])
    """

    def _with_cache_size(self, cache_size):
        return StackTransform(self.transforms, self.dim, cache_size)

    _length = formula(lambda t: ("len(transforms)", len(t.transforms)))

    _joined = staticmethod(torch.stack)

    def _pieces(self, value):
        return [value.select(self.dim, i) for i in range(value.size(self.dim))]

    def log_abs_det_jacobian(self, x, y):
        return torch.stack(self._log_dets(x, y), dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        """The constraint on inputs."""
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        """The constraint on outputs."""
        return constraints.stack([each.codomain for each in self.transforms], self.dim)
