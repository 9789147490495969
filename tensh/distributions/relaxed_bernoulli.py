"""Relaxed Bernoulli distributions: numbers between 0 and 1 that are differentiable in the probability of 1."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.odds import Odds
from tensh.distributions.relaxed import RelaxedDistribution
from tensh.distributions.transforms import SigmoidTransform
from tensh.distributions.utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


@expandable
class LogitRelaxedBernoulli(Odds, Distribution):
    """The logits of a RelaxedBernoulli: logistic noise around ``logits``, divided by ``temperature``.

    Maddison et al., The Concrete distribution (2017).

    >>> import tensh as torch
    >>> from tensh.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
    >>> LogitRelaxedBernoulli(torch.tensor(0.5), logits=torch.tensor([0., 2.])).log_prob(torch.tensor(1.))
    tensor([-2.1413, -2.5960])
    """

    _shared = ("temperature",)
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        uniform = torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device)
        noise, chance = (clamp_probs(each) for each in (uniform, self.probs.expand(shape)))
        return (noise.log() - (-noise).log1p() + chance.log() - (-chance).log1p()) / self.temperature

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        noise = logits - value.mul(self.temperature)
        return self.temperature.log() + noise - 2 * noise.exp().log1p()


@expandable
class RelaxedBernoulli(RelaxedDistribution):
    """A Bernoulli distribution relaxed to numbers in (0, 1), which approach 0 and 1 as ``temperature`` falls to 0.

    ``probs`` or ``logits`` give the probability of 1. Jang et al., Categorical reparameterization with Gumbel-Softmax
    (2017).

    >>> import tensh as torch
    >>> d = torch.distributions.RelaxedBernoulli(torch.tensor(0.1), probs=torch.tensor([0.01, 0.99]))
    >>> _ = torch.manual_seed(0)
    >>> d.sample().round()
    tensor([0., 1.])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)
