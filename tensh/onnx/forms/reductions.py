"""Forms of sums, means, extrema and other reductions."""

import math

import tensh as torch
from tensh.onnx.forms.table import along, compose, form


def axes_of(o, dim):
    """Return the dimensions of a reduction as an input; None for all."""
    if dim is None or dim == []:
        return None
    return o.ints(dim if isinstance(dim, (list, tuple)) else [dim])


def reduce(op):
    """Make the form of a reduction whose operands have the dtype of the result."""

    def compute(o, node, self, dim=None, keepdim=False, dtype=None):
        self = o.cast(self, node.meta["val"].dtype)
        if not self.rank:
            return getattr(o, op)(self, keepdims=0) if op in ("ReduceL2", "ReduceL1") else o.Identity(self)
        return getattr(o, op)(self, axes_of(o, dim), keepdims=int(keepdim))

    return compute


for name, op in {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "prod": "ReduceProd",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "logsumexp": "ReduceLogSumExp",
}.items():
    form(name)(reduce(op))


@form("max min")
def extreme(o, node, self, other=None, dim=None, keepdim=False):
    largest = node.target._opname == "max"
    if other is not None:
        wanted = node.meta["val"].dtype
        return (o.Max if largest else o.Min)(o.operand(self, wanted), o.operand(other, wanted))
    if dim is None:
        if not self.rank:
            return o.Identity(self)
        return (o.ReduceMax if largest else o.ReduceMin)(self, None, keepdims=0)
    if not self.rank:
        return o.Identity(self), o.number(0, torch.int64)
    values = (o.ReduceMax if largest else o.ReduceMin)(self, [dim], keepdims=int(keepdim))
    return values, (o.ArgMax if largest else o.ArgMin)(self, axis=dim, keepdims=int(keepdim))


@form("aminmax")
def aminmax(o, node, self, dim=None, keepdim=False):
    axes = axes_of(o, dim)
    return o.ReduceMin(self, axes, keepdims=int(keepdim)), o.ReduceMax(self, axes, keepdims=int(keepdim))


@form("argmax argmin")
def arg_extreme(o, node, self, dim=None, keepdim=False):
    op = o.ArgMax if node.target._opname == "argmax" else o.ArgMin
    if self.dtype is torch.bool:
        self = o.cast(self, torch.int32)
    if not self.rank:
        return o.number(0, torch.int64)
    if dim is None:
        found = op(o.Reshape(self, [-1]), axis=0, keepdims=0)
        return o.Reshape(found, [1] * self.rank) if keepdim else found
    return op(self, axis=dim, keepdims=int(keepdim))


@form("any all")
def any_or_all(o, node, self, dim=None, keepdim=False):
    numbers = o.cast(o.cast(self, torch.bool), torch.int32)
    if self.rank:
        op = o.ReduceMax if node.target._opname == "any" else o.ReduceMin
        numbers = op(numbers, axes_of(o, dim), keepdims=int(keepdim))
    return o.cast(numbers, node.meta["val"].dtype)


@form("cumsum")
def cumsum(o, node, self, dim, dtype=None):
    self = o.cast(self, node.meta["val"].dtype)
    return o.CumSum(self, o.number(dim, torch.int64)) if self.rank else o.Identity(self)


@form("argsort sort msort")
def sort(o, node, self, dim=-1, descending=False, stable=False):
    name = node.target._opname
    dim = 0 if name == "msort" else dim
    if not self.rank:
        values, indices = o.Identity(self), o.number(0, torch.int64)
    else:
        values, indices = o.TopK(self, o.ints([self.shape[dim]]), axis=dim, largest=int(descending), outputs=2)
        indices.dtype = torch.int64
    return indices if name == "argsort" else values if name == "msort" else (values, indices)


@form("topk")
def topk(o, node, self, k, dim=-1, largest=True, sorted=True):
    if not self.rank:
        return o.Identity(self), o.number(0, torch.int64)
    values, indices = o.TopK(self, o.ints([k]), axis=dim, largest=int(largest), sorted=int(sorted), outputs=2)
    indices.dtype = torch.int64
    return values, indices


@form("kthvalue")
def kthvalue(o, node, self, k, dim=-1, keepdim=False):
    values, indices = o.TopK(self, o.ints([k]), axis=dim, largest=0, outputs=2)
    indices.dtype = torch.int64
    last = [o.Slice(each, [-1], [2**63 - 1], [dim]) for each in (values, indices)]
    return last if keepdim else [o.Squeeze(each, [dim]) for each in last]


@form("linalg_vector_norm")
def vector_norm(o, node, self, ord=2, dim=None, keepdim=False, dtype=None):
    self, axes, keep = o.cast(self, node.meta["val"].dtype), axes_of(o, dim), int(keepdim)
    if not self.rank:
        return o.Abs(self)
    if ord in (1, 2):
        return (o.ReduceL1 if ord == 1 else o.ReduceL2)(self, axes, keepdims=keep)
    size = o.Abs(self)
    if math.isinf(ord):
        return (o.ReduceMax if ord > 0 else o.ReduceMin)(size, axes, keepdims=keep)
    if ord == 0:
        return o.ReduceSum(o.cast(o.Not(o.Equal(self, o.number(0, self.dtype))), self.dtype), axes, keepdims=keep)
    powers = o.ReduceSum(o.Pow(size, o.number(ord, self.dtype)), axes, keepdims=keep)
    return o.Pow(powers, o.number(1 / ord, self.dtype))


# ── composed of other PyTorch operators ──────────────────────────────────────
def count(shape, dim):
    dims = range(len(shape)) if dim is None or dim == [] else dim if isinstance(dim, (list, tuple)) else [dim]
    return math.prod(shape[each] for each in dims) if len(shape) else 1


def variance(self, dim, correction, keepdim):
    number = count(self.shape, dim)
    dims = None if dim is None or dim == [] else dim
    mean = self.mean() if dims is None else self.mean(dims, keepdim=True)
    squares = (self - mean) ** 2
    total = (
        squares.sum()
        if dims is None and not keepdim
        else squares.sum(tuple(range(self.dim())) if dims is None else dims, keepdim=keepdim)
    )
    return total / max(number - correction, 0) if number > correction else total * math.nan


def settings(dim, unbiased, correction):
    if isinstance(dim, (list, tuple)) and len(dim) == 1 and isinstance(dim[0], bool):  # as in ``x.var(False)``
        dim, unbiased = None, dim[0]
    return dim, (1 if correction is None else correction) if unbiased is None else int(unbiased)


@compose("var")
def var(self, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = settings(dim, unbiased, correction)
    return variance(self, dim, correction, keepdim)


@compose("std")
def std(self, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = settings(dim, unbiased, correction)
    return variance(self, dim, correction, keepdim).sqrt()


def mean_of(self, dim, keepdim):
    if dim is None or dim == []:
        mean = self.mean()
        return mean.reshape([1] * self.dim()) if keepdim else mean
    return self.mean(dim, keepdim=keepdim)


@compose("var_mean")
def var_mean(self, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = settings(dim, unbiased, correction)
    return variance(self, dim, correction, keepdim), mean_of(self, dim, keepdim)


@compose("std_mean")
def std_mean(self, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = settings(dim, unbiased, correction)
    return variance(self, dim, correction, keepdim).sqrt(), mean_of(self, dim, keepdim)


@compose("nansum")
def nansum(self, dim=None, keepdim=False, dtype=None):
    known = torch.where(torch.isnan(self), torch.zeros_like(self), self) if self.is_floating_point() else self
    known = known if dtype is None else known.to(dtype)
    return known.sum() if dim is None or dim == [] else known.sum(dim, keepdim=keepdim)


@compose("nanmean")
def nanmean(self, dim=None, keepdim=False, dtype=None):
    there = torch.logical_not(torch.isnan(self)).to(self.dtype)
    known = torch.where(torch.isnan(self), torch.zeros_like(self), self)
    if dim is None or dim == []:
        return known.sum() / there.sum()
    return known.sum(dim, keepdim=keepdim) / there.sum(dim, keepdim=keepdim)


@compose("count_nonzero")
def count_nonzero(self, dim=None):
    there = (self != 0).to(torch.int64)
    return there.sum() if dim is None or dim == [] else there.sum(dim)


@compose("norm")
def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    p = 2 if p in ("fro", None) else p
    return torch.linalg.vector_norm(self, p, dim if dim != [] else None, keepdim, dtype=dtype)


@compose("linalg_norm linalg_matrix_norm")
def linalg_norm(self, ord=None, dim=None, keepdim=False, dtype=None):
    dims = [dim] if isinstance(dim, int) else dim
    matrix = len(dims) == 2 if dims is not None else self.dim() == 2
    if not matrix or ord in (None, "fro"):
        return torch.linalg.vector_norm(self, 2 if ord in (None, "fro") else ord, dims, keepdim, dtype=dtype)
    if ord not in (1, -1, math.inf, -math.inf):
        return NotImplemented
    dims = [each % self.dim() for each in (dims if dims is not None else (0, 1))]
    inner, outer = dims if abs(ord) == 1 else dims[::-1]
    sums = self.abs().sum(inner, keepdim=True)
    found = sums.amax(outer, keepdim=True) if ord > 0 else sums.amin(outer, keepdim=True)
    return found if keepdim else found.squeeze(dims)


@compose("dist")
def dist(self, other, p=2):
    return torch.linalg.vector_norm(self - other, p)


@compose("logcumsumexp")
def logcumsumexp(self, dim):
    if not self.dim():
        return self + 0
    top = self.amax(dim, keepdim=True)
    return torch.log(torch.cumsum(torch.exp(self - top), dim)) + top


@compose("trace")
def trace(self):
    return torch.diagonal(self).sum()


@compose("diff")
def diff(self, n=1, dim=-1, prepend=None, append=None):
    parts = [each for each in (prepend, self, append) if each is not None]
    self = torch.cat(parts, dim) if len(parts) > 1 else self
    for _ in range(n):
        size = self.shape[dim]
        if size < 2:
            return self.narrow(dim, 0, 0)
        after, before = self.narrow(dim, 1, size - 1), self.narrow(dim, 0, size - 1)
        self = torch.logical_xor(after, before) if self.dtype is torch.bool else after - before
    return self


def trapezoids(y, x, dx, dim):
    """Return the areas below the lines between neighbours of a dimension."""
    size = y.shape[dim]
    heights = y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)
    if x is None:
        return heights * (dx / 2)
    widths = x.diff(dim=-1 if x.dim() == 1 else dim)
    if x.dim() == 1 and y.dim() > 1:
        widths = widths.reshape(along(dim, y.dim()))
    return heights * widths / 2


@compose("trapezoid trapz")
def trapezoid(y, x=None, dx=1, dim=-1):
    return trapezoids(y, x, dx, dim).sum(dim)
