"""Beta distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.dirichlet import Dirichlet
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.utils import broadcast_all, formula

__all__ = ["Beta"]


@expandable
class Beta(ExponentialFamily):
    """Numbers in [0, 1] with density proportional to ``x**(concentration1 - 1) * (1 - x)**(concentration0 - 1)``.

    This is the first component of a Dirichlet distribution with two.

    >>> import tensh as torch
    >>> torch.distributions.Beta(3.0, 1.0).mean
    tensor(0.7500)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    concentration1 = formula(lambda d: d._dirichlet.concentration[..., 0], "The exponent of the outcome, plus 1.")

    @property
    def concentration0(self):
        """The exponent of 1 minus the outcome, plus 1."""
        return self._dirichlet.concentration[..., 1]

    mean = formula(lambda d: d.concentration1 / (d.concentration1 + d.concentration0))
    mode = formula(lambda d: d._dirichlet.mode[..., 0])

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        self._check_sample(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    _natural_params = formula(lambda d: (d.concentration1, d.concentration0))

    def _log_normalizer(self, x, y):
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)
