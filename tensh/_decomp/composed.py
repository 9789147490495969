"""Decompositions of functions that PyTorch writes in other operators: of numbers, of blocks, and of singular values."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.elementwise import isfinite
from tensh._decomp.rules import full, rule

ops = torch.ops.aten


@rule("logaddexp")
def logaddexp(self, other):
    if self.is_complex() or other.is_complex():
        return NotImplemented
    more = aten("ge", self, other)
    most, least = aten("where", more, self, other), aten("where", more, other, self)
    same = aten("logical_and", aten("logical_not", isfinite(self)), aten("eq", self, other))
    found = aten("add", most, aten("log1p", aten("exp", aten("sub", least, most))))
    return aten("where", same, self, found)


@rule("block_diag")
def block_diag(tensors):
    if any(each.dim() != 2 or each.dtype != tensors[0].dtype for each in tensors):
        return NotImplemented
    before, whole, rows = 0, sum(each.shape[1] for each in tensors), []
    for each in tensors:
        count, width = each.shape
        left, right = (full([count, wide], 0, each.dtype) for wide in (before, whole - before - width))
        rows.append(aten("cat", [left, each, right], 1))
        before += width
    return aten("cat", rows)


@rule("linalg_cond")
def linalg_cond(self, p=None):
    if p is not None:
        return NotImplemented
    values = aten("_linalg_svd", self)[1]
    count = values.shape[-1]
    first, last = (aten("slice", values, -1, place, place + 1) for place in (0, count - 1))
    return ops.squeeze.dims(aten("div", first, last), [-1])
