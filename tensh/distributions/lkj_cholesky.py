"""Lewandowski, Kurowicka and Joe's distribution of correlation matrices, by their Cholesky factors."""

import math

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.beta import Beta
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import broadcast_all

__all__ = ["LKJCholesky"]


@expandable
class LKJCholesky(Distribution):
    """Factors L of ``dim`` x ``dim`` correlation matrices, with density ``det(L @ L.mT) ** (concentration - 1)``.

    With ``concentration=1`` all correlation matrices are equally likely; a larger value favours those near the
    identity. Samples are built row by row (the onion method). Lewandowski, Kurowicka, Joe, Generating random
    correlation matrices based on vines and extended onion method (2009), section 3.

    >>> import tensh as torch
    >>> d = torch.distributions.LKJCholesky(3, 0.5)
    >>> L = d.sample()
    >>> torch.allclose((L @ L.mT).diagonal(), torch.ones(3))
    True
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        before = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        before = torch.cat([before.new_zeros(1), before])  # for each row, the number of rows above it, less one
        marginal = self.concentration + 0.5 * (dim - 2)
        # squared norms of the parts left of the diagonal
        self._beta = Beta(before + 0.5, marginal.unsqueeze(-1) - 0.5 * before)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def sample(self, sample_shape=()):
        lengths = self._beta.sample(sample_shape).unsqueeze(-1).sqrt()
        normal = torch.randn(self._extended_shape(sample_shape), dtype=lengths.dtype, device=lengths.device).tril(-1)
        directions = normal / normal.norm(dim=-1, keepdim=True)
        directions[..., 0, :] = 0.0
        rows = lengths * directions
        rest = (1 - rows.square().sum(-1)).clamp(min=torch.finfo(rows.dtype).tiny)
        return rows + torch.diag_embed(rest.sqrt())

    def log_prob(self, value):
        self._check_sample(value)
        n = self.dim
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        below = torch.arange(2, n + 1, device=self.concentration.device)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + n - below
        alpha = self.concentration + 0.5 * (n - 1)
        volume = 0.5 * (n - 1) * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, n - 1) - torch.lgamma(alpha) * (n - 1)
        return (powers * diagonal.log()).sum(-1) - volume
