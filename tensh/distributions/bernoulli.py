"""Bernoulli distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.odds import Odds
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Bernoulli"]


@expandable
class Bernoulli(Odds, ExponentialFamily):
    """1 with probability ``probs``, 0 otherwise; ``logits`` are the log-odds of 1.

    >>> import tensh as torch
    >>> d = torch.distributions.Bernoulli(torch.tensor([0.25, 0.5]))
    >>> d.log_prob(torch.ones(2)).exp()
    tensor([0.2500, 0.5000])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    mean = formula(lambda d: d.probs)
    mode = formula(lambda d: torch.where(d.probs == 0.5, math.nan, (d.probs >= 0.5).to(d.probs)))
    variance = formula(lambda d: d.probs * (1 - d.probs))

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(shape))

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -torch.nn.functional.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return self._enumerate(2, self._param.dtype, expand)

    _natural_params = formula(lambda d: (torch.logit(d.probs),))

    def _log_normalizer(self, x):
        return torch.log1p(torch.exp(x))
