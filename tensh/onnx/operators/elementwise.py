"""Elementwise operators: expressions in ``TABLE``, others as functions."""

import functools

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.operators.table import declare, dtype_of, operator

TABLE = """
Abs(a)                         torch.abs(a)
Acos(a)                        torch.acos(a)
Acosh(a)                       torch.acosh(a)
Add(a, b)                      a + b
And(a, b)                      torch.logical_and(a, b)
Asin(a)                        torch.asin(a)
Asinh(a)                       torch.asinh(a)
Atan(a)                        torch.atan(a)
Atanh(a)                       torch.atanh(a)
BitwiseAnd(a, b)               torch.bitwise_and(a, b)
BitwiseNot(a)                  torch.bitwise_not(a)
BitwiseOr(a, b)                torch.bitwise_or(a, b)
BitwiseXor(a, b)               torch.bitwise_xor(a, b)
Ceil(a)                        torch.ceil(a)
Celu(a, alpha=1.0)             F.celu(a, alpha)
Cos(a)                         torch.cos(a)
Cosh(a)                        torch.cosh(a)
Det(a)                         torch.linalg.det(a)
Elu(a, alpha=1.0)              F.elu(a, alpha)
Equal(a, b)                    a == b
Erf(a)                         torch.erf(a)
Exp(a)                         torch.exp(a)
Floor(a)                       torch.floor(a)
GlobalAveragePool(a)           a.mean(tuple(range(2, a.dim())), keepdim=True)
GlobalMaxPool(a)               a.amax(tuple(range(2, a.dim())), keepdim=True)
Greater(a, b)                  a > b
GreaterOrEqual(a, b)           a >= b
HardSigmoid(a, alpha=0.2, beta=0.5)  (alpha * a + beta).clamp(0, 1)
HardSwish(a)                   F.hardswish(a)
Identity(a)                    a
IsNaN(a)                       torch.isnan(a)
LeakyRelu(a, alpha=0.01)       F.leaky_relu(a, alpha)
Less(a, b)                     a < b
LessOrEqual(a, b)              a <= b
Log(a)                         torch.log(a)
MatMul(a, b)                   torch.matmul(a, b)
Mish(a)                        F.mish(a)
Mul(a, b)                      a * b
Neg(a)                         -a
Not(a)                         torch.logical_not(a)
Or(a, b)                       torch.logical_or(a, b)
PRelu(a, b)                    torch.where(a < 0, a * b, a)
Pow(a, b)                      torch.pow(a, b).to(a.dtype)
Reciprocal(a)                  torch.reciprocal(a)
Relu(a)                        torch.relu(a)
Round(a)                       torch.round(a)
Selu(a, alpha=1.6732632, gamma=1.050701)  F.selu(a) if (round(alpha, 4), round(gamma, 4)) == (1.6733, 1.0507) else gamma * torch.where(a > 0, a, alpha * (a.exp() - 1))
Sigmoid(a)                     torch.sigmoid(a)
Sign(a)                        torch.sign(a)
Sin(a)                         torch.sin(a)
Sinh(a)                        torch.sinh(a)
Size(a)                        torch.tensor(a.numel())
Softplus(a)                    F.softplus(a)
Softsign(a)                    F.softsign(a)
Sqrt(a)                        torch.sqrt(a)
Sub(a, b)                      a - b
Swish(a, alpha=1.0)            a * torch.sigmoid(alpha * a)
Tan(a)                         torch.tan(a)
Tanh(a)                        torch.tanh(a)
ThresholdedRelu(a, alpha=1.0)  torch.where(a > alpha, a, torch.zeros_like(a))
Trilu(a, b=None, upper=1)      torch.triu(a, 0 if b is None else int(b)) if upper else torch.tril(a, 0 if b is None else int(b))
Where(a, b, c)                 torch.where(a.to(torch.bool), b, c)
Xor(a, b)                      torch.logical_xor(a, b)
"""
declare(TABLE, globals())


@operator
def Div(a, b):
    return a / b if a.is_floating_point() else torch.div(a, b, rounding_mode="trunc")


@operator
def Mod(a, b, fmod=0):
    return torch.fmod(a, b) if fmod else torch.remainder(a, b)


@operator
def Gelu(a, approximate="none"):
    return F.gelu(a, approximate=approximate)


@operator
def Clip(a, low=None, high=None, min=None, max=None):
    low, high = min if low is None else low, max if high is None else high
    a = a if low is None else torch.maximum(a, torch.as_tensor(low, dtype=a.dtype))
    return a if high is None else torch.minimum(a, torch.as_tensor(high, dtype=a.dtype))


@operator
def Shrink(a, bias=0.0, lambd=0.5):
    return torch.where(a < -lambd, a + bias, torch.where(a > lambd, a - bias, torch.zeros_like(a)))


@operator
def IsInf(a, detect_negative=1, detect_positive=1):
    found = torch.zeros_like(a, dtype=torch.bool)
    if detect_positive:
        found = found | torch.isposinf(a)
    return found | torch.isneginf(a) if detect_negative else found


@operator
def BitShift(a, b, direction):
    return a << b if direction == "LEFT" else a >> b


@operator
def Sum(*inputs):
    return functools.reduce(lambda a, b: a + b, inputs)


@operator
def Mean(*inputs):
    return Sum(*inputs) / len(inputs)


@operator
def Max(*inputs):
    return functools.reduce(torch.maximum, inputs)


@operator
def Min(*inputs):
    return functools.reduce(torch.minimum, inputs)


@operator
def Cast(a, to, saturate=1, round_mode="up"):
    return a.to(dtype_of(to))


@operator
def CastLike(a, b, saturate=1, round_mode="up"):
    return a.to(b.dtype)


def by_rows(name, function):
    """Register a function along an axis; before opset 13 it is along all axes from one on."""

    def run(a, axis=None, opset=13):
        if opset >= 13:
            return function(a, -1 if axis is None else axis)
        axis = (1 if axis is None else axis) % max(a.dim(), 1)
        return function(a.flatten(axis), -1).reshape(a.shape) if axis < a.dim() else function(a, -1)

    run.__name__ = run.__qualname__ = name
    globals()[name] = operator(run)


by_rows("Softmax", F.softmax)
by_rows("LogSoftmax", F.log_softmax)
by_rows("Hardmax", lambda a, axis: torch.zeros_like(a).scatter(axis, a.argmax(axis, keepdim=True), 1))
