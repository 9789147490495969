"""Cauchy distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Cauchy"]


@expandable
class Cauchy(Distribution):
    """Cauchy distributions with median ``loc`` and half width at half maximum ``scale``; they have no mean.

    >>> import tensh as torch
    >>> torch.distributions.Cauchy(0.0, 2.0).cdf(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.7500])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mean = formula(lambda d: torch.full_like(d.loc, math.nan), "nan.")
    mode = formula(lambda d: d.loc)
    variance = formula(lambda d: torch.full_like(d.loc, math.inf), "Infinite.")

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.loc + self.loc.new(shape).cauchy_() * self.scale

    def log_prob(self, value):
        self._check_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value):
        self._check_sample(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
