"""Gumbel distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import AffineTransform, ExpTransform
from tensh.distributions.uniform import Uniform
from tensh.distributions.utils import broadcast_all, euler_constant, formula

__all__ = ["Gumbel"]


@expandable
class Gumbel(TransformedDistribution):
    """``loc - scale * log(-log(u))`` for ``u`` uniform on (0, 1): the limit distribution of a maximum.

    Samples are differentiable.

    >>> import tensh as torch
    >>> torch.distributions.Gumbel(1., torch.tensor([1., 2.])).mean
    tensor([1.5772, 2.1544])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        # where both logarithms are finite
        inner = torch.full_like(self.loc, info.tiny), torch.full_like(self.loc, 1 - info.eps)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(Uniform(*inner, validate_args=validate_args), transforms, validate_args=validate_args)

    def log_prob(self, value):
        self._check_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    mean = formula(lambda d: d.loc + d.scale * euler_constant)
    mode = formula(lambda d: d.loc)
    stddev = formula(lambda d: (math.pi / math.sqrt(6)) * d.scale)
    variance = formula(lambda d: d.stddev.pow(2))

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
