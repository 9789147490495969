"""Absolute values of distributions that are symmetric around 0."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import AbsTransform
from tensh.distributions.utils import formula
from tensh.support.naming import Shared


class FoldedDistribution(Shared, TransformedDistribution):
    """The absolute value of the symmetric distribution ``family(0, scale)``, with twice its density above 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    SHARED = ("__init__", "log_prob", "cdf", "icdf", "entropy")

    def __init__(self, scale, validate_args=None):
        super().__init__(self.family(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale = formula(lambda d: d.base_dist.scale, "The scale of the folded distribution.")
    mode = formula(lambda d: torch.zeros_like(d.scale))

    def log_prob(self, value):
        self._check_sample(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        self._check_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
