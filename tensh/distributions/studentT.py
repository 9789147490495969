"""Student's t-distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.chi2 import Chi2
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import _standard_normal, broadcast_all, formula

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

    mean = formula(lambda d: torch.where(d.df <= 1, math.nan, d.loc), "The mean; nan up to one degree of freedom.")
    mode = formula(lambda d: d.loc)

    @property
    def variance(self):
        """The variance; infinite for 1 < ``df`` <= 2, nan for ``df`` <= 1."""
        finite = self.df > 2
        df = torch.where(finite, self.df, 3.0)
        without = torch.where(self.df > 1, math.inf, math.nan).to(df)
        return torch.where(finite, self.scale.pow(2) * df / (df - 2), without)

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
        half, above = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(above)
        spread = 0.5 * (self.df + 1) * (torch.digamma(above) - torch.digamma(half))
        return self.scale.log() + spread + 0.5 * self.df.log() + log_beta
