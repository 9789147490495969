"""Transforms made from others, and the one that only reshapes."""

import functools
import operator

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.transforms.base import Transform, require_dims
from tensh.distributions.utils import _sum_rightmost, formula, lazy_property


def _widen(ends):
    """Return the first constraint of a chain of pairs (from, to), over the dimensions that any part couples."""
    first, event_dim = ends[0][0], ends[-1][1].event_dim
    for begin, end in reversed(ends):
        event_dim = max(event_dim - end.event_dim, 0) + begin.event_dim
    extra = event_dim - first.event_dim
    return constraints.independent(first, extra) if extra else first


class ComposeTransform(Transform):
    """A sequence of transforms, in the order of the list; each keeps its own cache.

    >>> import tensh as torch
    >>> from tensh.distributions import AffineTransform, ComposeTransform, ExpTransform
    >>> t = ComposeTransform([AffineTransform(0., 2.), ExpTransform()])
    >>> t(torch.tensor([0., 0.5])), t.inv(torch.tensor([1.]))
    (tensor([1.0000, 2.7183]), tensor([0.]))
    """

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def _with_cache_size(self, cache_size):
        return ComposeTransform(self.parts, cache_size=cache_size)

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """The constraint on inputs."""
        return _widen([(part.domain, part.codomain) for part in self.parts]) if self.parts else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """The constraint on outputs."""
        backwards = [(part.codomain, part.domain) for part in reversed(self.parts)]
        return _widen(backwards) if backwards else constraints.real

    @lazy_property
    def bijective(self):
        """True if all parts are bijective."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        """The product of the signs of the parts."""
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self):
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return torch.zeros_like(x)
        between = [x]
        for part in self.parts[:-1]:  # the parts' caches make this cheap
            between.append(part(between[-1]))
        terms, event_dim = [], self.domain.event_dim
        for part, begin, end in zip(self.parts, between, [*between[1:], y]):
            term = part.log_abs_det_jacobian(begin, end)
            terms.append(_sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        parts = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {parts}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last ``reinterpreted_batch_ndims`` batch dimensions become part of an event.

    Values are those of ``base_transform``; ``log_abs_det_jacobian`` is summed over those dimensions.

    >>> import tensh as torch
    >>> t = torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)
    >>> x = torch.tensor([1., 2.])
    >>> t.log_abs_det_jacobian(x, t(x))
    tensor(3.)
    """

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _with_cache_size(self, cache_size):
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """The constraint on inputs."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """The constraint on outputs."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = formula(lambda t: t.base_transform.bijective, "True if ``base_transform`` is bijective.")
    sign = formula(lambda t: t.base_transform.sign, "The sign of ``base_transform``.")

    def _call(self, x):
        require_dims(self.domain.event_dim, x.shape)
        return self.base_transform(x)

    def _inverse(self, y):
        require_dims(self.codomain.event_dim, y.shape)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Reshape the last dimensions from ``in_shape`` to ``out_shape``.

    Shapes: [*, in_shape] to [*, out_shape]. Raise ValueError if the numbers of elements differ.

    >>> import tensh as torch
    >>> t = torch.distributions.ReshapeTransform((4,), (2, 2))
    >>> t(torch.arange(8.).view(2, 4)).shape, t.inverse_shape((5, 2, 2))
    (torch.Size([2, 2, 2]), torch.Size([5, 4]))
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape = torch.Size(in_shape)
        self.out_shape = torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    def _with_cache_size(self, cache_size):
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        """The constraint on inputs."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        """The constraint on outputs."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return x.reshape(_batch(x, self.in_shape) + self.out_shape)

    def _inverse(self, y):
        return y.reshape(_batch(y, self.out_shape) + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(_batch(x, self.in_shape))

    def forward_shape(self, shape):
        return _replace_end(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return _replace_end(shape, self.out_shape, self.in_shape)


def _batch(x, event_shape):
    return x.shape[: x.dim() - len(event_shape)]


def _replace_end(shape, old, new):
    """Replace ``old`` at the end of ``shape`` by ``new``."""
    cut = len(require_dims(len(old), shape)) - len(old)
    if shape[cut:] != old:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return shape[:cut] + new
