"""Categorical distributions of one-hot vectors."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.categorical import Categorical
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.odds import OfCategories
from tensh.distributions.utils import formula

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


@expandable
class OneHotCategorical(OfCategories, Distribution):
    """Vectors [..., K] with one element 1 and the others 0; ``probs`` or ``logits`` are those of Categorical.

    >>> import tensh as torch
    >>> d = torch.distributions.OneHotCategorical(torch.tensor([0.25, 0.75]))
    >>> d.mode, d.log_prob(torch.tensor([1.0, 0.0])).exp()
    (tensor([0., 1.]), tensor(0.2500))
    """

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    mean = formula(lambda d: d.probs)
    mode = formula(lambda d: d._one_hot(d.probs.argmax(dim=-1)))
    variance = formula(lambda d: d.probs * (1 - d.probs))

    def _one_hot(self, indices):
        return torch.nn.functional.one_hot(indices, self.event_shape[0]).to(self.probs)

    def sample(self, sample_shape=()):
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples pass gradients on to ``probs`` as if they were ``probs``.

    Bengio, Léonard and Courville, Estimating or propagating gradients through stochastic neurons for conditional
    computation (2013).

    >>> import tensh as torch
    >>> probs = torch.tensor([1.0, 0.0], requires_grad=True)
    >>> torch.distributions.OneHotCategoricalStraightThrough(probs).rsample()
    tensor([1., 0.], grad_fn=<AddBackward0>)
    """

    has_rsample = True

    def rsample(self, sample_shape=()):
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())
