"""Divergences between normal vectors with covariances of full or low rank."""

import tensh as torch
from tensh.distributions.covariance import _batch_mahalanobis
from tensh.distributions.kl.dispatch import register_kl
from tensh.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal, _batch_lowrank_mahalanobis
from tensh.distributions.multivariate_normal import MultivariateNormal

FULL, LOW = MultivariateNormal, LowRankMultivariateNormal


def _squares(matrix):
    """Return the sum of the squares of all elements, ``trace(matrix @ matrix.mT)``."""
    return matrix.pow(2).sum((-2, -1))


class _Full:
    """The terms of a divergence that depend on a covariance ``L @ L.mT``."""

    def __init__(self, distribution):
        self.factor = distribution._unbroadcasted_scale_tril
        self.diagonal = None
        self.log_det = 2 * distribution._half_log_det()

    def distance(self, x):
        return _batch_mahalanobis(self.factor, x)

    def trace(self, factor):
        """Return the trace of the inverse covariance times ``factor @ factor.mT``."""
        return _squares(torch.linalg.solve_triangular(self.factor, factor, upper=False))

    def trace_of_diagonal(self, diagonal):
        return self.trace(torch.diag_embed(diagonal.sqrt()))


class _Low:
    """The terms of a divergence for a covariance ``W @ W.mT + diag(D)``, with inverse ``diag(1 / D) - A.mT @ A``."""

    def __init__(self, distribution):
        self.factor, self.diagonal = distribution._parts()
        self.capacitance = distribution._capacitance_tril
        self.log_det = distribution._log_det()

    @property
    def A(self):
        return torch.linalg.solve_triangular(
            self.capacitance, self.factor.mT / self.diagonal.unsqueeze(-2), upper=False
        )

    def distance(self, x):
        return _batch_lowrank_mahalanobis(self.factor, self.diagonal, x, self.capacitance)

    def trace(self, factor):
        return _squares(factor * self.diagonal.rsqrt().unsqueeze(-1)) - _squares(self.A @ factor)

    def trace_of_diagonal(self, diagonal):
        return (diagonal / self.diagonal).sum(-1) - _squares(self.A * diagonal.sqrt().unsqueeze(-2))


def _compute_divergence(P, Q, spoken):
    """Return the divergence for covariances of the kinds P and Q."""

    def divergence(p, q):
        if p.event_shape != q.event_shape:
            raise ValueError(f"KL-divergence between two {spoken} with different event shapes cannot be computed")
        of_p, of_q = P(p), Q(q)
        trace = of_q.trace(of_p.factor)
        if of_p.diagonal is not None:
            trace = trace + of_q.trace_of_diagonal(of_p.diagonal)
        rest = trace + of_q.distance(q.loc - p.loc)
        if P is Q is _Full:
            return q._half_log_det() - p._half_log_det() + 0.5 * (rest - p.event_shape[0])
        return 0.5 * (of_q.log_det - of_p.log_det + rest - p.event_shape[0])

    return divergence


register_kl(FULL, FULL)(_compute_divergence(_Full, _Full, "Multivariate Normals"))
register_kl(FULL, LOW)(_compute_divergence(_Full, _Low, "(Low Rank) Multivariate Normals"))
register_kl(LOW, FULL)(_compute_divergence(_Low, _Full, "(Low Rank) Multivariate Normals"))
register_kl(LOW, LOW)(_compute_divergence(_Low, _Low, "Low Rank Multivariate Normals"))
