"""Inverse gamma distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.gamma import Gamma
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import PowerTransform
from tensh.distributions.utils import formula

__all__ = ["InverseGamma"]


@expandable
class InverseGamma(TransformedDistribution):
    """``1 / x`` for ``x`` of a gamma distribution with a ``concentration`` and a ``rate``.

    >>> import tensh as torch
    >>> torch.distributions.InverseGamma(torch.tensor([1., 3.]), 4.).mean
    tensor([inf, 2.])
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    concentration = formula(lambda d: d.base_dist.concentration, "The parameter of the gamma distribution.")
    rate = formula(lambda d: d.base_dist.rate, "The parameter of the gamma distribution.")

    @property
    def mean(self):
        a = self.concentration
        return torch.where(a > 1, self.rate / (a - 1), math.inf)

    mode = formula(lambda d: d.rate / (d.concentration + 1))

    @property
    def variance(self):
        a = self.concentration
        return torch.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
