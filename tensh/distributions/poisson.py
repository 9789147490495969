"""Poisson distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Poisson"]


@expandable
class Poisson(ExponentialFamily):
    """The number of events in an interval, with a mean of ``rate``.

    >>> import tensh as torch
    >>> torch.distributions.Poisson(1.0).log_prob(torch.tensor([0.0, 1.0, 2.0]))
    tensor([-1.0000, -1.0000, -1.6931])
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    mean = formula(lambda d: d.rate)
    mode = formula(lambda d: d.rate.floor())
    variance = formula(lambda d: d.rate)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.poisson(self.rate.expand(shape))

    def log_prob(self, value):
        self._check_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    _natural_params = formula(lambda d: (torch.log(d.rate),))

    def _log_normalizer(self, x):
        return torch.exp(x)
