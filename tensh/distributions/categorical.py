"""Categorical distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.odds import Odds, find_given
from tensh.distributions.utils import formula

__all__ = ["Categorical"]


@expandable
class Categorical(Odds, Distribution):
    """One of the integers 0 to K - 1, with probabilities along the last dimension: ``probs`` or ``logits`` [..., K].

    ``probs`` are divided by their sum, ``logits`` may be shifted by a constant; both attributes are normalized.

    >>> import tensh as torch
    >>> d = torch.distributions.Categorical(torch.tensor([1.0, 1.0, 2.0]))
    >>> d.probs, d.log_prob(torch.tensor(2)).exp()
    (tensor([0.2500, 0.2500, 0.5000]), tensor(0.5000))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary = False

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, value = find_given(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self._param = self.probs = value / value.sum(-1, keepdim=True)
        else:
            self._param = self.logits = value - value.logsumexp(dim=-1, keepdim=True)
        self._num_events = value.size(-1)
        super().__init__(value.size()[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self):
        """nan, because categories have no mean."""
        return torch.full(self._batch_shape, math.nan, dtype=self.probs.dtype, device=self.probs.device)

    mode = formula(lambda d: d.probs.argmax(dim=-1))
    variance = formula(lambda d: d.mean, "nan: category numbers have no variance.")

    def sample(self, sample_shape=()):
        sample_shape = torch.Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        return torch.multinomial(rows, sample_shape.numel(), True).T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        value, log_probs = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_probs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        return self._enumerate(self._num_events, torch.long, expand)
