"""Decompositions of quantiles."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import rule, scalar

ops = torch.ops.aten
ROUNDED = {"lower": "floor", "higher": "ceil", "nearest": "round"}


@rule("quantile.default")
def quantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    return find(self, q, dim, keepdim, interpolation, rank)


@rule("quantile.scalar")
def quantile_scalar(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    return find(self, scalar(q, self.dtype), dim, keepdim, interpolation, rank)


@rule("nanquantile.default")
def nanquantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    return find(self, q, dim, keepdim, interpolation, rank_numbers)


@rule("nanquantile.scalar")
def nanquantile_scalar(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    return find(self, scalar(q, self.dtype), dim, keepdim, interpolation, rank_numbers)


def find(self, q, dim, keepdim, interpolation, rank):
    """Sort along a dimension, and interpolate between the elements before and after each rank."""
    rest = [1] * self.dim() if keepdim else []
    if dim is None or not self.dim():
        sorted = aten("sort", aten("view", self, [self.numel()]))[0]
    else:
        dim %= self.dim()
        rest = [size if place != dim else 1 for place, size in enumerate(self.shape) if keepdim or place != dim]
        moved = self if dim == self.dim() - 1 else aten("transpose", aten("unsqueeze", self, -1), dim, -1)
        sorted = aten("sort", moved)[0]
    sorted = aten("view", sorted, [*rest, sorted.shape[-1]])
    ranks = rank(sorted, q)
    if interpolation in ROUNDED:
        ranks = aten(ROUNDED[interpolation], ranks)
    below = to_index(ranks)
    found = aten("gather", sorted, -1, below)
    if interpolation not in ROUNDED:
        weights = ops.full_like.default(ranks, 0.5) if interpolation == "midpoint" else aten("sub", ranks, below)
        found = aten("lerp", found, aten("gather", sorted, -1, to_index(aten("ceil", ranks))), weights)
    return aten("squeeze", found if not q.dim() else aten("transpose", aten("unsqueeze", found, 0), 0, -1), -1)


def rank(sorted, q):
    """Return the ranks of quantiles; those of rows with nan are the last."""
    last = sorted.shape[-1] - 1
    ranks, has_nan = ops.mul.Scalar(q, last), ops.any.dim(aten("isnan", sorted), -1, True)
    shape = torch.broadcast_shapes(ranks.shape, has_nan.shape)
    ranks, has_nan = (each if each.shape == shape else aten("expand", each, list(shape)) for each in (ranks, has_nan))
    return aten("masked_fill", ranks, has_nan, last)


def rank_numbers(sorted, q):
    """Return the ranks of quantiles of all elements but nan."""
    count = aten("sum", aten("logical_not", aten("isnan", sorted)), [-1], True)
    ranks = aten("mul", q, ops.sub.Scalar(count, 1))
    return aten("masked_fill", ranks, ops.lt.Scalar(ranks, 0), 0)


def to_index(ranks):
    return aten("_to_copy", ranks, dtype=torch.int64, layout=torch.strided, device=torch.device("cpu"))
