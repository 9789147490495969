"""Decompositions of reductions."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import convert, rule, scalar

ops = torch.ops.aten


@rule("sum.default")
def sum_(self, *, dtype=None):
    return ops.sum.dim_IntList(self, [], **({} if dtype is None else {"dtype": dtype}))


@rule("all.default")
def all_(self):
    return aten("logical_not", ops.any.dims(aten("logical_not", self)))


@rule("all.dim")
def all_dim(self, dim, keepdim=False):
    found = ops.any.dim(aten("logical_not", self), dim, *((True,) if keepdim else ()))
    return aten("logical_not", found)


def correct_variance(unbiased):
    """Return the options of ``var.correction`` over all elements."""
    return {} if unbiased else {"correction": 0}


@rule("var.default")
def var(self, unbiased=True):
    return ops.var.correction(self, **correct_variance(unbiased))


@rule("var.dim")
def var_dim(self, dim, unbiased=True, keepdim=False):
    return ops.var.correction(self, dim, correction=int(unbiased), **({"keepdim": True} if keepdim else {}))


@rule("std.default")
def std(self, unbiased=True):
    return std_correction(self, correction=1.0 if unbiased else 0.0)


@rule("std.dim")
def std_dim(self, dim, unbiased=True, keepdim=False):
    return std_correction(self, dim, correction=1.0 if unbiased else 0.0, keepdim=keepdim)


@rule("std.correction")
def std_correction(self, dim=None, *, correction=None, keepdim=False):
    named = {"correction": 1.0 if correction is None else float(correction)} | ({"keepdim": True} if keepdim else {})
    return aten("sqrt", ops.var.correction(self, *(() if dim is None else (dim,)), **named))


@rule("var_mean.default")
def var_mean(self, unbiased=True):
    return ops.var_mean.correction(self, **correct_variance(unbiased))


@rule("var_mean.dim")
def var_mean_dim(self, dim, unbiased=True, keepdim=False):
    return ops.var_mean.correction(self, dim, correction=int(unbiased), **({"keepdim": True} if keepdim else {}))


@rule("std_mean.default", "std_mean.dim")
def std_mean(self, dim=None, unbiased=True, keepdim=False):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return std_mean_correction(self, dim, correction=1.0 if unbiased else 0.0, keepdim=keepdim)


@rule("std_mean.correction")
def std_mean_correction(self, dim=None, *, correction=None, keepdim=False):
    named = {"correction": 1.0 if correction is None else float(correction)} | ({"keepdim": True} if keepdim else {})
    variance, mean = ops.var_mean.correction(self, *(() if dim is None else (dim,)), **named)
    return aten("sqrt", variance), mean


@rule("aminmax")
def aminmax(self, *, dim=None, keepdim=False):
    given = () if dim is None else ([dim], *((True,) if keepdim else ()))
    return aten("amin", self, *given), aten("amax", self, *given)


@rule("logsumexp")
def logsumexp(self, dim, keepdim=False):
    dims = [dim] if isinstance(dim, int) else list(dim)
    largest = aten("amax", self, dims, True)
    endless = ops.eq.Scalar(aten("abs", largest), math.inf)
    shift = aten("where", endless, scalar(0.0, self.dtype), largest)
    back = shift if keepdim else aten("squeeze", shift, dims)
    total = aten("exp", aten("sub", self, shift))
    total = ops.sum.dim_IntList(total, dims, True) if keepdim else ops.sum.dim_IntList(total, dims)
    return aten("add", aten("log", total), back)


@rule("softmax.int")
def softmax(self, dim, dtype=None):
    return aten("_softmax", self if dtype is None else convert(self, dtype), dim, False)


@rule("log_softmax.int")
def log_softmax(self, dim, dtype=None):
    return aten("_log_softmax", self if dtype is None else convert(self, dtype), dim, False)


@rule("argsort.default")
def argsort(self, dim=-1, descending=False):
    given = (dim, True) if descending else (dim,) if dim != -1 else ()
    return aten("sort", self, *given)[1]


@rule("norm.Scalar", "norm.ScalarOpt_dim")
def norm(self, p=2, dim=None, keepdim=False):
    given = () if dim is None else ([dim] if isinstance(dim, int) else list(dim), *((True,) if keepdim else ()))
    return aten("linalg_vector_norm", self, 2 if p is None else p, *given)


@rule("linalg_norm.default")
def linalg_norm(self, ord=None, dim=None, keepdim=False, *, dtype=None):
    if ord is not None and dim is None or isinstance(dim, (list, tuple)) and len(dim) == 2 and ord is not None:
        return NotImplemented
    given = () if dim is None else ([dim] if isinstance(dim, int) else list(dim), *((True,) if keepdim else ()))
    return ops.linalg_vector_norm.default(self, 2.0 if ord is None else ord, *given)


@rule("trapezoid.dx")
def trapezoid(y, *, dx=1, dim=-1):
    last = aten("select", y, dim, -1)
    ends = ops.mul.Scalar(aten("add", aten("select", y, dim, 0), last), 0.5)
    return ops.mul.Scalar(aten("sub", ops.sum.dim_IntList(y, [dim]), ends), float(dx))


@rule("nansum")
def nansum(self, dim=None, keepdim=False, *, dtype=None):
    if dtype is not None or not self.is_floating_point():
        return NotImplemented
    numbers = aten("where", aten("isnan", self), scalar(0, self.dtype), self)
    return ops.sum.dim_IntList(numbers, dim, *([True] if keepdim else []))


@rule("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(self, dim=None):
    return ops.sum.dim_IntList(ops.ne.Scalar(self, 0), dim)
