"""Covariance matrices by their triangular factor, and quadratic forms computed with it."""

import tensh as torch
from tensh.distributions.utils import lazy_property


def _precision_to_scale_tril(P):
    """Return the lower triangular L with ``L @ L.mT == P.inverse()``.

    The inverse of L is the Cholesky factor of P with rows and columns reversed, itself reversed and transposed.
    """
    L_inv = torch.linalg.cholesky(P.flip(-2, -1)).flip(-2, -1).mT
    return torch.linalg.solve_triangular(L_inv, torch.eye(P.shape[-1], dtype=P.dtype, device=P.device), upper=False)


# the parameters of a covariance, with the functions that compute its lower triangular factor
FACTORS = {
    "covariance_matrix": lambda matrix: torch.linalg.cholesky(matrix),
    "precision_matrix": _precision_to_scale_tril,
    "scale_tril": lambda matrix: matrix,
}
ONE_OF = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."


def find_given(error, **matrices):
    """Return (name, matrix) of the parameter that is given; raise ``error`` unless there is exactly one."""
    named = [pair for pair in matrices.items() if pair[1] is not None]
    if len(named) != 1:
        raise error(ONE_OF)
    return named[0]


class Covariance:
    """The part of a distribution with a covariance: three matrices, computed from the factor when requested.

    The factor ``_unbroadcasted_scale_tril`` keeps its original batch dimensions, so that nothing is computed twice.
    """

    def _expand_batch(self, matrix):
        return matrix.expand(self._batch_shape + matrix.shape[-2:])

    @lazy_property
    def scale_tril(self):
        """The lower triangular factor of the covariance."""
        return self._expand_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        return self._expand_batch(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        return self._expand_batch(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _half_log_det(self):
        return half_log_det(self._unbroadcasted_scale_tril)


def half_log_det(L):
    """Return half the logarithm of the determinant of ``L @ L.mT``."""
    return L.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _batch_mv(matrices, vectors):
    """Multiply matrices by vectors; batch dimensions broadcast."""
    return torch.matmul(matrices, vectors.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(L, x):
    """Return ``x @ (L @ L.mT).inverse() @ x`` of vectors [..., n]; the batch dimensions of L broadcast to those of x.

    All vectors that belong to one matrix are the columns of a single triangular system. For that, each dimension of x
    that L shares is split into (repetitions of a matrix, matrices of L), and the repetitions are moved before the matrices.
    """
    batch, n, shared = x.shape[:-1], x.shape[-1], L.dim() - 2
    first = len(batch) - shared
    last = first + 2 * shared
    pairs = [each for own, size in zip(L.shape[:-2], batch[first:]) for each in (size // own, own)]
    moved = [*range(first), *range(first, last, 2), *range(first + 1, last, 2), last]
    x = x.reshape([*batch[:first], *pairs, n]).permute(moved)
    systems = L.reshape(-1, n, n)
    columns = x.reshape(-1, systems.shape[0], n).permute(1, 2, 0)
    squares = torch.linalg.solve_triangular(systems, columns, upper=False).pow(2).sum(-2).t()
    back = [*range(first), *(at for i in range(first, first + shared) for at in (i, i + shared))]
    return squares.reshape(x.shape[:-1]).permute(back).reshape(batch)
