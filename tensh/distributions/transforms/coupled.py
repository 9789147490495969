"""Transforms of vectors and matrices as a whole: to the simplex, to Cholesky factors, to positive definite matrices."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.transforms.base import Plain, Transform, require_dims
from tensh.distributions.transforms.elementwise import _clipped_sigmoid
from tensh.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix
from tensh.nn.functional import logsigmoid, pad, softplus


class SoftmaxTransform(Plain):
    """Compute ``exp(x)`` divided by its sum along the last dimension. Not bijective; the inverse is ``log``.

    >>> import tensh as torch
    >>> torch.distributions.SoftmaxTransform()(torch.tensor([0., 0., 1.]))
    tensor([0.2119, 0.2119, 0.5761])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        return require_dims(1, shape)

    inverse_shape = forward_shape


class StickBreakingTransform(Plain):
    """Map n numbers to a simplex of n + 1 parts: the sigmoid of each is its share of what the previous ones left.

    The inputs are shifted so that zeros give equal parts. Stan Reference Manual, unit simplex transform.

    >>> import tensh as torch
    >>> torch.distributions.StickBreakingTransform()(torch.zeros(3))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x):
        share = _clipped_sigmoid(x - _log_rest(x))
        rest = (1 - share).cumprod(-1)
        return pad(share, [0, 1], value=1) * pad(rest, [1, 0], value=1)

    def _inverse(self, y):
        y_crop = y[..., :-1]
        rest = (1 - y_crop.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)  # a sum may be rounded to 1 or more
        return y_crop.log() - rest.log() + _log_rest(y_crop)

    def log_abs_det_jacobian(self, x, y):
        x = x - _log_rest(x)
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)  # log(1 - sigmoid(x)) is -x + logsigmoid(x)

    def forward_shape(self, shape):
        return require_dims(1, shape)[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        return require_dims(1, shape)[:-1] + (shape[-1] - 1,)


def _log_rest(x):
    """Return, for each of n numbers, the logarithm of the number of parts after it: n, n - 1, ..., 1."""
    n = x.shape[-1]
    return (n + 1 - x.new_ones(n).cumsum(-1)).log()


class CorrCholeskyTransform(Transform):
    """Map D * (D - 1) / 2 numbers to the Cholesky factor of a D x D correlation matrix, whose rows have norm 1.

    The numbers are the lower triangle, row by row; in each row the squares of their ``tanh`` break a stick of length 1,
    and the diagonal gets the remainder. ``log_abs_det_jacobian`` is that of the lower triangle. Stan Reference Manual,
    Cholesky factors of correlation matrices.

    >>> import tensh as torch
    >>> t = torch.distributions.CorrCholeskyTransform()
    >>> t(torch.tensor([1., 0., -1.])).square().sum(-1)
    tensor([1., 1., 1.])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        r = torch.tanh(x)
        eps = torch.finfo(r.dtype).eps
        r = vec_to_tril_matrix(r.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        rest = (1 - r**2).sqrt().cumprod(-1)
        return (r + torch.eye(r.shape[-1], dtype=r.dtype, device=r.device)) * _shift(rest)

    def _inverse(self, y):
        rest = _shift(1 - torch.cumsum(y * y, dim=-1))
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rest, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2  # atanh

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        rest = 1 - (y * y).cumsum(dim=-1)
        breaking = 0.5 * tril_matrix_to_vec(rest, diag=-2).log().sum(-1)  # diag=-2 shifts by one column
        return breaking - 2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape):
        n = require_dims(1, shape)[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (d, d)

    def inverse_shape(self, shape):
        d = require_dims(2, shape)[-1]
        if shape[-2] != d:
            raise ValueError("Input is not square")
        return shape[:-2] + (d * (d - 1) // 2,)


def _shift(rest):
    """Shift by one column to the right, so that each column has the remainder before it."""
    return pad(rest[..., :-1], [1, 0], value=1)


class LowerCholeskyTransform(Plain):
    """Map square matrices to lower triangular ones, with the exponential of the diagonal. Not bijective.

    >>> import tensh as torch
    >>> torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Plain):
    """Map square matrices to positive definite ones, ``L @ L.mT`` of LowerCholeskyTransform. Not bijective.

    >>> import tensh as torch
    >>> torch.distributions.PositiveDefiniteTransform()(torch.tensor([[0., 9.], [2., 0.]]))
    tensor([[1., 2.],
            [2., 5.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))
