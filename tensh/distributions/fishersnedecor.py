"""Fisher-Snedecor distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.gamma import Gamma
from tensh.distributions.utils import _write_where, broadcast_all

__all__ = ["FisherSnedecor"]


@expandable
class FisherSnedecor(Distribution):
    """Ratio of two chi-squared variables (F), each divided by its degrees of freedom ``df1`` and ``df2``.

    >>> import tensh as torch
    >>> torch.distributions.FisherSnedecor(2.0, torch.tensor([2.0, 6.0])).mean
    tensor([   nan, 1.5000])
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    def _df2_above(self, least):
        return _write_where(self.df2.clone(memory_format=torch.contiguous_format), self.df2 <= least, math.nan)

    @property
    def mean(self):
        """The mean; nan unless ``df2`` exceeds 2."""
        df2 = self._df2_above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self):
        """The most probable outcome; nan unless ``df1`` exceeds 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return _write_where(mode, self.df1 <= 2, math.nan)

    @property
    def variance(self):
        """The variance; nan unless ``df2`` exceeds 4."""
        df2 = self._df2_above(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        above, below = (gamma.rsample(sample_shape).view(shape) for gamma in (self._gamma1, self._gamma2))
        tiny = torch.finfo(below.dtype).tiny
        return (above / below.clamp_(min=tiny)).clamp_(min=tiny)

    def log_prob(self, value):
        self._check_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normalizer = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        rising = half1 * ratio.log() + (half1 - 1) * torch.log(value)
        return normalizer + rising - (half1 + half2) * torch.log1p(ratio * value)
