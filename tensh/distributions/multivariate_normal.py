"""Multivariate normal distributions."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.covariance import (
    FACTORS,
    Covariance,
    _batch_mahalanobis,
    _batch_mv,
    _precision_to_scale_tril,  # noqa: F401
    find_given,
)
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import _standard_normal, formula

__all__ = ["MultivariateNormal"]


@expandable
class MultivariateNormal(Covariance, Distribution):
    """Normal vectors with mean ``loc`` [..., n] and a covariance given by one of three matrices [..., n, n].

    All computations use ``scale_tril``, the lower triangular factor of the covariance; it is computed from
    ``covariance_matrix`` or its inverse ``precision_matrix`` if one of these is given.

    >>> import tensh as torch
    >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.tensor([[2., 1.], [1., 2.]]))
    >>> d.log_prob(torch.tensor([[0., 0.], [1., 1.]]))
    tensor([-2.3872, -2.7205])
    """

    _shared = ("_unbroadcasted_scale_tril",)
    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril
        }  # fmt: skip
        name, matrix = find_given(ValueError, **matrices)
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand(batch_shape + (-1,))
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = FACTORS[name](matrix)

    mean = formula(lambda d: d.loc)
    mode = formula(lambda d: d.loc)
    variance = formula(lambda d: d._unbroadcasted_scale_tril.pow(2).sum(-1).expand(d._batch_shape + d._event_shape))

    def rsample(self, sample_shape=()):
        noise = _standard_normal(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value):
        self._check_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det()

    def entropy(self):
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
