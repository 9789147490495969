"""Student's t-distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.chi2 import Chi2
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import _standard_normal, _write_where, broadcast_all, formula

__all__ = ["StudentT"]


@expandable
class StudentT(Distribution):
    """``loc + scale * t``, where t is a standard normal variable over the root of a chi-squared one over ``df``.

    >>> import tensh as torch
    >>> torch.distributions.StudentT(torch.tensor([1.0, 2.0, 4.0])).variance
    tensor([nan, inf, 2.])
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self):
        """The mean; nan up to one degree of freedom."""
        return _write_where(self.loc.clone(memory_format=torch.contiguous_format), self.df <= 1, math.nan)

    mode = formula(lambda d: d.loc)

    @property
    def variance(self):
        """The variance; infinite for 1 < ``df`` <= 2, nan for ``df`` <= 1."""
        variance, finite = self.df.clone(memory_format=torch.contiguous_format), self.df > 2
        variance[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        _write_where(variance, (self.df <= 2) & (self.df > 1), math.inf)
        return _write_where(variance, self.df <= 1, math.nan)

    def rsample(self, sample_shape=()):
        normal = _standard_normal(self._extended_shape(sample_shape), self.df.dtype, self.df.device)
        chi2 = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (normal * torch.rsqrt(chi2 / self.df))

    def log_prob(self, value):
        self._check_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + torch.lgamma(0.5 * self.df)
            - torch.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - normalizer

    def entropy(self):
        log_beta = torch.lgamma(0.5 * self.df) + math.lgamma(0.5) - torch.lgamma(0.5 * (self.df + 1))
        rise = torch.digamma(0.5 * (self.df + 1)) - torch.digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * rise + 0.5 * self.df.log() + log_beta
