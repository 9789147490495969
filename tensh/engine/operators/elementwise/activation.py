"""Activations: pointwise functions of one tensor.

Most have a bound where the slope changes; at the bound itself it is the slope that PyTorch gives it.  The in-place
forms of some have a node of their own, whose derivative reads the result: the input is gone by then.
"""

import math

import numpy as np

from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.table import op, pointwise
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.elementwise.single import exp
from tensh.engine.operators.elementwise.table import NO_CLAMP
from tensh.engine.operators.kernels import own
from tensh.engine.operators.precision import in_float32
from tensh.engine.operators.special import error_functions  # noqa: F401
from tensh.engine.operators.special.error_functions import erf_op

for vocabulary in (ARRAYS, TENSORS):
    vocabulary |= {
        "HALF_ROOT": math.sqrt(0.5),
        "NORMAL": math.sqrt(0.5 / math.pi),
        "TANH_SCALE": math.sqrt(2 / math.pi),
    }
    vocabulary["SIXTH"] = float(np.float32(1 / 6))  # single precision in PyTorch, whatever the input's is


HALF_ROOT, TANH_SCALE, erf = ARRAYS["HALF_ROOT"], ARRAYS["TANH_SCALE"], erf_op.kernel


def activation(kernel, doc, *, types="f", **keywords):
    """Declare a pointwise function of floating point numbers."""
    return pointwise(in_float32(kernel), doc, inplace=False, public=False, types=types, **keywords)


def as_array(value, array):
    """A number as an array without dimensions, of the same dtype."""
    return SCALARS[value, array.dtype]


@word
def refuse_negative(slope, name):
    """``slope``, or RuntimeError where it is negative, and the input cannot be told from what was written over it."""
    if slope >= 0:
        return slope
    raise RuntimeError(
        f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This is caused by "
        f"calling in-place forward function with a negative slope, please call out-of-place version instead."
        + FILE_AN_ISSUE
        * (name == "leakyReLu")
    )


FILE_AN_ISSUE = (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
    "calculation with negative slope"
)


# ── exponentials below zero ──────────────────────────────────────────────────
def elu(input, alpha=1.0, scale=1.0, input_scale=1.0):
    low = np.minimum(input, as_array(0, input))
    if input_scale != 1:
        low = np.multiply(low, as_array(input_scale, low), own(low))
    low = np.expm1(low, own(low))
    if alpha * scale != 1:
        low = np.multiply(low, as_array(alpha * scale, low), own(low))
    high = np.maximum(input, as_array(0, input))
    if scale != 1:
        high = np.multiply(high, as_array(scale, high), own(high))
    return np.add(low, high, own(low))


def celu(input, alpha=1.0):
    return elu(input, alpha, 1.0, 1.0 / alpha)


# at nan the slope is that of the positive piece, and at zero it does not change: as in PyTorch
ELU = "g * masked_fill({0} * exp(only(input, input < 0) * {1}), ~(input <= 0), {2})"
elu_op = activation(elu, "``scale * input`` above zero, ``scale * alpha * (exp(input_scale * input) - 1)`` below.", kernel_name="elu_cpu",
           input=ELU.format("(alpha * scale * input_scale)", "input_scale", "scale"))  # fmt: skip
celu_op = activation(celu, "The input above zero, ``alpha * (exp(input / alpha) - 1)`` below.", kernel_name="elu_cpu",
           input=ELU.format(1, "(1 / alpha)", 1))  # fmt: skip
elu_over = activation(elu, "The same, written over the input.", name="elu_over", node="EluBackward1", kernel_name="elu_cpu",
           input="g * masked_fill((only(out, out < 0) + refuse_negative(alpha, 'elu') * scale) * input_scale, ~(out <= 0), scale)")  # fmt: skip
celu_over = activation(celu, "The same, written over the input.", name="celu_over", node="CeluBackward1", kernel_name="elu_cpu",
           input="g * masked_fill(only(out, out < 0) / refuse_negative(alpha, 'elu') + 1, ~(out <= 0), 1)")  # fmt: skip


# ── straight pieces ──────────────────────────────────────────────────────────
def leaky_relu(input, negative_slope=0.01):
    lower = np.multiply(input, as_array(negative_slope, input))
    if negative_slope and negative_slope <= 1:
        return np.maximum(input, lower, out=own(lower))
    return np.where(input > 0, input, lower)


LEAKY = "tied(where(input > 0, g, g * negative_slope), input)"
leaky_relu_op = activation(
    leaky_relu,
    "The input where it is positive, ``negative_slope`` times it elsewhere.",
    kernel_name="leaky_relu_cpu",
    input=LEAKY,
)
leaky_relu_over = activation(leaky_relu, "The same, written over the input.", name="leaky_relu_over", node="LeakyReluBackward1",
           kernel_name="leaky_relu_cpu", input=LEAKY.replace("input", "out").replace("negative_slope", "refuse_negative(negative_slope, 'leakyReLu')"))  # fmt: skip


def threshold(input, threshold, value):
    return np.where(input <= whole(threshold, input), whole(value, input), input)


def whole(value, array):
    """A number in the array's dtype: integers lose the fraction."""
    return as_array(int(value) if array.dtype.kind in "iu" else value, array)


def declare_threshold(name, node):
    """Declare the threshold: both forms of PyTorch have a node."""
    return pointwise(threshold, "The input where it is more than ``threshold``, ``value`` elsewhere.", name=name, node=node,
              public=False, inplace=False, types="iuf", kernel_name="threshold_cpu",
              input="tied(masked_fill(g, input <= threshold, 0), input)")  # fmt: skip


threshold_op = declare_threshold("threshold", "ThresholdBackward0")
threshold_over = declare_threshold("threshold_over", "ThresholdBackward1")


def hardtanh(input, min_val=-1.0, max_val=1.0):
    if input.dtype.kind == "u" and (min_val < 0 or max_val < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    low = np.maximum(input, whole(min_val, input))
    return np.minimum(low, whole(max_val, input), out=own(low))


hardtanh_op = pointwise(hardtanh, "The input kept between two numbers.", public=False, inplace=False, types="iuf",
          refusal={"b": RuntimeError("Bool inputs not supported for hardtanh")} | NO_CLAMP,
          input="tied(masked_fill(g, (input <= min_val) | (input >= max_val), 0), input)")  # fmt: skip


def hardshrink(input, lambd=0.5):
    return np.where(np.abs(input) <= as_array(lambd, input), as_array(0, input), input)


def softshrink(input, lambd=0.5):
    require_lambda(lambd, input)
    bound = as_array(lambd, input)
    out = np.subtract(input, np.clip(input, -bound, bound))
    return np.copysign(out, input)  # a number that becomes zero keeps its sign


def require_lambda(lambd, input):
    largest = float(np.finfo(input.dtype).max)
    if not 0 <= lambd <= largest:
        raise RuntimeError(
            f"lambda must be in range [0, {largest:g}] for input dtype {BY_NUMPY[input.dtype].title}, but found {lambd:g}"
        )


SHRUNK = "tied(masked_fill(g, (input >= -lambd) & (input <= lambd), 0), input)"
hardshrink_op = activation(hardshrink, "The input, but 0 where it is between ``-lambd`` and ``lambd``.", input=SHRUNK)
softshrink_op = activation(softshrink, "The input moved by ``lambd`` towards zero, and not beyond.",
           kernel_name="softshrink_check", input=SHRUNK)  # fmt: skip


def hardsigmoid(input):
    out = np.add(input, as_array(3, input))  # exact near -3, where the result is nearly 0
    return np.divide(np.clip(out, as_array(0, input), as_array(6, input), own(out)), as_array(6, input), own(out))


def hardswish(input):
    return np.multiply(input, hardsigmoid(input))


hardsigmoid_op = activation(hardsigmoid, "``input / 6 + 0.5``, kept between 0 and 1.", kernel_name="hardsigmoid_cpu",
           input="tied(only(g * SIXTH, (input > -3) & (input < 3)), input)")  # fmt: skip
hardswish_op = activation(hardswish, "The input times its hardsigmoid.", kernel_name="hardswish_cpu",
           input="only(g * masked_fill(input / 3 + 0.5, ~(input < 3), 1), ~(input <= -3))")  # fmt: skip


# ── curves ───────────────────────────────────────────────────────────────────
def softplus(input, beta=1.0, threshold=20.0):
    scaled = input if beta == 1 else np.multiply(input, as_array(beta, input))
    out = np.log1p(exp(np.minimum(scaled, as_array(threshold, input))))
    if beta != 1:
        out = np.divide(out, as_array(beta, input), own(out))
    return np.where(scaled > as_array(threshold, input), input, out)


def logsigmoid(input):
    out = np.negative(np.abs(input))
    out = np.log1p(exp(out))
    return np.subtract(np.minimum(input, as_array(0, input)), out, own(out))


sigmoid = ARRAYS["sigmoid"]


def silu(input):
    return np.multiply(input, sigmoid(input))


def mish(input):
    return np.multiply(input, np.tanh(softplus(input)))


def mish_slope(input):
    """The derivative of mish, in rational functions of exp(x), of which the first loses no digits about its root, -1.19.

    Narrow dtypes are computed as float64, in the time that the hyperbolic functions of the textbook's form take.
    """
    x = np.minimum(input.astype(np.float64), 40)  # beyond, the slope is 1 and powers of exp(x) would overflow
    e = np.exp(x)
    d = (e + 2) * e + 2
    slope = (((e + 4) * e + 4 * x + 6) * e + 4 * x + 4) * e / d / d
    if input.dtype == np.float64:
        slope = np.where(x < -0.5, slope, (e + 2 + 4 * x * (e + 1) / d) * e / d)
    return slope.astype(input.dtype)


def mish_slope_recorded(input):
    t = TENSORS["tanh"](TENSORS["softplus"](input))
    return t + input * TENSORS["sigmoid"](input) * (1 - t * t)


ARRAYS["mish_slope"], TENSORS["mish_slope"] = mish_slope, mish_slope_recorded


softplus_op = activation(softplus, "``log(1 + exp(beta * input)) / beta``; the input itself where ``beta * input > threshold``.",
           kernel_name="softplus_cpu", input="g * masked_fill(sigmoid(input * beta), input * beta > threshold, 1)")  # fmt: skip
logsigmoid_op = activation(logsigmoid, "The logarithm of the sigmoid.", node="LogSigmoidBackward0", kernel_name="log_sigmoid_cpu",
           input="g * sigmoid(-input)")  # fmt: skip
silu_op = activation(silu, "The input times its sigmoid.", types="fc", kernel_name="silu_cpu", let={"s": "sigmoid(input)"}, input="g * conj(s * (1 + input * (1 - s)))")  # fmt: skip
mish_op = activation(mish, "The input times the tanh of its softplus.", kernel_name="mish_cpu",
           input="g * mish_slope(input)")  # fmt: skip


def gelu(input):
    out = erf(np.multiply(input, as_array(HALF_ROOT, input)))
    out = np.multiply(np.add(out, as_array(1, input), own(out)), as_array(0.5, input), own(out))
    return np.multiply(out, input, own(out))


gelu_op = activation(gelu, "The input times the normal distribution's function of it.", kernel_name="GeluKernelImpl",
           input="g * (0.5 * (1 + erf(input * HALF_ROOT)) + input * (NORMAL * exp(-0.5 * input * input)))")  # fmt: skip


def gelu_tanh(input):
    """x / (1 + exp(-2 u)), which is x (1 + tanh(u)) / 2 without the loss of all digits where the tanh is nearly -1."""
    inner = np.multiply(input, input)
    inner = np.multiply(inner, as_array(0.044715, input), own(inner))
    inner = np.multiply(np.add(inner, as_array(1, input), own(inner)), input, own(inner))
    out = np.exp(np.multiply(inner, as_array(-2 * TANH_SCALE, input), own(inner)), own(inner))
    return np.divide(input, np.add(out, as_array(1, input), own(out)), own(out))


gelu_tanh_op = activation(gelu_tanh, "The input times an approximation of the normal distribution's function.", node="GeluBackward0",
          kernel_name="GeluKernelImpl",
          let={"t": "tanh(TANH_SCALE * (input + 0.044715 * input * input * input))"},
          input="g * 0.5 * (1 + t + input * (1 - t * t) * TANH_SCALE * (1 + 0.134145 * input * input))")  # fmt: skip


# ── with weights, or in halves ───────────────────────────────────────────────
@op(public=False, out=False, node="PreluKernelBackward0", types="f", kernel_name="prelu_cpu",
    input="tied(where(input > 0, g, g * weight), input)", weight="tied(masked_fill(g * input, input > 0, 0), weight)")  # fmt: skip
def prelu_kernel(input, weight):
    """The input where it is positive, ``weight`` times it elsewhere."""
    return np.where(input > 0, input, np.multiply(weight, input))


@op(public=False, types="f", kernel_name="glu_cpu",
    let={"s": "sigmoid(half(input, dim, 1))"},
    input="cat((g * s, g * half(input, dim, 0) * s * (1 - s)), dim)")  # fmt: skip
@in_float32
def glu(input, dim=-1):
    """The first half of the input along ``dim`` times the sigmoid of the second."""
    return np.multiply(half(input, dim, 0), sigmoid(half(input, dim, 1)))


@word
def half(input, dim, which):
    """The first (0) or second (1) half along ``dim``."""
    size = input.shape[dim] // 2
    return input[(slice(None),) * (dim % input.ndim) + (slice(which * size, (which + 1) * size),)]
