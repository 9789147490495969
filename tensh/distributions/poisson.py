"""Poisson distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.utils import broadcast_all

__all__ = ["Poisson"]


@expandable
class Poisson(ExponentialFamily):
    """How often something happens that happens ``rate`` times on average.

    >>> import tensh as torch
    >>> torch.distributions.Poisson(1.0).log_prob(torch.tensor([0.0, 1.0, 2.0]))
    tensor([-1.0000, -1.0000, -1.6931])
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return self.rate.floor()

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.poisson(self.rate.expand(shape))

    def log_prob(self, value):
        self._check_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)
