"""Pareto distributions."""

from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exponential import Exponential
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import AffineTransform, ExpTransform
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Pareto"]


@expandable
class Pareto(TransformedDistribution):
    """Numbers of at least ``scale``, with density proportional to ``x ** -(alpha + 1)`` (type 1).

    Samples are differentiable.

    >>> import tensh as torch
    >>> torch.distributions.Pareto(1., torch.tensor([1., 2.])).mean
    tensor([inf, 2.])
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(self.alpha, validate_args=validate_args), transforms, validate_args=validate_args)

    @property
    def mean(self):
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    mode = formula(lambda d: d.scale)

    @property
    def variance(self):
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than_eq(self.scale)

    def entropy(self):
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
