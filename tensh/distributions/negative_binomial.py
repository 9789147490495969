"""Negative binomial distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.gamma import Gamma
from tensh.distributions.odds import Odds
from tensh.distributions.utils import formula, lazy_property

__all__ = ["NegativeBinomial"]


@expandable
class NegativeBinomial(Odds, Distribution):
    """The number of successes before ``total_count`` failures in trials with ``probs`` or log-odds ``logits``.

    >>> import tensh as torch
    >>> torch.distributions.NegativeBinomial(3, torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    mean = formula(lambda d: d.total_count * torch.exp(d.logits))
    mode = formula(lambda d: ((d.total_count - 1) * d.logits.exp()).floor().clamp(min=0.0))
    variance = formula(lambda d: d.mean / torch.sigmoid(-d.logits))

    @lazy_property
    def _gamma(self):
        # unchecked, because a count may be zero
        return Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        n, log_chance = self.total_count, torch.nn.functional.logsigmoid
        unnormalized = n * log_chance(-self.logits) + value * log_chance(self.logits)
        normalizer = -torch.lgamma(n + value) + torch.lgamma(1.0 + value) + torch.lgamma(n)
        return unnormalized - normalizer.masked_fill(n + value == 0.0, 0.0)  # with no trials the count is certainly 0
