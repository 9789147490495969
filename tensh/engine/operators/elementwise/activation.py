"""Activations: pointwise functions of one tensor.

Most have a bound where the slope changes; the slope at the bound is PyTorch's.  Some in-place forms have their own
node, whose derivative reads the result, since the input is overwritten.
"""

import math

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.arrays.threads import map_rows, parallel_kernel
from tensh.engine.codegen.chain_writer import FORMULAS, exp_of_polynomial
from tensh.engine.codegen.chains import BLOCK, Chain
from tensh.engine.codegen.derivatives import UNRECORDED
from tensh.engine.codegen.mixing import ZERO
from tensh.engine.codegen.scalars import largest
from tensh.engine.codegen.table import op, pointwise
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.elementwise.table import NO_CLAMP
from tensh.engine.operators.elementwise.vectors import VECTORS, compute_in_vectors
from tensh.engine.operators.kernels import LARGE, ONE, choose
from tensh.engine.operators.precision import compute_in_float32, is_half, widen
from tensh.engine.operators.special.error_functions import FEW

for vocabulary in (ARRAYS, TENSORS):
    vocabulary |= {
        "HALF_ROOT": math.sqrt(0.5),
        "NORMAL": math.sqrt(0.5 / math.pi),
        "TANH_SCALE": math.sqrt(2 / math.pi),
    }
    vocabulary["SIXTH"] = float(np.float32(1 / 6))  # single precision in PyTorch, whatever the input's is


HALF_ROOT, NORMAL, TANH_SCALE = ARRAYS["HALF_ROOT"], ARRAYS["NORMAL"], ARRAYS["TANH_SCALE"]


def activation(kernel, doc, *, types="f", **keywords):
    """Declare a pointwise function of floating point numbers."""
    return pointwise(
        kernel if isinstance(kernel, Chain) or hasattr(kernel, "write_into") else compute_in_float32(kernel),
        doc,
        inplace=False,
        public=False,
        types=types,
        **{"fused": True} | keywords,
    )


@word
def refuse_negative(slope, name):
    """Return ``slope``; raise RuntimeError if it is negative, since the input cannot be recovered from the result."""
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
@word
def require_alpha(alpha):
    """Return ``alpha``; raise RuntimeError if it is 0."""
    if alpha:
        return alpha
    raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")


elu = Chain("elu", "input", "where(input > 0, input * scale, expm1(input * input_scale) * (alpha * scale))",
            numbers="alpha=1.0, scale=1.0, input_scale=1.0")  # fmt: skip
celu = Chain(
    "celu", "input", "where(input > 0, input, expm1(input * (1.0 / require_alpha(alpha))) * alpha)", numbers="alpha=1.0"
)


# as in PyTorch, nan takes the slope of the positive piece, and zero keeps its slope
ELU = "g * masked_fill({0} * exp(only(input, input < 0) * {1}), ~(input <= 0), {2})"
elu_op = activation(elu, "``scale * input`` above zero, ``scale * alpha * (exp(input_scale * input) - 1)`` below.", kernel_name="elu_cpu",
           input=ELU.format("(alpha * scale * input_scale)", "input_scale", "scale"))  # fmt: skip
celu_op = activation(celu, "The input above zero, ``alpha * (exp(input / alpha) - 1)`` below.", kernel_name="elu_cpu",
           input=ELU.format(1, "(1 / alpha)", 1))  # fmt: skip
elu_over = activation(elu, "``elu``, written over the input.", name="elu_over", node="EluBackward1", kernel_name="elu_cpu",
           input="g * masked_fill((only(out, out < 0) + refuse_negative(alpha, 'elu') * scale) * input_scale, ~(out <= 0), scale)")  # fmt: skip
celu_over = activation(celu, "``celu``, written over the input.", name="celu_over", node="CeluBackward1", kernel_name="elu_cpu",
           input="g * masked_fill(only(out, out < 0) / refuse_negative(alpha, 'elu') + 1, ~(out <= 0), 1)")  # fmt: skip


# ── straight pieces ──────────────────────────────────────────────────────────
leaky_relu = Chain("leaky_relu", "input",
                   "maximum(input, input * negative_slope) if 0 < negative_slope <= 1 else where(input > 0, input, input * negative_slope)",
                   numbers="negative_slope=0.01")  # fmt: skip
LEAKY = "tie(where(input > 0, g, g * negative_slope), input)"
leaky_relu_op = activation(
    leaky_relu,
    "The input where it is positive, ``negative_slope`` times it elsewhere.",
    kernel_name="leaky_relu_cpu",
    input=LEAKY,
)
leaky_relu_over = activation(leaky_relu, "``leaky_relu``, written over the input.", name="leaky_relu_over", node="LeakyReluBackward1",
           kernel_name="leaky_relu_cpu", input=LEAKY.replace("input", "out").replace("negative_slope", "refuse_negative(negative_slope, 'leakyReLu')"))  # fmt: skip


threshold = Chain("threshold", "input", "where(input <= threshold, value, input)", numbers="threshold, value")


def declare_threshold(name, node):
    """Declare the threshold, for which PyTorch has two nodes."""
    return pointwise(threshold, "The input where it is more than ``threshold``, ``value`` elsewhere.", name=name, node=node,
              public=False, inplace=False, types="iuf", kernel_name="threshold_cpu",
              input="tie(masked_fill(g, input <= threshold, 0), input)")  # fmt: skip


threshold_op = declare_threshold("threshold", "ThresholdBackward0")
threshold_over = declare_threshold("threshold_over", "ThresholdBackward1")


hardtanh_of_signed = Chain(
    "hardtanh", "input", "clip(input, min_val, max_val)", numbers="min_val=-1.0, max_val=1.0", narrow=True
)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    if input.dtype.kind == "u":
        min_val, max_val = int(min_val), int(max_val)
        if min_val < 0 or max_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return hardtanh_of_signed.quick(input, min_val, max_val)


hardtanh.write_into, hardtanh.in_blocks = hardtanh_of_signed.write_into, True


hardtanh_op = pointwise(hardtanh, "The input clamped between two numbers.", public=False, inplace=False, fused=True, types="iuf",
          refusal={"b": RuntimeError("Bool inputs not supported for hardtanh")} | NO_CLAMP,
          input="tie(masked_fill(g, (input <= min_val) | (input >= max_val), 0), input)")  # fmt: skip


hardshrink = Chain("hardshrink", "input", "where(abs(input) <= lambd, 0, input)", numbers="lambd=0.5", narrow=True)
# numbers set to zero keep their sign
shrink = Chain("softshrink", "input", "give_sign(abs(input - clip(input, -lambd, lambd)), input)", numbers="lambd=0.5")


def softshrink(input, lambd=0.5):
    require_lambda(lambd, input)
    if not input.ndim:
        return shrink.quick(input, lambd)
    kernel = shrink_halves if is_half(input.dtype) else shrink.quick

    def at_once(input):  # in vectors, zeros are positive
        out = kernel(input, lambd)
        return np.add(out, ZERO[out.dtype], out)

    return compute_in_vectors(VECTORS * 2 // input.itemsize, at_once, lambda input: kernel(input, lambd), input)


def write_softshrink(out, input, lambd=0.5):
    out[...] = softshrink(input, lambd)


softshrink.write_into, softshrink.in_blocks = write_softshrink, True


def shrink_halves(input, lambd):
    return convert(shrink.quick(widen(input), lambd), input.dtype)


def require_lambda(lambd, input):
    most = largest(BY_NUMPY[input.dtype])
    if not 0 <= lambd <= most:
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {BY_NUMPY[input.dtype].title}, but found {lambd:g}"
        )


SHRUNK = "tie(masked_fill(g, (input >= -lambd) & (input <= lambd), 0), input)"
hardshrink_op = activation(hardshrink, "The input, but 0 where it is between ``-lambd`` and ``lambd``.", input=SHRUNK)
softshrink_op = activation(softshrink, "The input moved by ``lambd`` towards zero, but not past it.  Raise RuntimeError for a negative ``lambd``.",
           kernel_name="softshrink_check", input=SHRUNK)  # fmt: skip


# the sum is exact near -3, where the result is nearly 0
hardsigmoid = Chain("hardsigmoid", "input", "clip(input + 3, 0, 6) / 6")
hardswish = Chain("hardswish", "input", "input * clip(input + 3, 0, 6) / 6")
hardsigmoid_op = activation(hardsigmoid, "``input / 6 + 0.5``, clamped to [0, 1].", kernel_name="hardsigmoid_cpu",
           input="tie(only(g * SIXTH, (input > -3) & (input < 3)), input)")  # fmt: skip
hardswish_op = activation(hardswish, "The input times its hardsigmoid.", kernel_name="hardswish_cpu",
           input="only(g * masked_fill(input / 3 + 0.5, ~(input < 3), 1), ~(input <= -3))")  # fmt: skip


# ── curves ───────────────────────────────────────────────────────────────────
softplus = Chain("softplus", "input", "pick(scaled > threshold, input, log1p(exp(scaled)) / beta)",
                 let={"scaled": "input * beta"}, numbers="beta=1, threshold=20")  # fmt: skip
logsigmoid = Chain("logsigmoid", "input", "minimum(input, 0) - log1p(exp(-abs(input)))")
silu = Chain("silu", "input", "input / (library_exp(-input) + 1)")
sigmoid = ARRAYS["sigmoid"]


mish = Chain("mish", "input", "input * library_tanh(log1p(exp(input)))")


def mish_slope(input):
    """The derivative of mish in rational functions of exp(x), the first of which is exact near its root, -1.19.

    Narrow dtypes are computed in float64, which takes no longer than the hyperbolic functions of the textbook form.
    """
    x = np.minimum(input.astype(np.float64), 40)  # beyond, the slope is 1 and powers of exp(x) would overflow
    e = np.exp(x)
    d = (e + 2) * e + 2
    slope = (((e + 4) * e + 4 * x + 6) * e + 4 * x + 4) * e / d / d
    if input.dtype == np.float64:
        slope = np.where(x < -0.5, slope, (e + 2 + 4 * x * (e + 1) / d) * e / d)
    return slope.astype(input.dtype)


def record_mish_slope(input):
    t = TENSORS["tanh"](TENSORS["softplus"](input))
    return t + input * TENSORS["sigmoid"](input) * (1 - t * t)


ARRAYS["mish_slope"], TENSORS["mish_slope"] = parallel_kernel(mish_slope, 1), record_mish_slope


def derive_logsigmoid_of_halves(g, input):
    """The gradient of 16 bit numbers, from exp(-|x|) as the forward pass keeps it: rounded."""
    small = widen(np.exp(-np.abs(widen(input))).astype(input.dtype))
    part = small / (small + 1)
    return (convert(np.where(input < 0, 1 - part, part) * widen(g), g.dtype),)


softplus_op = activation(softplus, "``log(1 + exp(beta * input)) / beta``; the input itself where ``beta * input > threshold``.",
           kernel_name="softplus_cpu", input="g * masked_fill(sigmoid(input * beta), input * beta > threshold, 1)")  # fmt: skip
logsigmoid_op = activation(logsigmoid, "The logarithm of the sigmoid.", node="LogSigmoidBackward0", kernel_name="log_sigmoid_cpu",
           fused=derive_logsigmoid_of_halves, input="g * sigmoid(-input)")  # fmt: skip
silu_op = activation(silu, "The input times its sigmoid.", fused=UNRECORDED, types="fc", kernel_name="silu_cpu", let={"s": "sigmoid(input)"}, input="g * conj(s) * conj(1 + input * (1 - s))")  # fmt: skip
mish_op = activation(mish, "The input times the tanh of its softplus.", fused=UNRECORDED, kernel_name="mish_cpu",
           input="g * mish_slope(input)")  # fmt: skip


# In float32 the odds of the normal distribution, its function of -x by that of x, are exp(x P(x**2)): the largest error of the
# function is 3e-8.  It takes half as many steps as erf, whose two pieces are as exact near zero as far from it.
ODDS = (
    -3.512428879887773e-09, 2.6452951290265567e-07, -7.929520708921918e-06, 1.1061254147699507e-04, 6.518963019465558e-05,
    -0.0726661688968875, -1.5957698829690998,
)  # fmt: skip
FORMULAS["odds_of_square"] = "x square", exp_of_polynomial("square", ODDS, "x")
FORMULAS["odds"] = "x", "odds_of_square(x, x * x)"
FORMULAS["gelu_slope"] = "x", "1 / (odds(x) + 1) + library_exp(x * x * -0.5) * NORMAL * x"
exact_gelu = Chain("gelu", "input", "(erf(input * HALF_ROOT) + 1) * 0.5 * input")
quick_gelu = Chain("gelu", "input", "input / (odds(input) + 1)")
exact_gelu_slope = Chain(
    "gelu_slope", "input", "0.5 * (1 + erf(input * HALF_ROOT)) + input * (NORMAL * exp(-0.5 * input * input))"
)
quick_gelu_slope = Chain("gelu_slope", "x", "gelu_slope(x)")


def exact_or_quick(exact, quick):
    """The chain for few elements or float64, and the chain for all others."""

    def chain_for(input):
        return exact if input.size < FEW or input.dtype.itemsize == 8 else quick

    def kernel(input):
        return chain_for(input).quick(input)

    kernel.write_into = lambda out, input: chain_for(input).write_into(out, input)
    kernel.in_blocks, kernel.__name__ = True, exact.__name__
    return kernel


gelu = exact_or_quick(exact_gelu, quick_gelu)
gelu_op = activation(gelu, "The input times the standard normal distribution function of the input.", kernel_name="GeluKernelImpl",
           input="g * gelu_slope(input)")  # fmt: skip


def record_gelu_slope(input):
    return 0.5 * (1 + TENSORS["erf"](input * HALF_ROOT)) + input * (NORMAL * TENSORS["exp"](-0.5 * input * input))


ARRAYS["gelu_slope"] = parallel_kernel(exact_or_quick(exact_gelu_slope, quick_gelu_slope), 1)
TENSORS["gelu_slope"] = record_gelu_slope


# x / (1 + exp(-2 u)) equals x (1 + tanh(u)) / 2, without cancellation where tanh is nearly -1
gelu_tanh = Chain(
    "gelu_tanh", "input", "input / (library_exp((input * input * 0.044715 + 1) * input * (-2 * TANH_SCALE)) + 1)"
)


def gelu_tanh_slope(input):
    """The derivative of gelu by tanh, s (1 + 2 x u' (1 - s)) with s = 1 / (1 + exp(-2 u)), which cancels near -0.75 only.

    Narrow dtypes are computed in float64, so only digits beyond their precision are lost.
    """
    x = np.clip(np.atleast_1d(input), -20, 20, dtype=np.float64)  # beyond, the slope is 0 or 1
    square = x * x
    rest = square * (-2 * TANH_SCALE * 0.044715)
    rest -= 2 * TANH_SCALE
    rest *= x
    np.exp(rest, rest)  # (1 - s) / s
    total = rest + 1
    rest /= total
    square *= 2 * TANH_SCALE * 0.134145
    square += 2 * TANH_SCALE
    square *= x
    square *= rest
    square += 1
    square /= total
    slope = square.astype(input.dtype, copy=False)
    return np.add(slope, ZERO[slope.dtype], slope).reshape(input.shape)  # no -0


def record_gelu_tanh_slope(input):
    t = TENSORS["tanh"](TANH_SCALE * (input + 0.044715 * input * input * input))
    return 0.5 * (1 + t + input * (1 - t * t) * TANH_SCALE * (1 + 0.134145 * input * input))


ARRAYS["gelu_tanh_slope"], TENSORS["gelu_tanh_slope"] = parallel_kernel(gelu_tanh_slope, 1), record_gelu_tanh_slope

gelu_tanh_op = activation(gelu_tanh, "The input times an approximation of the standard normal distribution function.", node="GeluBackward0",
          kernel_name="GeluKernelImpl",
          input="g * gelu_tanh_slope(input)")  # fmt: skip


# ── weighted and gated ───────────────────────────────────────────────────────
def write_prelu(out, input, weight):
    np.multiply(weight, input, out)
    if ((weight > 0) & (weight <= 1)).all():  # the larger one, then, also of infinities
        np.maximum(out, input, out=out)
    else:
        np.copyto(out, choose(input > 0, input, out))


@op(public=False, out=False, fused=True, parallel=write_prelu, node="PreluKernelBackward0", types="f", kernel_name="prelu_cpu",
    input="tie(where(input > 0, g, g * weight), input)", weight="tie(masked_fill(g * input, input > 0, 0), weight)")  # fmt: skip
def prelu_kernel(input, weight):
    """The input where it is positive, ``weight`` times it elsewhere."""
    if input.size >= LARGE:
        out = np.empty_like(input)
        write_prelu(out, input, weight)
        return out
    return choose(input > 0, input, np.multiply(weight, input))


def derive_glu_of_halves(g, input, dim):
    """The gradients of 16 bit numbers, from the rounded sigmoid."""
    s, one, g = widen(sigmoid(half(input, dim, 1))), widen(half(input, dim, 0)), widen(g)
    return (convert(np.concatenate((g * s, (1 - s) * s * one * g), dim), input.dtype),)


def glu_slopes(g, input, dim):
    """Compute both halves of the gradient some rows at a time, and write them where they belong."""
    dim %= input.ndim
    width = math.prod(input.shape[dim:]) // 2
    rows, out = input.reshape(-1, 2, width), np.empty(input.shape, g.dtype)
    slopes, halves = g.reshape(-1, width), out.reshape(-1, 2, width)

    def work(part):
        g, x = slopes[part], rows[part]
        s = sigmoid(np.ascontiguousarray(x[:, 1]))
        np.multiply(g, s, halves[part, 0])
        second = np.multiply(np.multiply(g, x[:, 0], halves[part, 1]), s, halves[part, 1])
        np.multiply(second, np.subtract(ONE[s.dtype], s, s), second)

    map_rows(work, len(rows), 2 * width, BLOCK)
    return out


def record_glu_slopes(g, input, dim):
    s = TENSORS["sigmoid"](half(input, dim, 1))
    return TENSORS["cat"]((g * s, g * half(input, dim, 0) * s * (1 - s)), dim)


ARRAYS["glu_slopes"], TENSORS["glu_slopes"] = glu_slopes, record_glu_slopes


@op(public=False, fused=derive_glu_of_halves, types="f", kernel_name="glu_cpu", input="glu_slopes(g, input, dim)")  # fmt: skip
@compute_in_float32
def glu(input, dim=-1):
    """The first half of the input along ``dim`` times the sigmoid of the second."""
    return np.multiply(half(input, dim, 0), sigmoid(half(input, dim, 1)))


@word
def half(input, dim, which):
    """Return the first (0) or second (1) half along ``dim``."""
    size = input.shape[dim] // 2
    return input[(slice(None),) * (dim % input.ndim) + (slice(which * size, (which + 1) * size),)]
