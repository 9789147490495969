"""Multivariate normal distributions whose covariance is a diagonal plus a matrix of low rank."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.covariance import _batch_mahalanobis, _batch_mv, half_log_det
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import _standard_normal, formula, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _factor_beside_identity(matrices):
    """Return the Cholesky factor of ``I + matrices``, and write the sum into ``matrices``."""
    matrices, n = matrices.contiguous(), matrices.size(-1)
    matrices.view(-1, n * n)[:, :: n + 1] += 1
    return torch.linalg.cholesky(matrices)


def _batch_capacitance_tril(W, D):
    """Return the Cholesky factor of ``I + W.mT @ diag(1 / D) @ W``."""
    return _factor_beside_identity((W.mT / D.unsqueeze(-2)) @ W)


def _batch_lowrank_logdet(W, D, capacitance_tril):
    """Return ``log det(W @ W.mT + diag(D))``, by the matrix determinant lemma."""
    return 2 * half_log_det(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W, D, x, capacitance_tril):
    """Return ``x @ (W @ W.mT + diag(D)).inverse() @ x``, by Woodbury's identity."""
    projected = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


@expandable
class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean ``loc`` [..., n] and covariance ``cov_factor @ cov_factor.mT + diag(cov_diag)``.

    ``cov_factor`` is [..., n, rank], ``cov_diag`` [..., n]. Determinant and inverse are computed from a matrix [rank,
    rank] (Woodbury's identity, matrix determinant lemma); a matrix [n, n] is made only when requested.

    >>> import tensh as torch
    >>> d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.], [1.]]), torch.ones(2))
    >>> d.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    _shared = "_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"
    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            columns = torch.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag, self.cov_factor = columns[0][..., 0], columns[2][..., 0], columns[1]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def _parts(self):
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    def _square(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    mean = formula(lambda d: d.loc)
    mode = formula(lambda d: d.loc)

    @lazy_property
    def variance(self):
        """The diagonal of the covariance."""
        W, D = self._parts()
        return (W.pow(2).sum(-1) + D).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower triangular factor of the covariance."""
        W, D = self._parts()
        scale = D.sqrt().unsqueeze(-1)
        W = W / scale
        return self._square(scale * _factor_beside_identity(W @ W.mT))

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        W, D = self._parts()
        return self._square(W @ W.mT + torch.diag_embed(D))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        W, D = self._parts()
        A = torch.linalg.solve_triangular(self._capacitance_tril, W.mT / D.unsqueeze(-2), upper=False)
        return self._square(torch.diag_embed(D.reciprocal()) - A.mT @ A)

    def rsample(self, sample_shape=()):
        W, D = self._parts()
        shape, like = self._extended_shape(sample_shape), {"dtype": self.loc.dtype, "device": self.loc.device}
        common = _standard_normal(shape[:-1] + W.shape[-1:], **like)
        return self.loc + _batch_mv(W, common) + D.sqrt() * _standard_normal(shape, **like)

    def _log_det(self):
        return _batch_lowrank_logdet(*self._parts(), self._capacitance_tril)

    def log_prob(self, value):
        self._check_sample(value)
        distance = _batch_lowrank_mahalanobis(*self._parts(), value - self.loc, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self):
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
