"""Kumaraswamy distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.transforms import AffineTransform, PowerTransform
from tensh.distributions.uniform import Uniform
from tensh.distributions.utils import _write_where, broadcast_all, euler_constant, formula

__all__ = ["Kumaraswamy"]


@expandable
class Kumaraswamy(TransformedDistribution):
    """Density ``a * b * x**(a - 1) * (1 - x**a)**(b - 1)`` on [0, 1], a ``concentration1`` and b ``concentration0``.

    Kumaraswamy, A generalized probability density function for double-bounded random processes (1980).

    >>> import tensh as torch
    >>> torch.distributions.Kumaraswamy(torch.tensor([1., 2.]), 2.).mean
    tensor([0.3333, 0.5333])
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        unit = torch.zeros_like(self.concentration0), torch.ones_like(self.concentration0)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(*unit, validate_args=validate_args), transforms, validate_args=validate_args)

    def _moment(self, n):
        """Return the mean of ``x ** n``: b times the beta function of ``1 + n / a`` and b."""
        a, b = 1 + n / self.concentration1, self.concentration0
        return b * torch.exp(a.lgamma() + b.lgamma() - (a + b).lgamma())

    mean = formula(lambda d: d._moment(1))

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return _write_where(log_mode, (b < 1) | (a < 1), math.nan).exp()

    variance = formula(lambda d: d._moment(2) - d.mean.pow(2))

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
