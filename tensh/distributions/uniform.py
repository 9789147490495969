"""Uniform distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Uniform"]


@expandable
class Uniform(Distribution):
    """Numbers from ``low`` to below ``high``, all equally likely.

    ``low`` and ``high`` broadcast to the batch [*]. Samples are differentiable. Raise ValueError unless ``low < high``,
    and for values elsewhere in ``log_prob``.

    >>> import tensh as torch
    >>> torch.distributions.Uniform(0.0, torch.tensor([1.0, 4.0])).icdf(torch.tensor(0.25))
    tensor([0.2500, 1.0000])
    """

    has_rsample = True

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    arg_constraints = formula(lambda d: {"low": constraints.less_than(d.high), "high": constraints.greater_than(d.low)})

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    mean = formula(lambda d: (d.high + d.low) / 2)
    mode = formula(lambda d: math.nan * d.high, "nan: no number is more likely than the others.")
    stddev = formula(lambda d: (d.high - d.low) / 12**0.5)
    variance = formula(lambda d: (d.high - d.low).pow(2) / 12)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        share = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + share * (self.high - self.low)

    def log_prob(self, value):
        self._check_sample(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        self._check_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return torch.log(self.high - self.low)
