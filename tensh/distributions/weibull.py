"""Weibull distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exponential import Exponential
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import AffineTransform, PowerTransform
from tensh.distributions.utils import broadcast_all, euler_constant, formula

__all__ = ["Weibull"]


@expandable
class Weibull(TransformedDistribution):
    """``scale * x ** (1 / concentration)`` for ``x`` of an exponential distribution with rate 1.

    Samples are differentiable.

    >>> import tensh as torch
    >>> torch.distributions.Weibull(2., torch.tensor([1., 2.])).mean
    tensor([2.0000, 1.7725])
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._find_transforms(), validate_args=validate_args)

    def _find_transforms(self):
        self.concentration_reciprocal = self.concentration.reciprocal()
        return [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]

    def _follow_expansion(self):
        self.transforms = self._find_transforms()

    mean = formula(lambda d: d.scale * torch.exp(torch.lgamma(1 + d.concentration_reciprocal)))
    mode = formula(lambda d: d.scale * ((d.concentration - 1) / d.concentration) ** d.concentration.reciprocal())

    @property
    def variance(self):
        shape = self.concentration_reciprocal
        spread = torch.exp(torch.lgamma(1 + 2 * shape)) - torch.exp(2 * torch.lgamma(1 + shape))
        return self.scale.pow(2) * spread

    def entropy(self):
        shape = self.concentration_reciprocal
        return euler_constant * (1 - shape) + (self.scale * shape).log() + 1
