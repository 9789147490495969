"""Decompositions of operators that are others under a second name, or under that of a family."""

from functools import partial

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps import products
from tensh._aten.synonyms import SPECIAL, SYNONYMS
from tensh._decomp.rules import RULES, VIEWS, rule, view_rule

ops = torch.ops.aten
rule("matrix_exp")(products.matrix_exp)
rule("matrix_power", "linalg_matrix_power")(products.matrix_power)
rule("chain_matmul", "linalg_multi_dot")(products.multi_dot)

for name, own in (SYNONYMS | SPECIAL | {"linalg_matmul": "matmul"}).items():
    if name not in VIEWS and name not in RULES:
        rule(name)(partial(aten, own))


@rule("special_round")
def special_round(self, *, decimals=0):
    return ops.round.decimals(self, decimals=decimals)


@view_rule("linalg_diagonal")
def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return aten("diagonal", A, offset, dim1, dim2)


@rule("fliplr")
def fliplr(self):
    return aten("flip", self, [1])


@rule("flipud")
def flipud(self):
    return aten("flip", self, [0])


@view_rule("positive")
def positive(self):
    return self


@view_rule("ravel")
def ravel(self):
    return aten("view", self, [-1]) if self.is_contiguous() else NotImplemented


@rule("msort")
def msort(self):
    return aten("sort", self, 0)[0]


@rule("float_power.Tensor_Scalar")
def float_power(self, exponent):
    if self.is_complex() or isinstance(exponent, complex):
        return NotImplemented
    return ops.pow.Tensor_Scalar(aten("_to_copy", self, dtype=torch.float64), float(exponent))


@rule("column_stack")
def column_stack(tensors):
    if any(each.dim() < 2 for each in tensors):
        return NotImplemented
    return aten("cat", list(tensors), 1)


@rule("dstack")
def dstack(tensors):
    if any(each.dim() < 2 for each in tensors):
        return NotImplemented
    return aten("cat", [aten("unsqueeze", each, -1) if each.dim() == 2 else each for each in tensors], 2)


@rule("sum_to_size")
def sum_to_size(self, size):
    if self.dim() != len(size):
        return NotImplemented
    dims = [dim for dim, (own, wanted) in enumerate(zip(self.shape, size)) if wanted == 1 and own != 1]
    return ops.sum.dim_IntList(self, dims, True) if dims else self


@rule("slogdet", "linalg_slogdet")
def slogdet(self):
    return aten("_linalg_slogdet", self)[:2]
