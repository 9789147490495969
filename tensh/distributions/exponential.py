"""Exponential distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Exponential"]


@expandable
class Exponential(ExponentialFamily):
    """Waiting times between events that occur ``rate`` times per unit of time on average.

    >>> import tensh as torch
    >>> torch.distributions.Exponential(torch.tensor([1.0, 4.0])).mean
    tensor([1.0000, 0.2500])
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    mean = formula(lambda d: d.rate.reciprocal())
    mode = formula(lambda d: torch.zeros_like(d.rate))
    stddev = formula(lambda d: d.rate.reciprocal())
    variance = formula(lambda d: d.rate.pow(-2))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.rate.new(shape).exponential_() / self.rate

    def log_prob(self, value):
        self._check_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        self._check_sample(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - torch.log(self.rate)

    _natural_params = formula(lambda d: (-d.rate,))

    def _log_normalizer(self, x):
        return -torch.log(-x)
