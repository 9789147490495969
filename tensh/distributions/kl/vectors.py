"""Divergences between normal vectors with covariances of full or low rank."""

import functools

import tensh as torch
from tensh.distributions.covariance import _batch_mahalanobis
from tensh.distributions.kl.dispatch import register_kl
from tensh.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal, _batch_lowrank_mahalanobis
from tensh.distributions.multivariate_normal import MultivariateNormal

FULL, LOW = MultivariateNormal, LowRankMultivariateNormal


def _squares(matrix):
    """Return the sum of the squares of all elements, ``trace(matrix @ matrix.mT)``, of a batch of matrices."""
    rows, columns = matrix.shape[-2:]
    return matrix.reshape(-1, rows * columns).pow(2).sum(-1).reshape(matrix.shape[:-2])


class _Full:
    """The terms of a divergence that depend on a covariance ``L @ L.mT``."""

    def __init__(self, distribution):
        self.factor = distribution._unbroadcasted_scale_tril
        self.diagonal = None
        self.log_det = 2 * distribution._half_log_det()

    def distance(self, x):
        return _batch_mahalanobis(self.factor, x)

    def trace(self, factor, diagonal):
        """Return the trace of the inverse covariance times ``factor @ factor.mT``, plus a diagonal if there is one."""
        batch = torch.broadcast_shapes(self.factor.shape[:-2], factor.shape[:-2])
        parts = [factor] if diagonal is None else [factor, torch.diag_embed(diagonal.sqrt())]
        own, *parts = (matrix.expand(batch + matrix.shape[-2:]) for matrix in (self.factor, *parts))
        return functools.reduce(
            torch.add, (_squares(torch.linalg.solve_triangular(own, part, upper=False)) for part in parts)
        )


class _Low:
    """The terms of a divergence for a covariance ``W @ W.mT + diag(D)``, with inverse ``diag(1 / D) - A.mT @ A``."""

    def __init__(self, distribution):
        self.factor, self.diagonal = distribution._parts()
        self.capacitance = distribution._capacitance_tril
        self.log_det = distribution._log_det()

    def distance(self, x):
        return _batch_lowrank_mahalanobis(self.factor, self.diagonal, x, self.capacitance)

    def trace(self, factor, diagonal):
        weighed = self.factor.mT / self.diagonal.unsqueeze(-2)
        A = torch.linalg.solve_triangular(self.capacitance, weighed, upper=False)
        trace = _squares(factor * self.diagonal.rsqrt().unsqueeze(-1))
        if diagonal is not None:
            trace = (diagonal / self.diagonal).sum(-1) + trace - _squares(A * diagonal.sqrt().unsqueeze(-2))
        return trace - _squares(A.matmul(factor))


def _compute_divergence(P, Q, spoken):
    """Return the divergence for covariances of the kinds P and Q."""

    def divergence(p, q):
        if p.event_shape != q.event_shape:
            raise ValueError(
                f"KL-divergence between two {spoken} with                          different event shapes cannot be computed"
            )
        of_p, of_q = P(p), Q(q)
        trace, distance = of_q.trace(of_p.factor, of_p.diagonal), of_q.distance(q.loc - p.loc)
        if P is Q is _Full:
            return q._half_log_det() - p._half_log_det() + 0.5 * (trace + distance - p.event_shape[0])
        return 0.5 * (of_q.log_det - of_p.log_det + trace + distance - p.event_shape[0])

    return divergence


register_kl(FULL, FULL)(_compute_divergence(_Full, _Full, "Multivariate Normals"))
register_kl(FULL, LOW)(_compute_divergence(_Full, _Low, "(Low Rank) Multivariate Normals"))
register_kl(LOW, FULL)(_compute_divergence(_Low, _Full, "(Low Rank) Multivariate Normals"))
register_kl(LOW, LOW)(_compute_divergence(_Low, _Low, "Low Rank Multivariate Normals"))
