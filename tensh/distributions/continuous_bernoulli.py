"""Continuous Bernoulli distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.odds import Odds
from tensh.distributions.utils import broadcast_all, clamp_probs, formula, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


@expandable
class ContinuousBernoulli(Odds, ExponentialFamily):
    """Numbers between 0 and 1, with density proportional to ``probs**x * (1 - probs)**(1 - x)``.

    The formulas divide zero by zero where ``probs`` is 1/2; between the two ``lims`` their series replaces them.
    Loaiza-Ganem and Cunningham, The continuous Bernoulli: fixing a pervasive error in variational autoencoders (2019).

    >>> import tensh as torch
    >>> torch.distributions.ContinuousBernoulli(torch.tensor([0.25, 0.5])).mean
    tensor([0.4102, 0.5000])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._take(probs, logits)
        if probs is not None:
            # Checked here, because clamped values are always valid.
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self._param = self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def probs(self):
        """``probs``, clamped away from 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self):
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self):
        """Return ``probs``; near 1/2 the lower limit, where the formula is not used but must be finite."""
        return torch.where(self._outside_unstable_region(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self):
        """Return the logarithm of the normalizing factor ``2 * atanh(1 - 2 * probs) / (1 - 2 * probs)``."""
        cut = self._cut_probs()
        below, above = torch.where(cut <= 0.5, cut, 0.0), torch.where(cut >= 0.5, cut, 1.0)
        log_norm = torch.log(torch.abs(torch.log1p(-cut) - torch.log(cut))) - torch.where(
            cut <= 0.5, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0)
        )
        x = torch.pow(self.probs - 0.5, 2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._outside_unstable_region(), log_norm, series)

    @property
    def mean(self):
        cut = self._cut_probs()
        mean = cut / (2.0 * cut - 1.0) + 1.0 / (torch.log1p(-cut) - torch.log(cut))
        x = self.probs - 0.5
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x
        return torch.where(self._outside_unstable_region(), mean, series)

    @property
    def variance(self):
        cut = self._cut_probs()
        odds = torch.log1p(-cut) - torch.log(cut)
        variance = cut * (cut - 1.0) / torch.pow(1.0 - 2.0 * cut, 2) + 1.0 / torch.pow(odds, 2)
        x = torch.pow(self.probs - 0.5, 2)
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._outside_unstable_region(), variance, series)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        fit = -torch.nn.functional.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return fit + self._cont_bern_log_norm()

    def cdf(self, value):
        self._check_sample(value)
        cut = self._cut_probs()
        powers = torch.pow(cut, value) * torch.pow(1.0 - cut, 1.0 - value)
        inside = torch.where(self._outside_unstable_region(), (powers + cut - 1.0) / (2.0 * cut - 1.0), value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, inside))

    def icdf(self, value):
        cut = self._cut_probs()
        above = torch.log1p(-cut + value * (2.0 * cut - 1.0)) - torch.log1p(-cut)
        whole = torch.log(cut) - torch.log1p(-cut)
        return torch.where(self._outside_unstable_region(), above / whole, value)

    def entropy(self):
        log_probs0, log_probs1 = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log_probs0 - log_probs1) - self._cont_bern_log_norm() - log_probs0

    _natural_params = formula(lambda d: (d.logits,))

    def _log_normalizer(self, x):
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(outside, x, self._lims[0] - 0.5)
        log_norm = torch.log(torch.abs(torch.special.expm1(cut))) - torch.log(torch.abs(cut))
        series = 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0
        return torch.where(outside, log_norm, series)
