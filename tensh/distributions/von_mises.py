"""Von Mises distributions."""

import functools
import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution
from tensh.distributions.facts import add_facts
from tensh.distributions.utils import broadcast_all, formula, lazy_property

__all__ = ["VonMises"]

# Polynomials for the modified Bessel functions I0 and I1, below and above 3.75, constant term first: Abramowitz and
# Stegun, Handbook of mathematical functions (1964), 9.8.1 to 9.8.4.
BELOW = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
ABOVE = (
    (
        0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
        0.392377e-2,
    ),
    (
        0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
        -0.420059e-2,
    ),
)  # fmt: skip


def polynomial(y, coefficients):
    return functools.reduce(lambda result, c: c + y * result, reversed(coefficients))


def log_bessel(x, order):
    """Return the logarithm of the modified Bessel function I of ``order`` 0 or 1, for positive x."""
    y = x / 3.75
    below = polynomial(y * y, BELOW[order])
    below = (x.abs() * below if order == 1 else below).log()
    above = x - 0.5 * x.log() + polynomial(3.75 / x, ABOVE[order]).log()
    return torch.where(x < 3.75, below, above)


@add_facts
class VonMises(Distribution):
    """Angles in radians around ``loc``, closer for a larger ``concentration``: a normal distribution of the circle.

    ``loc`` and values may be any angles; samples are between -pi and pi. Mean and variance are those of the circle.

    >>> import tensh as torch
    >>> d = torch.distributions.VonMises(torch.tensor(1.0), torch.tensor(4.0))
    >>> d.log_prob(torch.tensor([1.0, 1.0 + 2 * torch.pi]))
    tensor([-0.2628, -0.2628])
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Expand the distributions to a larger batch."""
        params = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(*params, validate_args=vars(self).get("_validate_args"))

    mean = formula(lambda d: d.loc)
    mode = formula(lambda d: d.loc)

    @lazy_property
    def variance(self):
        """1 minus the norm of the mean of the outcomes as points on the unit circle."""
        return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)).exp()

    def log_prob(self, value):
        self._check_sample(value)
        return (
            self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel(self.concentration, 0)
        )

    @lazy_property
    def _proposal_r(self):
        """The parameter of the wrapped Cauchy distribution that proposes angles."""
        kappa = self.concentration.double()
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    @torch.no_grad()
    def sample(self, sample_shape=()):
        """Draw samples by rejection: Best and Fisher, Efficient simulation of the von Mises distribution (1979).

        Computed in double precision, because single precision accepts hardly anything for concentrations up to 1e-4.
        """
        loc, kappa, r = self.loc.double(), self.concentration.double(), self._proposal_r
        angle = torch.empty(self._extended_shape(sample_shape), dtype=torch.double, device=loc.device)
        done = torch.zeros_like(angle, dtype=torch.bool)
        while not done.all():
            proposed, threshold, side = torch.rand((3,) + angle.shape, dtype=loc.dtype, device=loc.device).unbind()
            z = torch.cos(math.pi * proposed)
            f = (1 + r * z) / (r + z)
            c = kappa * (r - f)
            accepted = ((c * (2 - c) - threshold) > 0) | ((c / threshold).log() + 1 - c >= 0)
            angle = torch.where(accepted, (side - 0.5).sign() * f.acos(), angle)
            done |= accepted
        return ((angle + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
