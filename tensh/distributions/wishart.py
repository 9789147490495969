"""Wishart distributions."""

import math
import warnings

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.chi2 import Chi2
from tensh.distributions.covariance import FACTORS, Covariance, find_given
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.utils import _write_where, formula, lazy_property

__all__ = ["Wishart"]

TRIES = 10  # attempts to draw a regular sample


def _mvdigamma(x, p):
    """Return the derivative of ``mvlgamma``."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return torch.digamma(x.unsqueeze(-1) - torch.arange(p, dtype=x.dtype, device=x.device) / 2).sum(-1)


@expandable
class Wishart(Covariance, ExponentialFamily):
    """Sums of ``x @ x.mT`` over ``df`` normal vectors x with mean 0 and a covariance.

    The covariance is given by one of three matrices [..., n, n], as for MultivariateNormal. ``df`` may be any number
    above n - 1. Samples are made by Bartlett's decomposition: a triangular matrix with normal numbers below a diagonal
    of roots of chi-squared numbers. Anderson, An introduction to multivariate statistical analysis (2003). Raise
    ValueError if ``df`` or the matrix is not allowed.

    >>> import tensh as torch
    >>> d = torch.distributions.Wishart(torch.tensor(3.), covariance_matrix=torch.eye(2))
    >>> d.mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    _shared = ("_unbroadcasted_scale_tril",)
    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        matrices = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril
        }  # fmt: skip
        name, matrix = find_given(AssertionError, **matrices)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        count = torch.as_tensor(df, dtype=matrix.dtype) if isinstance(df, int | float) else df
        batch_shape, n = torch.broadcast_shapes(matrix.shape[:-2], count.shape), matrix.shape[-1]
        self.df = count.expand(batch_shape)
        if self.df.le(n - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        if self.df.lt(n).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = FACTORS[name](matrix)
        self._find_chi2()

    def _find_chi2(self):
        like = self._unbroadcasted_scale_tril
        counts = torch.arange(self._event_shape[-1], dtype=like.dtype, device=like.device)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - counts)

    def _follow_expansion(self):
        self._unbroadcasted_scale_tril = self._expand_batch(self._unbroadcasted_scale_tril)
        self._find_chi2()

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        factor = self._unbroadcasted_scale_tril
        identity = torch.eye(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        return self._expand_batch(torch.cholesky_solve(identity, factor))

    def _times(self, factor, matrix):
        return factor.view(self._batch_shape + (1, 1)) * matrix

    mean = formula(lambda d: d._times(d.df, d.covariance_matrix))

    @property
    def mode(self):
        factor = self.df - self._event_shape[-1] - 1
        return self._times(_write_where(factor, factor <= 0, math.nan), self.covariance_matrix)

    @property
    def variance(self):
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._times(self.df, covariance.pow(2) + torch.einsum("...i,...j->...ij", diagonal, diagonal))

    def _draw(self, sample_shape):
        n = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=torch.finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(n, n, offset=-1)
        noise[..., i, j] = torch.randn(
            sample_shape + self._batch_shape + (n * (n - 1) // 2,), dtype=noise.dtype, device=noise.device
        )
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def _any_of_batch(self, flags):
        return flags.any([-1 - i for i in range(len(self._batch_shape))]) if self._batch_shape else flags

    def rsample(self, sample_shape=(), max_try_correction=None):
        """Draw differentiable samples; singular ones are drawn again, up to ``max_try_correction`` (10) times."""
        shape = torch.Size(sample_shape)
        sample = self._draw(shape)
        again = torch.ones(shape, dtype=torch.bool)  # PyTorch draws all samples again at first, also regular ones
        for attempt in range(TRIES if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            if attempt == 1:
                warnings.warn("Singular sample detected.", stacklevel=2)
            new = self._draw(again[again].shape)
            sample[again] = new
            again[again.clone()] = self._any_of_batch(~self.support.check(new))
        return sample

    def log_prob(self, value):
        self._check_sample(value)
        n = self._event_shape[-1]
        density = -self.df * (n * math.log(2) / 2 + self._half_log_det()) - torch.mvlgamma(self.df / 2, p=n)
        density = density + (self.df - n - 1) / 2 * torch.linalg.slogdet(value).logabsdet
        relative = torch.cholesky_solve(value, self._unbroadcasted_scale_tril)
        return density - relative.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2

    def entropy(self):
        n = self._event_shape[-1]
        scale = (n + 1) * (n * math.log(2) / 2 + self._half_log_det())
        spread = (self.df - n - 1) / 2 * _mvdigamma(self.df / 2, p=n)
        return scale + torch.mvlgamma(self.df / 2, p=n) - spread + self.df * n / 2

    _natural_params = formula(lambda d: (-d.precision_matrix / 2, (d.df - d._event_shape[-1] - 1) / 2))

    def _log_normalizer(self, x, y):
        n = self._event_shape[-1]
        log_det = -torch.linalg.slogdet(-2 * x).logabsdet + n * math.log(2)
        return (y + (n + 1) / 2) * log_det + torch.mvlgamma(y + (n + 1) / 2, p=n)
