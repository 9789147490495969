"""Half-Cauchy distributions."""

import math

import tensh as torch
from tensh.distributions.cauchy import Cauchy
from tensh.distributions.distribution import expandable
from tensh.distributions.folded import FoldedDistribution
from tensh.distributions.utils import formula

__all__ = ["HalfCauchy"]


@expandable
class HalfCauchy(FoldedDistribution):
    """The absolute value of a Cauchy distribution with median 0 and width ``scale``.

    >>> import tensh as torch
    >>> torch.distributions.HalfCauchy(torch.tensor([1., 2.])).cdf(torch.tensor(1.))
    tensor([0.5000, 0.2952])
    """

    family = Cauchy

    mean = formula(lambda d: torch.full(d._extended_shape(), math.inf, dtype=d.scale.dtype, device=d.scale.device))
    variance = formula(lambda d: d.base_dist.variance)

    def log_prob(self, value):
        self._check_sample(value)
        return super().log_prob(torch.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device))
