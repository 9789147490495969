"""Pointwise operators: one line each - the kernel, its meaning, and the derivative of every input.

``conj`` costs nothing on real arrays; complex gradients follow PyTorch's convention (the conjugate Wirtinger
derivative).
An operator's own message for an unsupported dtype is its ``refusal``.
"""

import math

import numpy as np

from tensh.engine.codegen.table import OR_THE_SAME, op, pointwise
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS, word
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import refuse_dtype
from tensh.engine.inplace.out import require_bool, require_dtype_of_input, require_same_dtype, require_same_or_real
from tensh.engine.operators import kernels
from tensh.engine.operators.elementwise import (  # noqa: F401 - words of derivatives
    arcs,
    arithmetic,
    elementary,
    exponents,
    infinities,
    log10,
    powers,
)
from tensh.engine.operators.precision import imaginary_of, real_of

for vocabulary in (ARRAYS, TENSORS):
    vocabulary |= {"LN2": math.log(2), "LN10": math.log(10), "PI": math.pi, "NAN": math.nan}


def not_complex(text, error=RuntimeError):
    """Make the ``refusal`` of complex numbers with this message."""
    return {"c": error(text)}


# ── choosing, for many derivatives ───────────────────────────────────────────
@op(parallel=kernels.write_unless, public=False, node="WhereBackward0", constant_edges=(0, 1),
    input="only(g, mask)", mask=None)  # fmt: skip
def only(input, mask):
    """The input where ``mask`` is true, zero elsewhere."""
    return kernels.zero_unless(input, mask)


@op(parallel=kernels.write_filled, public=False, node="WhereBackward0", constant_edges=(1, 0),
    input="none_where(g, mask)", mask=None)  # fmt: skip
def none_where(input, mask):
    """Zero where ``mask`` is true, the input elsewhere."""
    return kernels.fill_where(input, mask, 0)


@op(parallel=kernels.write_filled, public=False, mask=None, input="masked_fill(g, mask, 0)")
def masked_fill(input, mask, value):
    """The input with the number ``value`` where ``mask`` is true."""
    return kernels.fill_where(input, mask, value)


@op(parallel=True, public=False, node="MaskedFillBackward1", mask=None, input="masked_fill(g, mask, 0)",
    value="sum_to(only(g, mask), ())")  # fmt: skip
def masked_fill_tensor(input, mask, value):
    """The input with ``value``, a 0-d tensor, where ``mask`` is true."""
    return np.where(mask, value.astype(input.dtype), input)


@op(parallel=kernels.write_chosen, public=False, condition=None,
    input="only(g, condition)", other="masked_fill(g, condition, 0)")  # fmt: skip
def where(condition, input, other):
    """The elements of ``input`` where the condition is true, those of ``other`` elsewhere."""
    return kernels.choose(condition, input, other)


# ── arithmetic ───────────────────────────────────────────────────────────────
BOTH = "input other"
UNKNOWN = dict.fromkeys(BOTH.split(), "NotImplemented")
BOOLS = {"mixing": arithmetic.refuse_bools, "refusal": {"b": arithmetic.SUB_BOOLS}}

add = pointwise(np.add, "Sum of input and other, or of input and ``alpha`` times other.", name="add", numbers=BOTH, keyword_variants={"alpha": (1, "add_scaled")},
          inplace="method", kernel_name="add_stub", input="g", other="g")  # fmt: skip
sub = pointwise(np.subtract, "Difference of input and other, or of input and ``alpha`` times other.", name="sub", numbers=BOTH, keyword_variants={"alpha": (1, "sub_scaled")},
          **BOOLS, inplace="method", kernel_name="add_stub", input="g", other="-g")  # fmt: skip
pointwise(arithmetic.reversed_difference, "Difference of other and input, or of other and ``alpha`` times input.", name="rsub", node="RsubBackward0",
          numbers={"other": "RsubBackward1"}, keyword_variants={"alpha": (1, "rsub_scaled")}, **BOOLS, kernel_name="add_stub",
          inplace=False, out=False, public="function", input="-g", other="g")  # fmt: skip
mul = pointwise(np.multiply, "Product of input and other.", name="mul", numbers=BOTH, exact=("other",), inplace="method",
          input="g * conj(other)", other="g * conj(input)")  # fmt: skip
pointwise(np.true_divide, "Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down.", name="div", numbers=BOTH, exact=("other",), floats=True, inplace="method",
          keyword_variants={"rounding_mode": (None, "div_rounded")},
          input="g / conj(other)", other="-g * conj(input / other / other)")  # fmt: skip
pointwise(arithmetic.add_scaled, "Sum of input and alpha times other.", numbers=BOTH, node="AddBackward0",
          public=False, inplace=False, input="g", other="g * alpha.conjugate()")  # fmt: skip
pointwise(arithmetic.sub_scaled, "Difference of input and alpha times other.", numbers=BOTH, **BOOLS,
          node="SubBackward0", public=False, inplace=False, input="g", other="-g * alpha.conjugate()")  # fmt: skip
pointwise(arithmetic.rsub_scaled, "Difference of other and alpha times input.", numbers={"other": "RsubBackward1"},
          **BOOLS, node="RsubBackward0", public=False, inplace=False, input="-g * alpha.conjugate()", other="g")  # fmt: skip
pointwise(arithmetic.divide_rounded, "Quotient, rounded towards zero or down.", name="div_rounded", numbers=BOTH, exact=("other",),
          node="DivBackward2", public=False, inplace=False,
          input="nothing(g, other)", other="nothing(g, input, other)")  # fmt: skip
floor_divide = pointwise(arithmetic.floor_divide, "Quotient, rounded down.", numbers=UNKNOWN, exact=("other",), types="iuf", kernel_name="div_floor_cpu",
          node="NotImplemented", inplace="method",
          input="not_differentiable('floor_divide')", other="not_differentiable('floor_divide')")  # fmt: skip
remainder = pointwise(arithmetic.remainder, "The remainder of the division that rounds down; it has the divisor's sign.  Raise RuntimeError for an integer divided by 0.",
          numbers={"input": "NotImplemented", "other": "RemainderBackward0"}, types="iuf",
          node="RemainderBackward1", inplace="method", input="g", other="-g * div_rounded(input, other, 'floor')")  # fmt: skip
pointwise(arithmetic.fmod, "The remainder of the division that rounds towards zero; it has the dividend's sign.  Raise RuntimeError for an integer divided by 0.",
          numbers={"other": "FmodBackward0"}, types="iuf", node="FmodBackward1",
          inplace="method", input="g", other="-g * div_rounded(input, other, 'trunc')")  # fmt: skip
pointwise(
    np.negative,
    "The negative of input.",
    name="neg",
    refusal={"b": arithmetic.NEG_BOOL},
    takes_out=require_same_dtype,
    input="-g",
)
reciprocal = pointwise(
    exponents.reciprocal, "The reciprocal of input.", name="reciprocal", floats=True, input="-g * conj(out * out)"
)
pointwise(np.gcd, "Greatest common divisor of integers.", name="gcd", types="iu", input=None, other=None)
pointwise(arithmetic.lcm, "Least common multiple of integers.", name="lcm", types="iu", input=None, other=None)

# ── signs ────────────────────────────────────────────────────────────────────
abs_op = pointwise(np.absolute, "Absolute value of input.", name="abs", types="iufcW8", inplace=False,
          takes_out=require_same_or_real, input="g * sgn(input)")  # fmt: skip
pointwise(elementary.sign, "Sign of input: -1, 0 or 1.", types="biuf", inplace="method", takes_out=require_same_dtype, input="nothing(g)",
          refusal=not_complex("Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
                              "torch.sgn instead.", NotImplementedError))  # fmt: skip
pointwise(elementary.sign, "Sign of input; a complex number divided by its absolute value.", name="sgn",
          inplace="method", takes_out=require_same_dtype, input="nothing(g) if input.dtype.kind not in 'cW' else "
                "masked_fill((g - real_part(g * conj(out)) * out) / abs(input), input == 0, 0)")  # fmt: skip
pointwise(elementary.signbit, "True where the sign bit of input is set.", types="biuf", inplace=False, takes_out=require_bool, input=None,
          refusal=not_complex("signbit is not implemented for complex tensors.", NotImplementedError))  # fmt: skip
pointwise(np.copysign, "The absolute value of input with the sign of other.", name="copysign", floats=True,
          types="biuf", numbers={"other": "CopysignBackward1"}, inplace="method",
          input="g * masked_fill(out / input, input == 0, 0)", other="nothing(g)")  # fmt: skip
pointwise(elementary.heaviside, "0 below zero, ``values`` at zero, 1 above.", types="biuf", inplace="method",
          mixing=elementary.one_dtype, refusal=not_complex("heaviside is not yet implemented for complex tensors."),
          node="NotImplemented", input="not_differentiable('heaviside')", values="not_differentiable('heaviside')")  # fmt: skip

# ── rounding ─────────────────────────────────────────────────────────────────
pointwise(elementary.ceil, "Input rounded up to the next integer.", types="iuf", kernel_name="ceil_vml_cpu",
          refusal=not_complex("ceil is not supported for complex inputs", NotImplementedError),
          takes_out=require_same_dtype, input="nothing(g)")  # fmt: skip
pointwise(elementary.floor, "Input rounded down to the next integer.", types="iuf",
          kernel_name="floor_vml_cpu", refusal=not_complex("floor is not supported for complex inputs", NotImplementedError),
          takes_out=require_same_dtype, input="nothing(g)")  # fmt: skip
pointwise(elementary.trunc, "Input rounded towards zero.", types="iuf", kernel_name="trunc_vml_cpu",
          refusal=not_complex("trunc is not supported for complex inputs", NotImplementedError),
          takes_out=require_same_dtype, input="nothing(g)")  # fmt: skip
pointwise(elementary.round, "Input rounded to the nearest integer, halves to even; ``decimals`` is the number of decimal places to keep.", types="iuf",
          kernel_name="round_vml_cpu", keyword_variants={"decimals": (0, "round_decimals")}, takes_out=require_same_dtype, input="nothing(g)")  # fmt: skip
pointwise(elementary.round_decimals, "Input rounded to a number of decimal places.", types="f",
          kernel_name="round_cpu", node="RoundBackward1", public=False, inplace=False, input="nothing(g)")  # fmt: skip
pointwise(
    elementary.frac, "The fractional part of input, with its sign.", types="f", takes_out=require_same_dtype, input="g"
)
pointwise(np.nextafter, "The next number after input in the direction of other.", name="nextafter", types="f", inplace="method",
          input="only(g, input != other)", other="nothing(g)")  # fmt: skip
nan_to_num = pointwise(infinities.nan_to_num, "Input with numbers for nan (0) and the infinities (the largest of the dtype).  "
          "Raise RuntimeError for complex numbers.",
          types="biufc", kernel_name="nan_to_num", inplace=False, takes_out=require_dtype_of_input, input="g * isfinite(input)")  # fmt: skip

# ── powers and roots ─────────────────────────────────────────────────────────
pow_op = pointwise(exponents.power, "Input to the power of exponent.", name="pow", types="biufc", kernel_name="pow", exact=("input", "exponent"),
          inplace="method", mixing=exponents.check_exponent,
          numbers={"input": "PowBackward2", "exponent": ("PowBackward0", "power_by_number(g, input, exponent)")},
          node="PowBackward1", input="none_where(g * conj(exponent * pow(input, less_one(exponent))), exponent == 0)",
          exponent="g * power_exponent(out, input, exponent)")  # fmt: skip
pointwise(exponents.square, "Input squared; bools give integers.", types="biufc", kernel_name="pow",
          node="PowBackward0", input="g * conj(twice(input))")  # fmt: skip
pointwise(np.sqrt, "Square root of input.", name="sqrt", floats=True, input="g / (conj(out) * 2)")
pointwise(exponents.rsqrt, "The reciprocal of the square root of input.", floats=True,
          input="g * -0.5 * conj(cubed(out))")  # fmt: skip
pointwise(elementary.hypot, "Length of the hypotenuse over the legs input and other.", name="hypot", types="f",
          inplace="method", input="g * input / out", other="g * other / out")  # fmt: skip

# ── exponentials and logarithms ──────────────────────────────────────────────
pointwise(elementary.exp, "e to the power of input.", name="exp", floats=True, input="g * conj(out)")
pointwise(elementary.exp2, "2 to the power of input.", floats=True, kernel_name="exp2", input="g * conj(out) * LN2")
pointwise(elementary.expm1, "e to the power of input, minus 1, accurate near 0.", name="expm1", floats=True,
          input="g * (conj(out) + 1)")  # fmt: skip
pointwise(elementary.log, "Natural logarithm of input.", name="log", floats=True, input="g / conj(input)")
pointwise(elementary.log2, "Logarithm of input to base 2.", name="log2", floats=True, input="g / (conj(input) * LN2)")
pointwise(log10.log10, "Logarithm of input to base 10.", name="log10", floats=True, input="g / (conj(input) * LN10)")
pointwise(elementary.log1p, "Natural logarithm of 1 + input, accurate near 0.", name="log1p", floats=True,
          input="g / (conj(input) + 1)")  # fmt: skip
pointwise(elementary.ldexp, "Input times 2 to the power of other.", floats=True, kernel_name="pow", mixing=elementary.check_power,
          input="g * exp2(conj(other))", other="g * conj(out) * LN2")  # fmt: skip
pointwise(elementary.logaddexp, "Logarithm of the sum of the exponentials of input and other.", types="fc",
          inplace=False, input="g / (1 + exp(conj(other - input)))", other="g / (1 + exp(conj(input - other)))")  # fmt: skip
pointwise(elementary.logaddexp2, "log2(2 ** input + 2 ** other), without overflow.", types="f", inplace=False,
          input="g / (1 + exp2(other - input))", other="g / (1 + exp2(input - other))")  # fmt: skip
xlogy = pointwise(elementary.product_unless_zero(elementary.log), "Input times the logarithm of other; 0 where input is 0.",
          name="xlogy", floats=True, types="biuf", numbers={"input": "XlogyBackward1", "other": "XlogyBackward2"},
          input="masked_fill(xlogy(g, other), (input == 0) & (other <= 0), 0)", other="g * input / other")  # fmt: skip
pointwise(elementary.product_unless_zero(elementary.log1p), "Input times the logarithm of 1 + other; 0 where input is 0.",
          name="special_xlog1py", floats=True, types="biuf", public=False, inplace=False, kernel_name="xlog1py_cpu",
          numbers={"input": "SpecialXlog1PyBackward1", "other": "SpecialXlog1PyBackward2"},
          input="masked_fill(special_xlog1py(g, other), (input == 0) & (other <= -1), 0)",
          other="g * input / (other + 1)")  # fmt: skip
pointwise(elementary.entr, "-input log(input): 0 at 0, -inf below.", name="special_entr", floats=True, types="biuf",
          public=False, inplace=False, kernel_name="entr_cpu", input="g * -(log(input) + 1)")  # fmt: skip
pointwise(elementary.sigmoid, "1 / (1 + exp(-input)).", floats=True, input="sigmoid_backward(g, out)")
pointwise(elementary.logit, "log(input / (1 - input)); ``eps`` keeps input away from 0 and 1.", floats=True,
          types="biuf", input="where_else(g / (input * (1 - input)), ~outside(input, eps), "
                              "NAN if eps is None or eps < 0 else 0)")  # fmt: skip

# ── trigonometry ─────────────────────────────────────────────────────────────
pointwise(elementary.sin, "Sine of input.", name="sin", floats=True, input="g * conj(cos(input))")
pointwise(elementary.cos, "Cosine of input.", name="cos", floats=True, input="g * -conj(sin(input))")
pointwise(elementary.tan, "Tangent of input.", name="tan", floats=True, input="g * conj(1 + squared(out))")
pointwise(arcs.asin, "Inverse sine of input.", name="asin", floats=True, input="g * conj(rsqrt(-input * input + 1))")
pointwise(arcs.acos, "Inverse cosine of input.", name="acos", floats=True, input="g * -conj(rsqrt(-input * input + 1))")
pointwise(arcs.atan, "Inverse tangent of input.", name="atan", floats=True, input="g / conj(input * input + 1)")
pointwise(elementary.sinh, "Hyperbolic sine of input.", name="sinh", floats=True, input="g * conj(cosh(input))")
pointwise(elementary.cosh, "Hyperbolic cosine of input.", name="cosh", floats=True, input="g * conj(sinh(input))")
pointwise(elementary.tanh, "Hyperbolic tangent of input.", name="tanh", floats=True, input="tanh_backward(g, out)")
pointwise(np.arcsinh, "Inverse hyperbolic sine of input.", name="asinh", floats=True, inplace_node="AsinhBackward1",
          input="g * conj(rsqrt(squared(input) + 1))")  # fmt: skip
pointwise(np.arccosh, "Inverse hyperbolic cosine of input.", name="acosh", floats=True, inplace_node="AcoshBackward1",
          input="g * (rsqrt(squared(input) - 1) if input.dtype.kind != 'c' else "
                "conj(rsqrt(input - 1) * rsqrt(input + 1)))")  # fmt: skip
pointwise(elementary.atanh, "Inverse hyperbolic tangent of input.", name="atanh", floats=True, inplace_node="AtanhBackward1",
          input="g / conj(1 - squared(input))")  # fmt: skip
pointwise(arcs.atan2, "Angle between the positive first axis and the point (other, input), in radians.", name="atan2", floats=True,
          types="biuf", inplace="method", let={"squares": "input * input + other * other", "over": "masked_fill(reciprocal(squares), squares == 0, 0)"},
          input="g * other * over", other="g * -input * over")  # fmt: skip
pointwise(elementary.sinc, "sin(pi input) / (pi input); 1 at 0.", floats=True, let={"angle": "input * PI"},
          input="none_where(g * conj((angle * cos(angle) - sin(angle)) / (input * input * PI)), input * input * PI == 0)")  # fmt: skip
pointwise(elementary.deg2rad, "Input converted from degrees to radians.", floats=True, types="biuf", input="deg2rad(g)",
          refusal=not_complex("deg2rad is not supported for complex tensors."))  # fmt: skip
pointwise(elementary.rad2deg, "Input converted from radians to degrees.", floats=True, types="biuf", input="rad2deg(g)",
          refusal=not_complex("rad2deg is not supported for complex tensors."))  # fmt: skip
for name in "sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan tanh".split():
    OPS[name].kernel_name = f"{name}_vml_cpu"  # the name in the error for complex32

# ── bounds ───────────────────────────────────────────────────────────────────
NO_CLAMP = not_complex("clamp is not supported for complex types", NotImplementedError)

relu = pointwise(kernels.relu, "Input where it is positive, 0 elsewhere.", types="iuf", out=False, input="threshold_backward(g, out)",
          refusal={"b": RuntimeError("Boolean inputs not supported for relu")} | NO_CLAMP)  # fmt: skip
maximum = pointwise(np.maximum, "The larger of input and other; nan if either is nan.", name="maximum", types="biuf", inplace=False,
          refusal=not_complex("maximum not implemented for complex tensors."),
          input="masked_fill(where(input == other, g / 2, g), input < other, 0)",
          other="masked_fill(where(input == other, g / 2, g), input > other, 0)")  # fmt: skip
minimum = pointwise(np.minimum, "The smaller of input and other; nan if either is nan.", name="minimum", types="biuf", inplace=False,
          refusal=not_complex("minimum not implemented for complex tensors."),
          input="masked_fill(where(input == other, g / 2, g), input > other, 0)",
          other="masked_fill(where(input == other, g / 2, g), input < other, 0)")  # fmt: skip
pointwise(np.fmax, "The larger of input and other; a number is preferred to nan.", name="fmax", types="biuf", inplace=False,
          refusal=not_complex("fmax not implemented for complex tensors."), kernel_name="maximum_cpu",
          input="only(g, (input >= other) | isnan(other))",
          other="masked_fill(g, (input >= other) | isnan(other), 0)")  # fmt: skip
pointwise(np.fmin, "The smaller of input and other; a number is preferred to nan.", name="fmin", types="biuf", inplace=False,
          refusal=not_complex("fmin not implemented for complex tensors."), kernel_name="minimum_cpu",
          input="only(g, (input <= other) | isnan(other))",
          other="masked_fill(g, (input <= other) | isnan(other), 0)")  # fmt: skip
clamp_min = pointwise(kernels.clamp_min, "Input, but at least ``min``.", types="biuf", refusal=NO_CLAMP, keeps_dtype=True,
          mixing=arithmetic.check_bound("clamp_min"), takes_out=arithmetic.require_dtype_of_bounded,
          node="ClampMinBackward1", numbers={"min": "ClampMinBackward0"},
          input="only(g, input >= min)", min="only(g, input < min)")  # fmt: skip
pointwise(kernels.clamp_max, "Input, but at most ``max``.", types="biuf", refusal=NO_CLAMP, keeps_dtype=True,
          mixing=arithmetic.check_bound("clamp_max"), takes_out=arithmetic.require_dtype_of_bounded,
          node="ClampMaxBackward1", numbers={"max": "ClampMaxBackward0"},
          input="only(g, input <= max)", max="only(g, input > max)")  # fmt: skip


@op(parallel=lambda out, input, min, max: kernels.clamp_numbers(input, min, max, out), public=False, types="biuf",
    node="ClampBackward1", refusal=NO_CLAMP, input="only(g, inside(input, min, max))")  # fmt: skip
def clamp(input, min, max):
    """Input kept between two numbers, either of which may be None."""
    return kernels.clamp_numbers(input, min, max)


clamp.kernel.light = True


@op(parallel=kernels.write_clamped, public=False, node="ClampBackward0", refusal=NO_CLAMP, input="only(g, inside(input, min, max))",
    min="only(g, (input < min) if max is None else (input < min) & (min < max))",
    max="only(g, (input > max) if min is None else (input > max) | (max < min))")  # fmt: skip
def clamp_tensors(input, min=None, max=None):
    """Input kept between two tensors, either of which may be None."""
    if input.dtype.kind in "cW":
        refuse_dtype("clamp_tensors", input.dtype)
    return kernels.clamp(*kernels.promote_arrays(input, min, max))


# ── three operands ───────────────────────────────────────────────────────────
@op(parallel=arithmetic.write_lerp, public=False, node="LerpBackward0", kernel_name="lerp_kernel_scalar", types="fc",
    input="g * (1 - weight).conjugate()", end="g * weight.conjugate()")  # fmt: skip
def lerp(input, end, weight):
    """input + weight * (end - input), for a number ``weight``."""
    return arithmetic.lerp_number(input, end, weight)


lerp.kernel.in_blocks = True


@op(parallel=True, public=False, node="LerpBackward1", kernel_name="lerp_kernel_tensor", types="fc",
    input="g * conj(1 - weight)", end="g * conj(weight)", weight="g * conj(end - input)")  # fmt: skip
def lerp_tensors(input, end, weight):
    """input + weight * (end - input)."""
    return arithmetic.lerp(input, end, weight)


@op(parallel=arithmetic.addcmul.write_into, inplace="method", kernel_name="addcmul_cpu_out",
    input="g", tensor1="g * conj(tensor2 * value)", tensor2="g * conj(tensor1 * value)")  # fmt: skip
def addcmul(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 * tensor2; shapes are broadcast.  Differentiable."""
    return arithmetic.addcmul(input, tensor1, tensor2, value)


@op(parallel=arithmetic.addcdiv.write_into, inplace="method", kernel_name="addcdiv_cpu_out",
    input="g", tensor1="g * conj(quotient(value, tensor2))", tensor2="-g * conj(value * tensor1 / (tensor2 * tensor2))")  # fmt: skip
def addcdiv(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 / tensor2; shapes are broadcast.  Differentiable."""
    arithmetic.require_true_division(tensor1, tensor2)
    return arithmetic.addcdiv(input, tensor1, tensor2, value)


# ── complex numbers ──────────────────────────────────────────────────────────
pointwise(elementary.angle, "Angle between the positive real axis and input, in radians.", floats=True, inplace=False,
          input="nothing(g) if input.dtype.kind not in 'cW' else "
                "masked_fill(g * (1j * input) / real_part(input * conj(input)), input == 0, 0)")  # fmt: skip
complex_op = pointwise(elementary.complex_from, "Complex numbers of the given parts.", name="complex", public=False, inplace=False,
          out=False, mixing=elementary.require_parts, real="real_part(g, real, imag)",
          imag="imaginary_part(g, real, imag)")  # fmt: skip
pointwise(elementary.polar, "Complex numbers of the given absolute values and angles.  Raise RuntimeError if their dtypes differ.", public="function",
          inplace=False, mixing=elementary.require_parts, abs="real_part(g * conj(sgn(out)))",
          angle="real_part(conj(g) * out * 1j)")  # fmt: skip


@op(public=False, view=True, input="complex_of(g, input.dtype) * 1j")
def imag(input):
    """The imaginary part, sharing memory."""
    return input.imag


# ── several outputs ──────────────────────────────────────────────────────────
@op(apart=OR_THE_SAME, outs=("mantissa", "exponent"), input="ldexp(g, -exponent)")
def frexp(input):
    """Mantissa and exponent: input = mantissa * 2 ** exponent, with 0.5 <= |mantissa| < 1.  Differentiable."""
    return elementary.frexp(input)


# ── words of the derivatives above ───────────────────────────────────────────
@word
def outside(input, eps):
    """True where logit has no slope."""
    low, high = (0, 1) if eps is None or eps < 0 else (eps, 1 - eps)
    return (input < low) | (input > high)


@word
def inside(input, min, max):
    """True where the input is within the given bounds."""
    if min is None:
        return input <= max
    return input >= min if max is None else (input >= min) & (input <= max)


@word
def real_part(x, *kept):
    """The real part; ``kept`` is saved without use, as PyTorch does."""
    return x.real if isinstance(x, Tensor) else real_of(x)


@word
def imaginary_part(x, *kept):
    """The imaginary part; ``kept`` is saved without use, as PyTorch does."""
    return x.imag if isinstance(x, Tensor) else imaginary_of(x)
