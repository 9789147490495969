"""Creation of ranges: arange and range."""

import math

import numpy as np

from tensh.engine.arguments.binding import KEYWORDS, OUT, bind, bind_plain, finish, make_leaf
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.scalars import REAL, cast_scalar, overflow
from tensh.engine.codegen.table import public
from tensh.engine.dtypes.device import on_meta
from tensh.engine.dtypes.dtype import BY_NUMPY, FLOAT, INTEGER, int64, of_scalar
from tensh.engine.errors.messages import dtype_error
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.creation.fill import require_room
from tensh.engine.methods.creation.roundings import fuse_multiply_add, narrow_values, round_float32

ARANGE = (
    f"(Number end, {OUT})",
    f"(Number start, Number end, *, {KEYWORDS})",
    f"(Number start, Number end, Number step = 1, {OUT})",
)


INT64 = np.dtype(np.int64)
BOUNDS = {1: lambda end: (0, end, 1), 2: lambda start, end: (start, end, 1), 3: lambda *bounds: bounds}


@public
@shows("*bounds")
def arange(*bounds, **given):
    """Return the numbers from ``start`` (0) to ``end``, exclusive, in steps of ``step`` (1).

    The dtype is int64 if all three are integers, the default dtype otherwise.  Shape: [ceil((end - start) / step)].
    Raise RuntimeError for a step of zero or of the wrong sign.

    >>> import tensh as torch
    >>> torch.arange(5)
    tensor([0, 1, 2, 3, 4])
    >>> torch.arange(1, 2, 0.25)
    tensor([1.0000, 1.2500, 1.5000, 1.7500])
    """
    try:
        start, end, step = BOUNDS[len(bounds)](*bounds)
        if type(start) is int and type(end) is int and type(step) is int:
            numpy, requires_grad = bind_plain(INT64, **given)
            if numpy is INT64 and (end - start) * step >= 0 and not requires_grad:
                array = np.arange(start, end, step)
                # values that are too large take the slow path
                if array.dtype is INT64 and (array.size or start == end):
                    return make_leaf(array)
        elif type(start) in REAL and type(end) in REAL and type(step) in REAL:
            numpy, requires_grad = bind_plain(of_scalar[float].numpy, **given)
            if numpy.kind == "f" and (end - start) * step >= 0:
                number = math.ceil((end - start) / step)
                return make_leaf(steps_from(float(start), float(step), number, numpy), requires_grad)
    except (TypeError, ValueError, AttributeError, KeyError, ZeroDivisionError, OverflowError, MemoryError):
        pass
    given = bind("arange", ARANGE, bounds, given)
    start, end, step = given.get("start", 0), given["end"], given.get("step", 1)
    whole = all(isinstance(number, int) for number in (start, end, step))
    out = given.get("out")

    def make(dtype):
        values = count(start, end, step, dtype)
        if out is not None and out.array.size not in (0, values.size):
            warn_resized(out.array, values.size)
        return values

    default = (int64 if whole else of_scalar[float]).numpy
    if on_meta(given["device"]):
        kind = default if given["dtype"] is None else given["dtype"].numpy
        given = {**given, "size": (count_steps(start, end, step, kind)[-1],)}
    return finish("arange", make, default, given)


def count_steps(start, end, step, dtype):
    """Return the bounds in the dtype, and the number of elements; raise RuntimeError for inconsistent bounds."""
    which = BY_NUMPY[dtype]
    if which.category not in (INTEGER, FLOAT) or which.name in ("uint16", "uint32", "uint64"):
        raise dtype_error("arange", dtype)
    for bound in (start, end, step):
        if isinstance(bound, complex) and bound.imag:
            raise overflow("double")
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    if which is int64:
        start, end, step = (cast_scalar(bound, int64) for bound in (start, end, step))
        if not step:
            raise ValueError("step must be nonzero")  # a fraction becomes zero in the dtype
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if not (end >= start if step > 0 else end <= start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    number = -((start - end) // step) if which is int64 else math.ceil((float(end) - float(start)) / float(step))
    return start, end, step, number


def count(start, end, step, dtype):
    """Compute the array of ``arange``."""
    start, end, step, number = count_steps(start, end, step, dtype)
    require_room("arange", (number,), dtype)
    which = BY_NUMPY[dtype]
    if which.category == INTEGER:
        start, step = cast_scalar(start, int64), cast_scalar(step, int64)
        return (np.arange(number) * step + start).astype(dtype, copy=False)
    return steps_from(float(start), float(step), number, dtype)


def steps_from(start, step, number, dtype):
    """Return ``start + i * step`` as PyTorch rounds it: two vectors of 32 bytes at a time, each from a rounded base."""
    if dtype.itemsize == 2:
        start, step = round_float32(start), round_float32(step)  # 16-bit types are computed in float32
    width = 32 // dtype.itemsize
    blocks = number // (2 * width) * 2
    if not blocks:
        return few_steps(start, step, number, dtype)
    places = np.arange(number)
    if dtype.itemsize < 8:  # the product is exact enough in float64
        values = places[blocks * width :] * step + start
        inside = places[:width] * step
    else:
        values = fuse_multiply_add(step, places[blocks * width :], start)
    bases = narrow_values(fuse_multiply_add(step, places[: blocks * width : width], start), dtype).astype(np.float64)[
        :, None
    ]
    inside = fuse_multiply_add(step, places[:width], bases) if dtype.itemsize == 8 else inside + bases
    return np.concatenate([narrow_values(inside, dtype).ravel(), narrow_values(values, dtype)])


PLACES = np.arange(32.0)  # two vectors of the narrowest type


def few_steps(start, step, number, dtype):
    """Compute a short range, without blocks."""
    if dtype.itemsize == 8:
        return fuse_multiply_add(step, PLACES[:number], start)
    values = PLACES[:number] * SCALARS[step, PLACES.dtype]
    return narrow_values(values if start == 0 and step > 0 else values + start, dtype)


def warn_resized(array, number):
    warn(
        f"The number of elements in the out tensor of shape {list(array.shape)} is {array.size} which does not match the "
        f"computed number of elements {number}. Note that this may occur as a result of rounding error. "
        f"The out tensor will be resized to a tensor of shape ({number},).",
    )


@shows("*bounds")
def inclusive_range(*bounds, **given):
    """Return the numbers from ``start`` (0) to ``end``, inclusive; ``arange``, which excludes it, is preferred.

    Raise RuntimeError for a step of zero or of the wrong sign.
    """
    given = bind("range", (f"(Number start, Number end, Number step = 1, {OUT})",), bounds, given)
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
    )
    start, end, step = given["start"], given["end"], given["step"]
    if not step:
        raise RuntimeError("step must be nonzero")
    if not (end >= start if step > 0 else end <= start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {float(start):g} -> {float(end):g}")
    number = math.floor((end - start) / step) + 1
    given = {**given, "size": (number,)}
    return finish("range", lambda d: steps_from(float(start), float(step), number, d), of_scalar[float].numpy, given)


inclusive_range.__name__ = inclusive_range.__qualname__ = "range"
public(inclusive_range)
