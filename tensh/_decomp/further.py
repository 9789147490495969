"""Decompositions of core operators, which only a program asks for by name: activations, softmax and normalisation."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import PLACE, STRIDED, rule

FURTHER = {}
"""Name of an operator -> its rule."""
SINGLE_OR_DOUBLE = (torch.float32, torch.float64)
ops = torch.ops.aten


def further(*names):
    """Decorate the rule of a core operator."""
    return rule(*names, table=FURTHER)


@further("gelu")
def gelu(self, *, approximate="none"):
    if self.dtype not in SINGLE_OR_DOUBLE:
        return NotImplemented
    if approximate == "none":
        half = aten("mul", self, 0.5)
        return aten("mul", half, aten("add", aten("erf", aten("mul", self, math.sqrt(0.5))), 1))
    cube = aten("mul", aten("mul", self, self), self)
    inner = aten("mul", aten("add", self, aten("mul", cube, 0.044715)), math.sqrt(2) * (2 / math.sqrt(math.pi)) * 0.5)
    half = aten("mul", self, 0.5)
    return aten("mul", half, aten("add", aten("tanh", inner), 1))


@further("relu")
def relu(self):
    at_most = aten("le", self, 0)
    return aten("where", at_most, ops.scalar_tensor.default(0, dtype=self.dtype, **STRIDED, **PLACE), self)


@further("leaky_relu")
def leaky_relu(self, negative_slope=0.01):
    return aten("where", aten("gt", self, 0), self, aten("mul", self, negative_slope))


@further("_softmax")
def softmax(self, dim, half_to_float):
    if self.dtype not in SINGLE_OR_DOUBLE:
        return NotImplemented
    powers = aten("exp", aten("sub", self, aten("amax", self, [dim], True)))
    return aten("div", powers, aten("sum", powers, [dim], True))


@further("_log_softmax")
def log_softmax(self, dim, half_to_float):
    if self.dtype not in SINGLE_OR_DOUBLE:
        return NotImplemented
    moved = aten("sub", self, aten("amax", self, [dim], True))
    return aten("sub", moved, aten("log", aten("sum", aten("exp", moved), [dim], True)))


@further("addmm")
def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    product = aten("mul", aten("mm", mat1, mat2), alpha)
    return aten("add", product, aten("mul", self, beta))


@further("native_layer_norm")
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    if input.dtype not in SINGLE_OR_DOUBLE:
        return NotImplemented
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    var, mean = ops.var_mean.correction(input, dims, correction=0, keepdim=True)
    rstd = aten("rsqrt", aten("add", var, eps))
    out = aten("mul", aten("sub", input, mean), rstd)
    out = out if weight is None else aten("mul", out, weight)
    return out if bias is None else aten("add", out, bias), mean, rstd
