"""Relaxed categorical distributions: points of a simplex, differentiable in the probabilities of its corners."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.categorical import Categorical
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.relaxed import RelaxedDistribution
from tensh.distributions.transforms import ExpTransform
from tensh.distributions.utils import broadcast_all, clamp_probs, formula

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


@expandable
class ExpRelaxedCategorical(Distribution):
    """Logarithms of a RelaxedOneHotCategorical: Gumbel noise on ``logits``, over ``temperature``, normalized.

    Maddison et al., The Concrete distribution (2017).

    >>> import tensh as torch
    >>> from tensh.distributions.relaxed_categorical import ExpRelaxedCategorical
    >>> d = ExpRelaxedCategorical(torch.tensor(1.), probs=torch.tensor([0.5, 0.5]))
    >>> d.log_prob(torch.tensor([0.5, 0.5]).log())
    tensor(-1.3863)
    """

    _shared = ("temperature",)
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # actually a surface in it: the sum of exp is 1
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        batch_shape, event_shape = self._categorical.batch_shape, self._categorical.param_shape[-1:]
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    param_shape = formula(lambda d: d._categorical.param_shape, "The shape of ``probs`` and ``logits``.")
    logits = formula(lambda d: d._categorical.logits, "The logarithms of the probabilities.")
    probs = formula(lambda d: d._categorical.probs, "The probabilities.")

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        uniform = clamp_probs(torch.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = -(-uniform.log()).log()
        scores = (self.logits + gumbel) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        self._check_sample(value)
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        normalizer = torch.full_like(self.temperature, float(k)).lgamma() - self.temperature.log().mul(1 - k)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + normalizer


@expandable
class RelaxedOneHotCategorical(RelaxedDistribution):
    """A one-hot distribution relaxed to points of the simplex, nearer to its corners for a lower ``temperature``.

    ``probs`` or ``logits`` give the probabilities. Jang et al., Categorical reparameterization with Gumbel-Softmax
    (2017).

    >>> import tensh as torch
    >>> d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(2.), probs=torch.tensor([0.25, 0.75]))
    >>> d.event_shape, d.log_prob(torch.tensor([0.5, 0.5]))
    (torch.Size([2]), tensor(0.4055))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
