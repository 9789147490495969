"""Log-normal distributions."""

from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.normal import Normal
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import ExpTransform
from tensh.distributions.utils import formula

__all__ = ["LogNormal"]


@expandable
class LogNormal(TransformedDistribution):
    """The exponential of a normal variable with mean ``loc`` and standard deviation ``scale``.

    >>> import tensh as torch
    >>> torch.distributions.LogNormal(0., torch.tensor([1., 2.])).mean
    tensor([1.6487, 7.3891])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    loc = formula(lambda d: d.base_dist.loc, "The mean of the logarithm.")
    scale = formula(lambda d: d.base_dist.scale, "The standard deviation of the logarithm.")
    mean = formula(lambda d: (d.loc + d.scale.pow(2) / 2).exp())
    mode = formula(lambda d: (d.loc - d.scale.square()).exp())

    @property
    def variance(self):
        variance = self.scale.pow(2)
        return variance.expm1() * (2 * self.loc + variance).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
