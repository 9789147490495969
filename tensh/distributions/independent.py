"""Batch dimensions reinterpreted as event dimensions."""

from types import GenericAlias

from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import _sum_rightmost, formula

__all__ = ["Independent"]


@expandable
class Independent(Distribution):
    """A distribution whose last ``reinterpreted_batch_ndims`` batch dimensions become part of an event.

    Its outcomes are those of the base; ``log_prob`` and ``entropy`` are sums over those dimensions. Raise ValueError if
    the base has fewer batch dimensions.

    >>> import tensh as torch
    >>> d = torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3), 1.), 1)
    >>> d.batch_shape, d.event_shape, d.log_prob(torch.zeros(3))
    (torch.Size([]), torch.Size([3]), tensor(-2.7568))
    """

    arg_constraints = {}
    __class_getitem__ = classmethod(GenericAlias)  # for annotations such as Independent[Normal]

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        count, batch_shape = reinterpreted_batch_ndims, base_distribution.batch_shape
        if count > len(batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch_shape)}"
            )
        cut = len(batch_shape) - count
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = count
        super().__init__(
            batch_shape[:cut], batch_shape[cut:] + base_distribution.event_shape, validate_args=validate_args
        )

    has_rsample = formula(lambda d: d.base_dist.has_rsample)
    has_enumerate_support = formula(lambda d: d.reinterpreted_batch_ndims == 0 and d.base_dist.has_enumerate_support)

    @constraints.dependent_property
    def support(self):
        support, count = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(support, count) if count else support

    mean = formula(lambda d: d.base_dist.mean)
    mode = formula(lambda d: d.base_dist.mode)
    variance = formula(lambda d: d.base_dist.variance)

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
