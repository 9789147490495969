"""Forms of elementwise operators.

``self``, ``other`` and so on are the operator's arguments; capitalised names are ONNX's operators. ``number(x)`` is a
constant of the result's dtype, ``one`` is 1.
"""

import math

import tensh as torch
from tensh.onnx.builder import Value, is_float
from tensh.onnx.forms.table import compose, declare, form

declare(
    """
    abs,absolute                Abs(self)
    acos                        Acos(self)
    acosh                       Acosh(self)
    add                         Add(self, scaled(other, alpha))
    addcdiv                     Add(self, scaled(Div(tensor1, tensor2), value))
    addcmul                     Add(self, scaled(Mul(tensor1, tensor2), value))
    alias,detach,clone,contiguous,alias_copy,resolve_conj,resolve_neg,lift_fresh,lift_fresh_copy,detach_  Identity(self)
    asin                        Asin(self)
    asinh                       Asinh(self)
    atan                        Atan(self)
    atanh                       Atanh(self)
    ceil                        Ceil(self) if float else Identity(self)
    celu                        Celu(self, alpha=alpha * 1.0)
    clamp_max                   Min(self, max)
    clamp_min                   Max(self, min)
    cos                         Cos(self)
    cosh                        Cosh(self)
    deg2rad                     Mul(self, number(pi / 180))
    elu                         elu(self, alpha, scale, input_scale)
    erf                         Erf(self)
    erfc                        Sub(one, Erf(self))
    exp                         Exp(self)
    exp2                        Pow(number(2), self)
    expm1                       Sub(Exp(self), one)
    floor                       Floor(self) if float else Identity(self)
    fmod                        Mod(self, other, fmod=1)
    frac                        Sub(self, truncated(self))
    gelu                        gelu(self, approximate)
    hardshrink                  Where(LessOrEqual(Abs(self), number(lambd)), number(0), self)
    hardsigmoid                 HardSigmoid(self, alpha=1 / 6, beta=0.5)
    hardswish                   HardSwish(self)
    hardtanh                    Min(Max(self, number(min_val)), number(max_val))
    hypot                       Sqrt(Add(Mul(self, self), Mul(other, other)))
    leaky_relu                  LeakyRelu(self, alpha=negative_slope * 1.0)
    lerp                        Add(self, Mul(weight, Sub(end, self)))
    log                         Log(self)
    log10                       Div(Log(self), number(log(10)))
    log1p                       Log(Add(self, one))
    log2                        Div(Log(self), number(log(2)))
    log_sigmoid                 Neg(Softplus(Neg(self)))
    logaddexp                   logaddexp(self, other)
    logit                       logit(self, eps)
    maximum                     Max(self, other)
    minimum                     Min(self, other)
    mish                        Mul(self, Tanh(Softplus(self)))
    mul                         Mul(self, other) if out.dtype is not bool else And(self, other)
    neg,negative                Neg(self)
    positive,conj,conj_physical,real  Identity(self)
    pow,float_power             Pow(self, exponent)
    prelu                       PRelu(self, slopes(self, weight))
    rad2deg                     Mul(self, number(180 / pi))
    reciprocal                  Div(one, self)
    relu                        Relu(self) if float else Max(self, number(0))
    relu6                       Min(Max(self, number(0)), number(6))
    rsqrt                       Div(one, Sqrt(self))
    rsub                        Sub(other, scaled(self, alpha))
    selu                        Selu(self)
    sgn,sign                    Sign(self)
    sigmoid                     Sigmoid(self)
    silu                        Mul(self, Sigmoid(self))
    sin                         Sin(self)
    sinh                        Sinh(self)
    softplus                    softplus(self, beta, threshold)
    softshrink                  Shrink(self, bias=lambd * 1.0, lambd=lambd * 1.0)
    softsign                    Softsign(self)
    sqrt                        Sqrt(self)
    square                      Mul(self, self)
    sub                         Sub(self, scaled(other, alpha))
    tan                         Tan(self)
    tanh                        Tanh(self)
    tanhshrink                  Sub(self, Tanh(self))
    threshold                   Where(Greater(self, number(threshold)), self, number(value))
    trunc                       truncated(self)
    """,
    "result",
)

declare(
    """
    eq                          Equal(self, other)
    ge                          GreaterOrEqual(self, other)
    gt                          Greater(self, other)
    le                          LessOrEqual(self, other)
    lt                          Less(self, other)
    ne                          Not(Equal(self, other))
    isneginf                    And(IsInf(self, detect_negative=1, detect_positive=0), IsInf(self, detect_negative=1, detect_positive=0))
    isposinf                    IsInf(self, detect_negative=0, detect_positive=1)
    signbit                     Less(self, common(0))
    """,
    "common",
)

declare(
    """
    bitwise_not                 Not(self) if self.dtype is bool else BitwiseNot(self)
    isinf                       IsInf(self) if floats(self) else never(self)
    isnan                       IsNaN(self) if floats(self) else never(self)
    isfinite                    Not(Or(IsInf(self), IsNaN(self))) if floats(self) else Not(never(self))
    isreal                      Not(never(self))
    logical_and                 And(truth(self), truth(other))
    logical_not                 Not(truth(self))
    logical_or                  Or(truth(self), truth(other))
    logical_xor                 Xor(truth(self), truth(other))
    to,type_as,_to_copy         Identity(self) if out.dtype is self.dtype else Cast(self, to=out_type)
    masked_fill                 Where(mask, operand(value, out.dtype), operand(self, out.dtype))
    """,
    "as they are",
)


@form("bitwise_and bitwise_or bitwise_xor __and__ __or__ __xor__", "result")
def bitwise(o, node, self, other):
    name = node.target._opname.strip("_").removeprefix("bitwise_").title()
    return getattr(o, name if self.dtype is torch.bool else f"Bitwise{name}")(self, other)


@form("bitwise_left_shift bitwise_right_shift __lshift__ __rshift__", "result")
def shift(o, node, self, other):
    name = "Mul" if node.target._opname in ("bitwise_left_shift", "__lshift__") else None
    unsigned = torch.float64
    power = o.Pow(o.number(2.0, unsigned), o.operand(other, unsigned))
    if name:
        return o.cast(o.Mul(o.cast(self, unsigned), power), self.dtype)
    return o.cast(o.Floor(o.Div(o.cast(self, unsigned), power)), self.dtype)


@form("div", "as they are")
def divide(o, node, self, other, rounding_mode=None):
    wanted = node.meta["val"].dtype
    if rounding_mode is not None and not is_float(wanted):
        rounding = o.Floor if rounding_mode == "floor" else lambda x: truncate(o, x)
        return o.cast(rounding(o.Div(o.operand(self, torch.float64), o.operand(other, torch.float64))), wanted)
    quotient = o.Div(o.operand(self, wanted), o.operand(other, wanted))
    return (
        quotient if rounding_mode is None else o.Floor(quotient) if rounding_mode == "floor" else truncate(o, quotient)
    )


@form("true_divide divide", "as they are")
def true_divide(o, node, self, other, rounding_mode=None):
    return divide(o, node, self, other, rounding_mode)


@form("floor_divide", "as they are")
def floor_divide(o, node, self, other):
    return divide(o, node, self, other, "floor")


@form("remainder", "result")
def remainder(o, node, self, other):
    if not is_float(self.dtype):
        return o.Mod(self, other)
    return o.Sub(self, o.Mul(other, o.Floor(o.Div(self, other))))


def truncate(o, x):
    return o.Mul(o.Sign(x), o.Floor(o.Abs(x))) if is_float(x.dtype) else o.Identity(x)


@form("clamp clip", "result")
def clamp(o, node, self, min=None, max=None):
    out = self if min is None else o.Max(self, min)
    return out if max is None else o.Min(out, max)


@form("where")
def where(o, node, condition, self=None, other=None):
    if self is None:
        columns = o.Split(o.NonZero(condition), axis=0, num_outputs=condition.rank, outputs=condition.rank)
        return [o.Squeeze(each, [0]) for each in (columns if isinstance(columns, list) else [columns])]
    wanted = node.meta["val"].dtype
    return o.Where(o.cast(condition, torch.bool), o.operand(self, wanted), o.operand(other, wanted))


@form("nan_to_num", "result")
def nan_to_num(o, node, self, nan=None, posinf=None, neginf=None):
    if not is_float(self.dtype):
        return o.Identity(self)
    limits = torch.finfo(self.dtype)
    out = o.Where(o.IsNaN(self), o.number(nan or 0.0, self.dtype), self)
    high = o.IsInf(self, detect_negative=0, detect_positive=1)
    low = o.IsInf(self, detect_negative=1, detect_positive=0)
    out = o.Where(high, o.number(limits.max if posinf is None else posinf, self.dtype), out)
    return o.Where(low, o.number(limits.min if neginf is None else neginf, self.dtype), out)


@form("atan2", "result")
def atan2(o, node, self, other):
    zero, pi = o.number(0, self.dtype), o.number(math.pi, self.dtype)
    slope = o.Atan(o.Div(self, other))
    negative = o.Less(other, zero)
    turned = o.Where(o.Less(self, zero), o.Sub(slope, pi), o.Add(slope, pi))
    right = o.Where(negative, turned, slope)
    half = o.Mul(o.Sign(self), o.number(math.pi / 2, self.dtype))
    return o.Where(o.Equal(other, zero), half, right)


@form("round", "result")
def round_to(o, node, self, decimals=0):
    if not is_float(self.dtype):
        return o.Identity(self)
    if not decimals:
        return o.Round(self)
    factor = o.number(10.0**decimals, self.dtype)
    return o.Div(o.Round(o.Mul(self, factor)), factor)


@form("xlogy special_xlogy", "result")
def xlogy(o, node, self, other):
    product = o.Mul(self, o.Log(other))
    zero = o.number(0, self.dtype)
    return o.Where(o.And(o.Equal(self, zero), o.Not(o.IsNaN(other))), zero, product)


@form("fmax fmin", "result")
def ignore_nan(o, node, self, other):
    chosen = o.Max(self, other) if node.target._opname == "fmax" else o.Min(self, other)
    if not is_float(self.dtype):
        return chosen
    return o.Where(o.IsNaN(self), other, o.Where(o.IsNaN(other), self, chosen))


@form("heaviside", "result")
def heaviside(o, node, self, values):
    zero, one = o.number(0, self.dtype), o.number(1, self.dtype)
    return o.Where(o.Equal(self, zero), values, o.Where(o.Greater(self, zero), one, zero))


@form("copysign", "result")
def copysign(o, node, self, other):
    size = o.Abs(self)
    negative = o.Less(o.Div(o.number(1, self.dtype), other), o.number(0, self.dtype)) if is_float(self.dtype) else None
    return o.Where(negative, o.Neg(size), size)


# ── helpers of texts, besides ONNX's operators ───────────────────────────────
def scaled(o, value, factor, dtype):
    """Return ``factor * value``, or the value for a factor of 1."""
    return value if type(factor) in (int, float) and factor == 1 else o.Mul(o.operand(value, dtype), factor)


def elu(o, x, alpha, scale, input_scale):
    if (scale, input_scale) == (1, 1):
        return o.Elu(x, alpha=alpha * 1.0)
    zero, one = o.number(0, x.dtype), o.number(1, x.dtype)
    below = o.Mul(o.number(alpha, x.dtype), o.Sub(o.Exp(o.Mul(x, o.number(input_scale, x.dtype))), one))
    return o.Mul(o.number(scale, x.dtype), o.Where(o.Greater(x, zero), x, below))


def gelu(o, x, approximate):
    half, one = o.number(0.5, x.dtype), o.number(1, x.dtype)
    if o.opset >= 20:
        return o.Gelu(x, approximate=approximate)
    if approximate == "tanh":
        cubed = o.Mul(x, o.Mul(x, x))
        inner = o.Mul(o.number(math.sqrt(2 / math.pi), x.dtype), o.Add(x, o.Mul(o.number(0.044715, x.dtype), cubed)))
        return o.Mul(o.Mul(half, x), o.Add(one, o.Tanh(inner)))
    return o.Mul(o.Mul(x, half), o.Add(one, o.Erf(o.Mul(x, o.number(math.sqrt(0.5), x.dtype)))))


def softplus(o, x, beta, threshold):
    inner = o.Mul(x, o.number(beta, x.dtype)) if beta != 1 else x
    smooth = o.Div(o.Softplus(inner), o.number(beta, x.dtype)) if beta != 1 else o.Softplus(inner)
    return o.Where(o.Greater(inner, o.number(threshold, x.dtype)), x, smooth)


def logaddexp(o, a, b):
    larger, zero = o.Max(a, b), o.number(0, a.dtype)
    difference = o.Where(o.Equal(a, b), zero, o.Neg(o.Abs(o.Sub(a, b))))  # equal infinities
    return o.Add(larger, o.Log(o.Add(o.number(1, a.dtype), o.Exp(difference))))


def logit(o, x, eps):
    if eps is not None:
        x = o.Min(o.Max(x, o.number(eps, x.dtype)), o.number(1 - eps, x.dtype))
    return o.Log(o.Div(x, o.Sub(o.number(1, x.dtype), x)))


def slopes(o, x, weight):
    """Return the slopes of PReLU, one for each channel, shaped for an input of any rank."""
    if not isinstance(weight, Value) or weight.example is None or weight.example.numel() == 1 or x.rank in (None, 0, 1):
        return weight if x.rank else o.Squeeze(weight)
    return o.Reshape(weight, [-1, *[1] * (x.rank - 2)])


HELPERS = {
    "scaled": scaled, "elu": elu, "gelu": gelu, "softplus": softplus, "logaddexp": logaddexp, "logit": logit, "slopes": slopes,
    "truncated": truncate,
}  # fmt: skip


# ── composed of other PyTorch operators ──────────────────────────────────────
@compose("sinc special_sinc")
def sinc(self):
    turned = self * math.pi
    return torch.where(
        self == 0, torch.ones_like(turned), turned.sin() / torch.where(self == 0, torch.ones_like(turned), turned)
    )


@compose("logaddexp2")
def logaddexp2(self, other):
    return torch.maximum(self, other) + torch.log2(1 + torch.exp2(-(self - other).abs()))


@compose("special_entr")
def entr(self):
    return torch.where(
        self > 0,
        -self * torch.log(torch.where(self > 0, self, torch.ones_like(self))),
        torch.where(self == 0, torch.zeros_like(self), torch.full_like(self, -math.inf)),
    )


@compose("special_ndtr")
def ndtr(self):
    return 0.5 * (1 + torch.erf(self * math.sqrt(0.5)))


@compose("special_xlog1py")
def xlog1py(self, other):
    return torch.xlogy(self, other + 1)


@compose("ldexp")
def ldexp(self, other):
    return self * torch.pow(2.0, other.to(torch.float32) if not other.is_floating_point() else other)


@compose("isclose")
def isclose(self, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    close = (self == other) | (torch.abs(self - other) <= atol + rtol * torch.abs(other)) & torch.isfinite(other)
    return close | (torch.isnan(self) & torch.isnan(other)) if equal_nan else close


@compose("glu")
def glu(self, dim=-1):
    first, second = self.chunk(2, dim)
    return first * torch.sigmoid(second)


@compose("angle")
def angle(self):
    return torch.where(self < 0, torch.full_like(self, math.pi), torch.zeros_like(self)) + 0 * self


@compose("rrelu")
def rrelu(self, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    return NotImplemented if training else torch.nn.functional.leaky_relu(self, (lower + upper) / 2)
