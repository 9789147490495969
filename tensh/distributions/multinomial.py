"""Multinomial distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.binomial import Binomial
from tensh.distributions.categorical import Categorical
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.odds import OfCategories
from tensh.distributions.utils import _write_where, broadcast_all, formula

__all__ = ["Multinomial"]


@expandable
class Multinomial(OfCategories, Distribution):
    """The counts of K categories in ``total_count`` draws; ``probs`` or ``logits`` are those of Categorical.

    >>> import tensh as torch
    >>> d = torch.distributions.Multinomial(4, torch.tensor([1.0, 3.0]))
    >>> d.mean, d.log_prob(torch.tensor([0.0, 4.0])).exp()
    (tensor([1., 3.]), tensor(0.3164))
    """

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        Binomial(total_count, probs=self.probs)  # the count of one category; refuses a negative number of draws
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    mean = formula(lambda d: d.probs * d.total_count)
    variance = formula(lambda d: d.total_count * d.probs * (1 - d.probs))

    def sample(self, sample_shape=()):
        sample_shape = torch.Size(sample_shape)
        draws = self._categorical.sample(torch.Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = draws.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, draws, torch.ones_like(draws)).type_as(self.probs)

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        orders = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        impossible = (value == 0) & (logits == -math.inf)  # 0 * -inf would be nan
        logits = _write_where(logits.clone(memory_format=torch.contiguous_format), impossible, 0)
        return orders + (logits * value).sum(-1)

    def entropy(self):
        n, counts = torch.tensor(self.total_count), Binomial(self.total_count, probs=self.probs)
        support = counts.enumerate_support(expand=False)[1:]
        orders = (torch.exp(counts.log_prob(support)) * torch.lgamma(support + 1)).sum([0, -1])
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + orders
