"""Exponential families."""

import tensh as torch
from tensh.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions with density ``exp(t(x) @ theta - F(theta) + k(x))``, with natural parameters theta.

    A family that defines ``_natural_params`` (a tuple of tensors), ``_log_normalizer`` (F, of the same tensors) and
    ``_mean_carrier_measure`` (the expected k) gets its entropy by differentiation of F (Nielsen and Nock, Entropies and
    cross-entropies of exponential families, 2010).

    >>> import tensh as torch
    >>> isinstance(torch.distributions.Poisson(3.0), torch.distributions.ExponentialFamily)
    True
    """

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """Return the entropy, by the gradient of the log normalizer; shape ``batch_shape``."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*params)
        gradients = torch.autograd.grad(normalizer.sum(), params, create_graph=True)
        result = result + normalizer
        for p, g in zip(params, gradients, strict=True):
            result = result - (p * g).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
