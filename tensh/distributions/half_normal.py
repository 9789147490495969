"""Half-normal distributions."""

import math

from tensh.distributions.distribution import expandable
from tensh.distributions.folded import FoldedDistribution
from tensh.distributions.normal import Normal
from tensh.distributions.utils import formula

__all__ = ["HalfNormal"]


@expandable
class HalfNormal(FoldedDistribution):
    """The absolute value of a normal distribution with mean 0 and standard deviation ``scale``.

    >>> import tensh as torch
    >>> torch.distributions.HalfNormal(torch.tensor([1., 2.])).mean
    tensor([0.7979, 1.5958])
    """

    family = Normal

    mean = formula(lambda d: d.scale * math.sqrt(2 / math.pi))
    variance = formula(lambda d: d.scale.pow(2) * (1 - 2 / math.pi))
