"""Distances and angles between vectors."""

from tensh.nn import functional as F
from tensh.nn.modules.layer import Layer
from tensh.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """Norm p of ``x1 - x2 + eps`` over the last dimension.

    Shapes: inputs [N, D] or [D], output [N] or []; with ``keepdim`` [N, 1] or [1].

    >>> import tensh as torch
    >>> torch.nn.PairwiseDistance()(torch.zeros(1, 2), torch.tensor([[3., 4.]]))
    tensor([5.0000])
    """

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1, x2):
        """Return ``F.pairwise_distance(x1, x2, norm, eps, keepdim)``."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Layer, settings="dim=1, eps=1e-8", computes="cosine_similarity(x1, x2, dim, eps)"):
    """Cosine of the angle between vectors along ``dim``.

    Shapes: inputs [*, D, *], output [*, *]. ``eps`` is the smallest divisor.

    >>> import tensh as torch
    >>> torch.nn.CosineSimilarity(dim=0)(torch.tensor([1., 0.]), torch.tensor([1., 1.]))
    tensor(0.7071)
    """
