"""Decompositions of functions that read and write by indices."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import PLACE, STRIDED, rule

ops = torch.ops.aten


def places(index, dim):
    """Return the indices of ``index_put`` for one dimension."""
    return [*[None] * dim, index]


@rule("index_add")
def index_add(self, dim, index, source, *, alpha=1):
    source = source if alpha == 1 else ops.mul.Tensor(source, alpha)
    return aten("index_put", self, places(index, dim % self.dim()), source, True)


@rule("index_copy")
def index_copy(self, dim, index, source):
    return aten("index_put", self, places(index, dim % self.dim()), source)


@rule("index_fill.int_Scalar")
def index_fill(self, dim, index, value):
    dim %= self.dim()
    sizes = [index.shape[0] if place == dim else size for place, size in enumerate(self.shape)]
    number = ops.scalar_tensor.default(value, dtype=self.dtype, **STRIDED, **PLACE, pin_memory=False)
    return aten("index_put", self, places(index, dim), aten("expand", number, sizes))


@rule("take_along_dim")
def take_along_dim(self, indices, dim=None):
    if dim is None:
        return NotImplemented
    dim %= self.dim()
    pairs = list(zip(indices.shape, self.shape))
    wide = [n if place == dim else max(n, m) for place, (n, m) in enumerate(pairs)]
    whole = [m if place == dim else max(n, m) for place, (n, m) in enumerate(pairs)]
    index, values = aten("expand", indices, wide), aten("expand", self, whole)
    return aten("gather", values, dim, ops.remainder.Scalar(index, self.shape[dim]))


@rule("item")
def item(self):
    return aten("_local_scalar_dense", self)
