"""Dirichlet distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.utils import formula

__all__ = ["Dirichlet"]


def _Dirichlet_backward(x, concentration, grad_output):
    total = concentration.sum(-1, True).expand_as(concentration)
    grad = torch._dirichlet_grad(x, concentration, total)
    return grad * (grad_output - (x * grad_output).sum(-1, True))


class _Dirichlet(torch.autograd.Function):
    """Samples, differentiable in the concentration (Figurnov et al., Implicit reparameterization gradients, 2018)."""

    @staticmethod
    def forward(ctx, concentration):
        x = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        return _Dirichlet_backward(*ctx.saved_tensors, grad_output)


@expandable
class Dirichlet(ExponentialFamily):
    """K probabilities that sum to one [..., K], with density proportional to ``(x ** (concentration - 1)).prod(-1)``.

    >>> import tensh as torch
    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 1.0, 2.0])).mean
    tensor([0.2500, 0.2500, 0.5000])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    mean = formula(lambda d: d.concentration / d.concentration.sum(-1, True))

    @property
    def mode(self):
        """The most probable outcome; a corner of the simplex if no concentration is above 1."""
        excess = (self.concentration - 1).clamp(min=0.0)
        mode = excess / excess.sum(-1, True)
        corners = (self.concentration < 1).all(dim=-1)
        mode[corners] = torch.nn.functional.one_hot(mode[corners].argmax(dim=-1), mode.shape[-1]).to(mode)
        return mode

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_sample(value)
        return (
            torch.xlogy(self.concentration - 1.0, value).sum(-1)
            + torch.lgamma(self.concentration.sum(-1))
            - torch.lgamma(self.concentration).sum(-1)
        )

    def entropy(self):
        count, total = self.concentration.size(-1), self.concentration.sum(-1)
        return (
            torch.lgamma(self.concentration).sum(-1)
            - torch.lgamma(total)
            - (count - total) * torch.digamma(total)
            - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1)
        )

    _natural_params = formula(lambda d: (d.concentration,))

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
