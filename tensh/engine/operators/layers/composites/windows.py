"""The arguments of pooling: descriptions of windows, and PyTorch's errors for windows that do not fit."""

import functools
import math

from tensh.engine.arguments.checks import is_empty
from tensh.engine.arguments.kinds import LIMIT, take_ints
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.errors.integers import read_number
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import INTS

WORDS = {1: "one", 2: "two", 3: "three"}


# ── arguments ────────────────────────────────────────────────────────────────
def integers(value, name, parameter, position):
    """Return a number or a sequence of numbers as a tuple."""
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return (value,)
    if not isinstance(value, (tuple, list)):
        if (number := read_number(value)) is None:
            raise TypeError(
                f"{name}(): argument '{parameter}' (position {position}) must be tuple of ints, not {type_name(value)}"
            )
        return (number,)
    if {*map(type, value)} == INTS and min(value) >= -LIMIT and max(value) < LIMIT:  # in a third of the time
        return tuple(value)
    try:
        return take_ints(value, read_number)
    except TypeError as error:
        raise TypeError(
            error.message(f"{name}(): argument '{parameter}'", f" (position {position})", "tuple of ints")
        ) from None


def expand_setting(value, dims, name, parameter, position, complaint):
    """Return one number per dimension, from a single number or a sequence of as many."""
    values = integers(value, name, parameter, position)
    if len(values) == 1:
        return values * dims
    if len(values) != dims:
        name = name.removesuffix("_with_indices")  # the full name appears in checks of kinds only
        raise RuntimeError(complaint.format(name=name, parameter=parameter, got=len(values), word=WORDS[dims]))
    return values


ONE_INT = "{name}() argument '{parameter}' should contain one int (got {got})"
SEVERAL = "{name}: {parameter} must either be a single int, or a tuple of {word} ints"
COMPLAINTS = {
    "max": {"kernel_size": SEVERAL, "stride": SEVERAL.replace("be a", "be omitted, a"), "padding": SEVERAL,
            "dilation": SEVERAL.replace("must either be", "must be either")},
    "avg": {"kernel_size": SEVERAL, "stride": SEVERAL.replace("be a", "be omitted, a"), "padding": SEVERAL},
}  # fmt: skip


def complaint(kind, dims, parameter):
    """Return the text of PyTorch's error for a wrong number of numbers."""
    if dims == 1:
        return ONE_INT
    text = COMPLAINTS[kind][parameter]
    return text.replace("either ", "") if (kind, dims) == ("avg", 3) else text


def geometry(kind, dims, name, kernel_size, stride, padding, dilation):
    """Return (kernel, stride, padding, dilation), one number per dimension each; the default stride is the kernel."""
    kernel = expand_setting(kernel_size, dims, name, "kernel_size", 2, complaint(kind, dims, "kernel_size"))
    stride = kernel if stride is None or is_empty(stride) else expand_setting(
        stride, dims, name, "stride", 3, complaint(kind, dims, "stride")
    )  # fmt: skip
    padding = expand_setting(padding, dims, name, "padding", 4, complaint(kind, dims, "padding"))
    if kind == "max":
        dilation = expand_setting(dilation, dims, name, "dilation", 5, complaint(kind, dims, "dilation"))
    return kernel, stride, padding, dilation


# ── checks ───────────────────────────────────────────────────────────────────
@functools.lru_cache(1024)
def output_sizes(spatial, kernel, stride, padding, dilation, ceil_mode):
    """Return the number of windows in every dimension; raise PyTorch's errors for settings without any."""
    for s, p, k, d in zip(stride, padding, kernel, dilation):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int((d * (k - 1) + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
            )
    check_window(stride, dilation, kernel)
    return tuple(
        output_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in zip(spatial, kernel, stride, padding, dilation)
    )


def output_size(n, k, s, p, d, ceil_mode):
    reach = n + 2 * p - d * (k - 1) - 1
    size = (reach + s - 1 if ceil_mode else reach) // s + 1
    if ceil_mode and (size - 1) * s >= n + p:
        size -= 1  # the last window would start after the input
    return size


@functools.lru_cache(1024)
def require_32_bits(*numbers):
    """Raise RuntimeError for numbers too large for PyTorch's pooling kernels; ``numbers`` are tuples."""
    if any(not -(2**31) <= n < 2**31 for each in numbers for n in each):
        raise RuntimeError("value cannot be converted to type int without overflow")


def require_countable(sizes):
    """Raise RuntimeError for sizes whose number of elements exceeds 63 bits."""
    if math.prod(sizes) >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")


def require_addressable(sizes, itemsize):
    """Raise RuntimeError for sizes with more bytes than can be addressed."""
    if math.prod(sizes) * itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(sizes)}")


AXES = {2: "HW", 3: "THW"}


def check_window(stride, dilation, kernel):
    """Raise RuntimeError for numbers that are not positive."""
    for what, letter, numbers in (
        ("kernel size", "k", kernel),
        ("stride", "d", stride),
        ("dilation", "dilation", dilation),
    ):
        if any(n <= 0 for n in numbers):
            found = " ".join(f"{letter}{axis}: {n}" for axis, n in zip(AXES[len(numbers)], numbers))
            raise RuntimeError(f"{what} should be greater than zero, but got {found}")


def check_dims(name, shape, dims):
    """Raise for a wrong number of dimensions."""
    if len(shape) in (dims + 1, dims + 2):
        return
    if name != "avg_pool2d":
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    if len(shape) < 3:
        wrap_dim(-3, len(shape), scalar=False)


def check_lengths(name, shape, dims):
    """Raise RuntimeError for an empty dimension other than the batch, or more dimensions than a batch has."""
    batched = len(shape) > dims + 1
    if 0 not in shape[batched:] and len(shape) < dims + 3:
        return
    if dims == 2:
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
        )
    name = "max_pool3d_with_indices_out_cpu_template" if name.startswith("max") else name
    raise RuntimeError(
        f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of {list(shape)} and "
        "non-batch dimension 0 has length zero!"
    )


def windows(name, input, dims, kernel, stride, padding, dilation, ceil_mode):
    """Check all settings; return the number of windows in every dimension."""
    shape = input.array.shape
    check_dims(name, shape, dims)
    first = len(shape) - dims
    sizes = output_sizes(shape[first:], kernel, stride, padding, dilation, ceil_mode)
    check_lengths(name, shape, dims)
    if name == "avg_pool3d" and any(n < k for n, k in zip(shape[first:], kernel)):
        image, window = (
            " ".join(f"{k}{a}: {n}" for a, n in zip("THW", each)) for k, each in (("", shape[first:]), ("k", kernel))
        )
        raise RuntimeError(f"input image ({image}) smaller than kernel size ({window})")
    if min(sizes) < 1:
        given, made = ("x".join(map(str, (shape[first - 1], *each))) for each in (shape[first:], sizes))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    return sizes
