"""Decompositions of functions of elements, and of activations."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import convert, full, rule, scalar, view_rule

ops = torch.ops.aten


# ── arithmetic ───────────────────────────────────────────────────────────────
@rule("rsub.Tensor")
def rsub(self, other, *, alpha=1):
    return aten("sub", other, self, **({} if alpha == 1 else {"alpha": alpha}))


@rule("rsub.Scalar")
def rsub_scalar(self, other, alpha=1):
    return ops.sub.Tensor(other, self, **({} if alpha == 1 else {"alpha": alpha}))


@rule("floor_divide")
def floor_divide(self, other):
    return ops.div.Tensor_mode(self, other, rounding_mode="floor")


@rule("square")
def square(self):
    return aten("pow", self, 2)


@rule("frac")
def frac(self):
    return aten("sub", self, aten("trunc", self))


@rule("addcmul")
def addcmul(self, tensor1, tensor2, *, value=1):
    return aten("add", self, aten("mul", ops.mul.Tensor(tensor1, value), tensor2))


@rule("addcdiv")
def addcdiv(self, tensor1, tensor2, *, value=1):
    return aten("add", self, aten("div", ops.mul.Tensor(tensor1, value), tensor2))


@rule("lerp.Scalar")
def lerp(self, end, weight):
    return lerp_tensor(self, end, full([], weight, self.dtype))


@rule("lerp.Tensor")
def lerp_tensor(self, end, weight):
    far = ops.ge.Scalar(aten("abs", weight), 0.5)
    share = aten("where", far, ops.sub.Tensor(weight, 1), weight)
    base = aten("where", far, end, self)
    return aten("add", aten("mul", share, aten("sub", end, self)), base)


@rule("xlogy.Tensor")
def xlogy(self, other):
    return product_with_log(self, other, self.dtype)


def product_with_log(x, y, dtype):
    """Multiply x by the logarithm of y: 0 where x is, nan where y is."""
    zero = ops.eq.Scalar(x, 0)
    weighted = aten("mul", x, aten("log", y))
    found = aten("where", zero, scalar(0, dtype), weighted)
    return aten("where", aten("isnan", y), scalar(math.nan, dtype), found)


@rule("isfinite")
def isfinite(self):
    limited = ops.ne.Scalar(aten("abs", self), math.inf)
    return aten("mul", aten("eq", self, self), limited)


@rule("clamp_min")
def clamp_min(self, min):
    return aten("clamp", self, min)


@rule("clamp_max")
def clamp_max(self, max):
    return aten("clamp", self, None, max)


@rule("masked_fill.Scalar")
def masked_fill(self, mask, value):
    number = float(value) if self.dtype.is_floating_point else value if self.dtype.is_complex else int(value)
    return aten("where", mask, scalar(bool(number) if self.dtype is torch.bool else number, self.dtype), self)


@rule("masked_fill.Tensor")
def masked_fill_tensor(self, mask, value):
    return aten("where", mask, convert(value, self.dtype), self)


@rule("where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(condition, self, other):
    kind = next((each.dtype for each in (self, other) if isinstance(each, torch.Tensor)), None)
    kind = torch.result_type(self, other) if kind is None else kind
    other, self = (each if isinstance(each, torch.Tensor) else scalar(each, kind) for each in (other, self))
    return aten("where", condition, self, other)


@rule("nan_to_num")
def nan_to_num(self, nan=None, posinf=None, neginf=None):
    if not self.dtype.is_floating_point:
        return NotImplemented
    known = torch.finfo(self.dtype)
    steps = (
        (aten("isnan", self), 0.0 if nan is None else nan),
        (-math.inf, known.min if neginf is None else neginf),
        (math.inf, known.max if posinf is None else posinf),
    )
    result = self
    for place, value in steps:
        chosen = place if isinstance(place, torch.Tensor) else ops.eq.Scalar(self, place)
        result = aten("where", chosen, scalar(float(value), self.dtype), result)
    return result


@rule("sinc")
def sinc(self):
    if not self.is_floating_point():
        return NotImplemented
    angle = aten("mul", self, math.pi)
    zero = ops.eq.Scalar(angle, 0)
    quotient = aten("div", aten("sin", angle), angle)
    return aten("where", zero, scalar(1, self.dtype), quotient)


@rule("heaviside")
def heaviside(self, values):
    zero = ops.eq.Scalar(self, 0)
    below = aten("logical_or", ops.lt.Scalar(self, 0), aten("isnan", self))
    return aten("where", zero, values, where(below, 0, 1))


@rule("__and__")
def and_(self, other):
    return aten("bitwise_and", self, other)


@rule("__or__")
def or_(self, other):
    return aten("bitwise_or", self, other)


@rule("__xor__")
def xor(self, other):
    return aten("bitwise_xor", self, other)


# ── activations ──────────────────────────────────────────────────────────────
@rule("silu")
def silu(self):
    return aten("mul", self, aten("sigmoid", self))


@rule("relu6")
def relu6(self):
    return aten("hardtanh", self, 0, 6)


@rule("selu")
def selu(self):
    return aten("elu", self, 1.6732632423543772, 1.0507009873554805)


@rule("celu")
def celu(self, alpha=1.0):
    grown = aten("expm1", self) if alpha == 1 else ops.mul.Tensor(aten("expm1", ops.div.Tensor(self, alpha)), alpha)
    return aten("where", ops.gt.Scalar(self, 0), self, grown)


@rule("softplus")
def softplus(self, beta=1, threshold=20):
    if beta == 1:
        grown = aten("log1p", aten("exp", self))
        return aten("where", ops.gt.Scalar(self, threshold), self, grown)
    scaled = ops.mul.Tensor(self, beta)
    grown = ops.div.Tensor(aten("log1p", aten("exp", scaled)), beta)
    return aten("where", ops.gt.Scalar(scaled, threshold), self, grown)


@rule("mish")
def mish(self):
    return aten("mul", self, aten("tanh", softplus(self)))


def up_to_six(self):
    """Limit ``self + 3`` to the numbers from 0 to 6."""
    return aten("clamp", aten("clamp", ops.add.Tensor(self, 3), 0), None, 6)


@rule("hardswish")
def hardswish(self):
    return ops.div.Tensor(aten("mul", self, up_to_six(self)), 6)


@rule("hardsigmoid")
def hardsigmoid(self):
    return ops.div.Tensor(up_to_six(self), 6)


@rule("log_sigmoid")
def log_sigmoid(self):
    least = aten("minimum", full([], 0, self.dtype), self)
    return aten("sub", least, aten("log1p", aten("exp", aten("neg", aten("abs", self)))))


@view_rule("hardshrink")
def hardshrink(self, lambd=0.5):
    return ops.where.ScalarSelf(ops.le.Scalar(aten("abs", self), lambd), 0, self)


@view_rule("softshrink")
def softshrink(self, lambd=0.5):
    large = ops.gt.Scalar(aten("abs", self), lambd)
    shrunk = aten("sub", self, ops.mul.Tensor(aten("sign", self), lambd))
    return aten("where", large, shrunk, ops.mul.Tensor(self, 0))


@rule("threshold")
def threshold(self, threshold, value):
    return aten("where", ops.le.Scalar(self, threshold), scalar(value, self.dtype), self)


@rule("glu")
def glu(self, dim=-1):
    dim %= self.dim()
    half = self.shape[dim] // 2
    value, gate = aten("slice", self, dim, 0, half), aten("slice", self, dim, half, half * 2)
    return aten("mul", value, aten("sigmoid", gate))


@rule("prelu")
def prelu(self, weight):
    if self.dim() > 1:
        shape = [weight.shape[0] if dim == 1 else 1 for dim in range(self.dim())]
        weight = aten("view", weight, shape)
    return aten("where", ops.gt.Scalar(self, 0), self, aten("mul", weight, self))


@rule("_prelu_kernel")
def prelu_kernel(self, weight):
    return aten("where", ops.gt.Scalar(self, 0), self, aten("mul", weight, self))
