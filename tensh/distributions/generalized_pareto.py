"""Generalized Pareto distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["GeneralizedPareto"]


@expandable
class GeneralizedPareto(Distribution):
    """Tails above ``loc`` of width ``scale``: heavier for a larger ``concentration``, and bounded for a negative one.

    ``concentration=0`` is the exponential distribution, -1 the uniform one, and a positive one with
    ``loc = scale / concentration`` Pareto's.

    >>> import tensh as torch
    >>> torch.distributions.GeneralizedPareto(0.0, 2.0, torch.tensor([0.0, 0.5])).mean
    tensor([2., 4.])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, end, math.inf))

    @property
    def mean(self):
        """The mean; nan for concentrations of 1 and above."""
        valid = self.concentration < 1
        mean = self.loc + self.scale / (1 - torch.where(valid, self.concentration, 0.5))
        return torch.where(valid, mean, math.nan)

    mode = formula(lambda d: d.loc)

    @property
    def variance(self):
        """The variance; nan for concentrations of 1/2 and above."""
        valid = self.concentration < 0.5
        c = torch.where(valid, self.concentration, 0.25)
        return torch.where(valid, self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)), math.nan)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _exponential(self):
        """Return (a mask of concentrations that are zero, the concentrations with 1 in those places)."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, 1.0, self.concentration)

    def _z(self, x):
        return (x - self.loc) / self.scale

    def log_prob(self, value):
        self._check_sample(value)
        z, (zero, c) = self._z(value), self._exponential()
        power = 1 / c + torch.ones_like(z)
        general = torch.where(power == 0, power, power * torch.log1p(c * z))
        return -self.scale.log() - torch.where(zero, z, general)

    def log_survival_function(self, value):
        """Return the logarithm of the probability of outcomes above ``value``."""
        self._check_sample(value)
        z, (zero, c) = self._z(value), self._exponential()
        return torch.where(zero, -z, -torch.log1p(c * z) / c)

    def log_cdf(self, value):
        """Return the logarithm of ``cdf``."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        zero, c = self._exponential()
        log_rest = torch.log1p(-value)
        general = self.loc + self.scale / c * torch.expm1(-c * log_rest)
        return torch.where(zero, self.loc - self.scale * log_rest, general)

    def entropy(self):
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)
