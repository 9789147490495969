"""Logistic-normal distributions."""

from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.normal import Normal
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import StickBreakingTransform
from tensh.distributions.utils import formula

__all__ = ["LogisticNormal"]


@expandable
class LogisticNormal(TransformedDistribution):
    """n independent normal variables, mapped by stick breaking to a simplex of n + 1 parts.

    >>> import tensh as torch
    >>> d = torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3))
    >>> d.event_shape, d.log_prob(torch.full((4,), 0.25))
    (torch.Size([4]), tensor(2.7884))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = formula(lambda d: d.base_dist.base_dist.loc, "The means of the normal variables.")
    scale = formula(lambda d: d.base_dist.base_dist.scale, "The standard deviations of the normal variables.")
