"""Elementwise transforms without settings."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.transforms.base import Plain
from tensh.nn.functional import softplus


def _clipped_sigmoid(x):
    """Return the sigmoid, clamped to the numbers of the dtype strictly between 0 and 1."""
    info = torch.finfo(x.dtype)
    return torch.sigmoid(x).clamp(min=info.tiny, max=1.0 - info.eps)


class ExpTransform(Plain):
    """``y = exp(x)``.

    >>> import tensh as torch
    >>> torch.distributions.ExpTransform()(torch.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class SigmoidTransform(Plain):
    """``y = 1 / (1 + exp(-x))``, never exactly 0 or 1.

    >>> import tensh as torch
    >>> torch.distributions.SigmoidTransform()(torch.tensor([-2., 0., 200.]))
    tensor([0.1192, 0.5000, 1.0000])
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        info = torch.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1.0 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Plain):
    """``y = log(1 + exp(x))``.

    >>> import tensh as torch
    >>> torch.distributions.SoftplusTransform()(torch.tensor([-2., 0., 30.]))
    tensor([ 0.1269,  0.6931, 30.0000])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x)


class TanhTransform(Plain):
    """``y = tanh(x)``. ``cache_size=1`` recovers the inputs of outputs that are rounded to 1 or -1.

    >>> import tensh as torch
    >>> torch.distributions.TanhTransform()(torch.tensor([-1., 0., 1.]))
    tensor([-0.7616,  0.0000,  0.7616])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        # log(1 - tanh(x)**2) without cancellation: 1 - tanh(x)**2 = 4 * exp(-2x) / (1 + exp(-2x))**2
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Plain):
    """``y = abs(x)``; the inverse is the identity.

    >>> import tensh as torch
    >>> torch.distributions.AbsTransform()(torch.tensor([-1., 2.]))
    tensor([1., 2.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y
