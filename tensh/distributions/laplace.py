"""Laplace distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Laplace"]


@expandable
class Laplace(Distribution):
    """Exponential tails on both sides of ``loc``, with mean distance ``scale``.

    >>> import tensh as torch
    >>> torch.distributions.Laplace(1.0, 0.5).entropy()
    tensor(1.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mean = formula(lambda d: d.loc)
    mode = formula(lambda d: d.loc)
    stddev = formula(lambda d: 2**0.5 * d.scale)
    variance = formula(lambda d: 2 * d.scale.pow(2))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        u = self.loc.new(shape).uniform_(torch.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value):
        self._check_sample(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        self._check_sample(value)
        return 0.5 - 0.5 * (value - self.loc).sign() * torch.expm1(-(value - self.loc).abs() / self.scale)

    def icdf(self, value):
        side = value - 0.5
        return self.loc - self.scale * side.sign() * torch.log1p(-2 * side.abs())

    def entropy(self):
        return 1 + torch.log(2 * self.scale)
