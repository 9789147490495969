"""Elementwise transforms with parameters."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.transforms.base import Transform
from tensh.distributions.utils import _sum_rightmost, broadcast_all, formula, lazy_property

NUMBER = (int, float)  # a bool is an int


class AffineTransform(Transform):
    """``y = loc + scale * x``, with numbers or tensors; the last ``event_dim`` dimensions are one event.

    >>> import tensh as torch
    >>> t = torch.distributions.AffineTransform(1., torch.tensor([2., -3.]))
    >>> t(torch.tensor([1., 1.])), t.sign
    (tensor([ 3., -2.]), tensor([ 1., -1.]))
    """

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    def _with_cache_size(self, cache_size):
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    event_dim = formula(lambda t: t._event_dim)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """The constraint on inputs."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    codomain = domain

    def __eq__(self, other):
        return (
            isinstance(other, AffineTransform) and _is_equal(self.loc, other.loc) and _is_equal(self.scale, other.scale)
        )

    @property
    def sign(self):
        """The sign of the slope."""
        if isinstance(self.scale, NUMBER):
            return 1 if self.scale > 0 else -1 if self.scale < 0 else 0
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        cut = x.dim() - self.event_dim
        if isinstance(self.scale, NUMBER):
            each = torch.full_like(x, math.log(abs(self.scale)))
        else:
            each = torch.abs(self.scale).log()
            if self.event_dim:
                each = each.expand(
                    torch.broadcast_shapes(each.shape, x.shape[cut:])
                )  # once for each element of an event
        return _sum_rightmost(each, self.event_dim).expand(x.shape[:cut])

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, *(getattr(each, "shape", ()) for each in (self.loc, self.scale)))

    inverse_shape = forward_shape


def _is_equal(a, b):
    equal = a == b
    return equal if isinstance(equal, bool) else equal.all().item()


class PowerTransform(Transform):
    """``y = x ** exponent`` of positive numbers.

    >>> import tensh as torch
    >>> torch.distributions.PowerTransform(2.)(torch.tensor([1., 3.]))
    tensor([1., 9.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _with_cache_size(self, cache_size):
        return PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self):
        """The sign of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """``y = distribution.cdf(x)``: variables of the distribution become uniform on [0, 1].

    >>> import tensh as torch
    >>> t = torch.distributions.CumulativeDistributionTransform(torch.distributions.Normal(0., 1.))
    >>> t(torch.tensor([-1., 0., 1.]))
    tensor([0.1587, 0.5000, 0.8413])
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _with_cache_size(self, cache_size):
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)

    domain = formula(lambda t: t.distribution.support, "The constraint on inputs.")

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)
