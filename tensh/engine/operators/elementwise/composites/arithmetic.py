"""Arithmetic with PyTorch's overloads: reflected operators, powers, bounds, complex numbers."""

import numpy as np

from tensh.engine.arguments.kinds import NO_FIT
from tensh.engine.arguments.signatures import Form, choose
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import NUMBERS, as_number, keep_dtype, promote, refuse
from tensh.engine.codegen.registry import METHODS, PUBLIC, PYTHON_ONLY
from tensh.engine.codegen.scalars import REAL, overflow, take_number
from tensh.engine.codegen.table import OR_THE_SAME, public
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY, complex128, float64
from tensh.engine.errors.messages import broadcast_clash
from tensh.engine.inplace.out import check_out, refuse_growth, write_out
from tensh.engine.inplace.overlap import refuse_overlap
from tensh.engine.inplace.plain import is_plain
from tensh.engine.inplace.writes import (
    DIRECT,
    begin_write,
    needs_no_record,
    require_room,
    write_elementwise,
    write_inplace,
)
from tensh.engine.operators.basic import cast, conj_over, conjugate
from tensh.engine.operators.basic import conj_physical as conj_physical_op
from tensh.engine.operators.elementwise.arithmetic import require_dtype, require_dtype_of_bounded
from tensh.engine.operators.elementwise.comparison import bitwise_left_shift, bitwise_not, bitwise_right_shift
from tensh.engine.operators.elementwise.table import (
    NO_CLAMP,
    abs_op,
    clamp_tensors,
    complex_op,
    floor_divide,
    lerp_tensors,
    nan_to_num,
    pow_op,
    reciprocal,
    remainder,
)
from tensh.engine.operators.elementwise.table import clamp as clamp_op
from tensh.engine.operators.elementwise.table import lerp as lerp_op
from tensh.engine.operators.kernels import clamp_numbers


def tensor(value, name, parameter="input", position=1):
    """Return ``value`` if it is a tensor; raise PyTorch's error otherwise."""
    if not isinstance(value, Tensor):
        refuse(name, parameter, position, value)
    return value


def fits_none(name, arguments, *forms):
    """Raise PyTorch's error for arguments that match no overload of a function."""
    choose(name, [Form(name, form) for form in forms], arguments, {})


# ── Python's operators whose first operand is not a tensor ───────────────────
def rdiv(input, other):
    """``other / input``."""
    return reciprocal.fn(input) * other


rdiv.arrays = True  # unlike the other reflected operators, it also takes NumPy arrays


def rpow(input, other):
    """``other ** input``."""
    return pow_op.fn(other, input)


def rfloordiv(input, other):
    """``other // input``."""
    return floor_divide.fn(other, input)


def rmod(input, other):
    """``other % input``."""
    return remainder.fn(other, input)


def rlshift(input, other):
    """``other << input``."""
    return bitwise_left_shift.fn(other, input)


def rrshift(input, other):
    """``other >> input``."""
    return bitwise_right_shift.fn(other, input)


def invert(input):
    """``~input``: bools negated, integers with all bits inverted."""
    if input.array.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not.fn(input)


for _each in (rdiv, rpow, rfloordiv, rmod, rlshift, rrshift, invert):
    PYTHON_ONLY[_each.__name__] = _each


# ── signs and powers ─────────────────────────────────────────────────────────
@composite
def positive(input):
    """The input itself.  Differentiable.  Raise RuntimeError for bools."""
    if tensor(input, "positive").array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def abs_(input):
    """In-place version of abs.  Differentiable.

    Raise RuntimeError for complex numbers, whose absolute value is real.
    """
    if isinstance(input, Tensor) and input.array.dtype.kind in "cW":
        begin_write(input)
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return abs_op.inplace_fn(input)


METHODS["abs_"] = PUBLIC["abs_"] = abs_


@composite
def nan_to_num_(input, nan=0.0, posinf=None, neginf=None):
    """In-place version of nan_to_num; integers and bools do not change, so they may be expanded tensors.

    >>> import tensh as torch
    >>> torch.tensor([float("nan"), 2.0]).nan_to_num_(1.0)
    tensor([1., 2.])
    """
    if tensor(input, "nan_to_num_").array.dtype.kind not in "biu":
        return nan_to_num.inplace_fn(input, nan, posinf, neginf)
    return write_inplace(input, begin_write(input), nan_to_num.fn(input, nan, posinf, neginf), "nan_to_num_", True)


@composite
def float_power(input, exponent, *, out=None):
    """Input to the power of exponent, in float64 (or complex128).  Either may be a number.  Differentiable.

    Raise RuntimeError for an ``out`` of another dtype.

    >>> import tensh as torch
    >>> torch.float_power(torch.tensor([1, 2]), 0.5)
    tensor([1.0000, 1.4142], dtype=torch.float64)
    """
    operands = input, exponent
    if not any(isinstance(x, Tensor) for x in operands) or not all(isinstance(x, (Tensor, *NUMBERS)) for x in operands):
        fits_none("float_power", operands, "(Tensor input, Tensor exponent, *, Tensor out = None)",
                  "(Number self, Tensor exponent, *, Tensor out = None)",
                  "(Tensor input, Number exponent, *, Tensor out = None)")  # fmt: skip
    to = widest(*operands)
    if out is not None:
        require_float_power("output given to float_power", out, to)
        check_out(out, "pow", operands)
        result = float_power(input, exponent)
        refuse_growth(out, result, operands)
        return write_out(out, result, "float_power")
    return pow_op.fn(*(cast_operand(x, to) for x in operands))


def widest(*operands):
    """float64, or complex128 if an operand is complex."""
    kinds = [x.array.dtype.kind in "cW" if isinstance(x, Tensor) else isinstance(x, complex) for x in operands]
    return complex128 if any(kinds) else float64


def cast_operand(x, to):
    """Cast a tensor to this dtype, or a number to its Python type."""
    if isinstance(x, Tensor):
        return x if x.array.dtype is to.numpy else cast.fn(x, to.numpy)
    return complex(x) if to is complex128 else float(x)


def require_float_power(what, t, to):
    """Raise unless the tensor that receives a power has the dtype of the result."""
    if t.dtype is not to:
        raise RuntimeError(f"the {what} has dtype {t.dtype.title} but the operation's result requires dtype {to.title}")


def float_power_(input, exponent):
    """In-place version of float_power: the input must be of its dtype already.  RuntimeError otherwise."""
    to = widest(input, exponent)
    require_float_power("base given to float_power_", input, to)
    return pow_op.inplace_fn(input, cast_operand(exponent, to))


METHODS["float_power_"] = float_power_


# ── bounds and weights ───────────────────────────────────────────────────────
BOUNDS = frozenset((bool, int, float, type(None)))


@composite
def clamp(input, min=None, max=None, *, out=None):
    """Input with its elements limited to ``min`` and ``max``; either may be omitted.

    The bounds are numbers, or tensors that are broadcast; where ``min`` exceeds ``max`` the result is ``max``.
    Differentiable where the input lies within the bounds.  Raise RuntimeError if both are missing.

    >>> import tensh as torch
    >>> torch.tensor([-1.0, 0.5, 2.0]).clamp(0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if out is not None:
        require_dtype_of_bounded("clamp", input, min, max, out)
        return write_out(out, clamp(input, min, max), "clamp", inputs=(input, min, max), apart=False)
    if type(min) in BOUNDS and type(max) in BOUNDS:
        if min is max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        return clamp_op.fn(input, min, max)
    if all(bound is None or isinstance(bound, Tensor) for bound in (min, max)):
        return clamp_tensors.fn(input, min, max)
    low, high = (bound if bound is None else take_number(bound) for bound in (min, max))
    if any(isinstance(bound, complex) for bound in (low, high)) and not input.is_complex():
        raise overflow("double") if input.is_floating_point() else NO_CLAMP["c"]
    if low is NO_FIT or high is NO_FIT:
        given = (input, min) if max is None else (input, min, max)
        fits_none("clamp", given, "(Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)",
                  "(Tensor input, Number min = None, Number max = None, *, Tensor out = None)")  # fmt: skip
    return clamp_op.fn(input, low, high)


@composite
def clamp_(input, min=None, max=None):
    """In-place version of clamp.  Raise RuntimeError if no bound is given."""
    if type(min) in REAL and type(max) in REAL and is_plain(input, ()):
        array = input.array
        if array.dtype.kind == "f" and array.size < DIRECT:
            stamp_write(array)
            clamp_numbers(array, min, max, array)
            return input
    since = begin_write(input, min, max)
    keep_dtype(input, min, max)
    if isinstance(input, Tensor):
        refuse_overlap(input.array, "clamp")
        if input.array.size >= DIRECT and write_clamped(input, min, max):
            return input
    return write_inplace(input, since, clamp(input, min, max), "clamp_")


def write_clamped(input, min, max):
    """Clamp many elements straight in the tensor; return False if that is impossible."""
    if min is max is None:
        return False
    if type(min) in BOUNDS and type(max) in BOUNDS:
        return write_elementwise(input, clamp_op, (), (min, max))
    return write_elementwise(input, clamp_tensors, (min, max))  # the operator takes tensors only


@composite
def lerp(input, end, weight, *, out=None):
    """``input + weight * (end - input)``; the weight is a number or a tensor.  Differentiable.

    Raise RuntimeError for operands of several dtypes, except for a weight without dimensions.

    >>> import tensh as torch
    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.5)
    tensor([ 5., 15.])
    """
    if out is not None:
        name = "lerp_tensors" if isinstance(weight, Tensor) else "lerp"
        return write_out(out, lerp(input, end, weight), name, inputs=(input, end, weight), apart=False)
    if isinstance(weight, Tensor):
        return apply_lerp(lerp_tensors, *promote_weight(input, end, weight))
    if type(weight) is float:
        return apply_lerp(lerp_op, input, end, weight)
    if (number := as_number(weight)) is None:
        fits_none("lerp", (input, end, weight), "(Tensor input, Tensor end, Tensor weight, *, Tensor out = None)",
                  "(Tensor input, Tensor end, Number weight, *, Tensor out = None)")  # fmt: skip
    return apply_lerp(lerp_op, input, end, number)


@composite
def lerp_(input, end, weight):
    """In-place version of lerp.  Raise RuntimeError if their dtypes differ."""
    since = begin_write(input, end, weight)
    if isinstance(input, Tensor) and input.array.size >= DIRECT:
        is_number = type(weight) is float
        operator, others, numbers = (lerp_op, (end,), (weight,)) if is_number else (lerp_tensors, (end, weight), ())
        if write_elementwise(input, operator, others, numbers):
            return input
    try:
        return write_inplace(input, since, lerp(input, end, weight), "lerp_")
    except NotImplementedError:  # PyTorch reports errors of memory and shapes first
        refuse_overlap(input.array)
        require_room(input, end, weight)
        raise


def promote_weight(input, end, weight):
    """Return the operands in one dtype if ``weight`` has no dimensions and the others agree; unchanged if not."""
    one, other, own = input.array, end.array, weight.array
    if own.ndim or own.dtype is one.dtype or one.dtype is not other.dtype:
        return input, end, weight
    dtype = np.dtype(promote(np.empty((0,) * one.ndim, one.dtype), np.empty((), own.dtype))[0].dtype)
    return [t if t.array.dtype is dtype else cast.fn(t, dtype) for t in (input, end, weight)]


def apply_lerp(operator, input, end, weight):
    """Apply the operator; PyTorch reports an unsupported dtype after all other errors."""
    try:
        return operator.fn(input, end, weight)
    except NotImplementedError:
        tensors = {n: t.array for n, t in (("input", input), ("end", end), ("weight", weight)) if isinstance(t, Tensor)}
        for parameter, array in tensors.items():
            require_dtype(input.array, array, parameter)
        if (clash := broadcast_clash([array.shape for array in tensors.values()])) is not None:
            raise RuntimeError(clash) from None
        raise


# ── complex numbers ──────────────────────────────────────────────────────────
def from_parts(real, imag, *, out=None):
    """Complex numbers of the given real and imaginary parts, floating point tensors of one dtype.  Differentiable.

    Raise RuntimeError for other dtypes.

    >>> import tensh as torch
    >>> torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([1.+3.j, 2.+4.j])
    """
    result = complex_op.fn(real, imag)
    if out is None:
        return result
    if out.array.dtype is not result.array.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {BY_NUMPY[result.array.dtype].title} but got scalar type "
            f"{BY_NUMPY[out.array.dtype].title} for argument 'out'"
        )
    return write_out(out, result, "complex")


from_parts.__name__ = from_parts.__qualname__ = "complex"
public(from_parts)


@composite
def conj(input):
    """The complex conjugate; real tensors are returned as they are.  Differentiable.

    >>> import tensh as torch
    >>> torch.conj(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return conjugate.fn(input) if tensor(input, "conj").array.dtype.kind in "cW" else input


def conj_physical_(input):
    """In-place version of conj_physical; real tensors may be expanded."""
    real = tensor(input, "conj_physical_").array.dtype.kind not in "cW"
    since = begin_write(input)
    if real and needs_no_record(input):
        stamp_write(input.array)
        return input
    return write_inplace(input, since, conj_over.fn(input), "conj_physical_", real)


METHODS["conj_physical_"] = PUBLIC["conj_physical_"] = conj_physical_


@composite(out=True, apart=OR_THE_SAME)
def conj_physical(input):
    """The complex conjugate in new memory; a real tensor itself.  Differentiable."""
    return conj_physical_op.fn(input) if tensor(input, "conj_physical").array.dtype.kind in "cW" else input
