"""New tensors of counted numbers: arange, linspace, logspace, eye, the indices of triangles."""

import math
import struct
import warnings
from functools import lru_cache
from itertools import repeat

import numpy as np

from tensh.engine.dtype import BY_NUMPY, COMPLEX, FLOAT, INTEGER, int64, of_scalar
from tensh.engine.errors import not_implemented
from tensh.engine.making import KEYWORDS, OUT, bind, finish, leaf, plain
from tensh.engine.mixing import SCALARS
from tensh.engine.numbers import SAFE, fitting, overflow
from tensh.engine.table import public
from tensh.engine.tensor import Tensor


def fused(factor, numbers, start):
    """``factor * numbers + start``, rounded once to float64, as the processor's fused instruction does it.

    That costs 10 ns per element; where long doubles are no wider than doubles, the product is rounded, too.
    """
    return (np.longdouble(factor) * numbers + np.longdouble(start)).astype(np.float64)


def narrowed(values, dtype):
    """Numbers of float64 in ``dtype``.  The short types are rounded twice, through float32, as in PyTorch."""
    if dtype.itemsize == 2 and dtype.kind in "fV":
        values = values.astype(np.float32)
    return values.astype(dtype, copy=False)


# ── arange ───────────────────────────────────────────────────────────────────
ARANGE = (
    f"(Number end, {OUT})",
    f"(Number start, Number end, *, {KEYWORDS})",
    f"(Number start, Number end, Number step = 1, {OUT})",
)


INT64, REAL = np.dtype(np.int64), frozenset({int, float})
BOUNDS = {1: lambda end: (0, end, 1), 2: lambda start, end: (start, end, 1), 3: lambda *bounds: bounds}


@public
def arange(*bounds, **given):
    """The numbers from ``start`` (0) up to ``end``, which is left out, in steps of ``step`` (1).

    The dtype is int64 if all three are integers, the default dtype otherwise.

    >>> import tensh as torch
    >>> torch.arange(5)
    tensor([0, 1, 2, 3, 4])
    >>> torch.arange(1, 2, 0.25)
    tensor([1.0000, 1.2500, 1.5000, 1.7500])
    """
    try:
        start, end, step = BOUNDS[len(bounds)](*bounds)
        if type(start) is int and type(end) is int and type(step) is int:
            numpy, requires_grad = plain(INT64, **given)
            if numpy is INT64 and (end - start) * step >= 0 and not requires_grad:
                array = np.arange(start, end, step)
                if array.dtype is INT64:  # not so for what is too large
                    return leaf(array)
        elif type(start) in REAL and type(end) in REAL and type(step) in REAL:
            numpy, requires_grad = plain(of_scalar[float].numpy, **given)
            if numpy.kind == "f" and (end - start) * step >= 0:
                number = math.ceil((end - start) / step)
                return leaf(steps_from(float(start), float(step), number, numpy), requires_grad)
    except (TypeError, ValueError, AttributeError, KeyError, ZeroDivisionError, OverflowError, MemoryError):
        pass
    given = bind("arange", ARANGE, bounds, given)
    start, end, step = given.get("start", 0), given["end"], given.get("step", 1)
    whole = all(isinstance(number, int) for number in (start, end, step))
    out = given.get("out")

    def make(dtype):
        values = counted(start, end, step, dtype)
        if out is not None and out.array.size not in (0, values.size):
            warn_resized(out.array, values.size)
        return values

    return finish("arange", make, (int64 if whole else of_scalar[float]).numpy, given)


def counted(start, end, step, dtype):
    """The array behind ``arange``; RuntimeError for bounds that lead nowhere."""
    which = BY_NUMPY[dtype]
    if which.category not in (INTEGER, FLOAT) or which.name in ("uint16", "uint32", "uint64"):
        raise not_implemented("arange", dtype)
    for bound in (start, end, step):
        if isinstance(bound, complex) and bound.imag:
            raise overflow("double")
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    if which is int64:
        start, end, step = (fitting(bound, int64) for bound in (start, end, step))
        if not step:
            raise ValueError("step must be nonzero")  # a fraction that the dtype does not keep
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if not (end >= start if step > 0 else end <= start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    number = -((start - end) // step) if which is int64 else math.ceil((float(end) - float(start)) / float(step))
    if which.category == INTEGER:
        start, step = fitting(start, int64), fitting(step, int64)
        return (np.arange(number) * step + start).astype(dtype, copy=False)
    return steps_from(float(start), float(step), number, dtype)


def steps_from(start, step, number, dtype):
    """``start + i * step`` with PyTorch's roundings: two vectors of 32 bytes at a time, each from a rounded base."""
    if dtype.itemsize == 2:
        start, step = rounded(start), rounded(step)  # the short types are counted in float32
    width = 32 // dtype.itemsize
    blocks = number // (2 * width) * 2
    if not blocks:
        return few_steps(start, step, number, dtype)
    places = np.arange(number)
    if dtype.itemsize < 8:  # the product is exact enough in float64
        values = places[blocks * width :] * step + start
        inside = places[:width] * step
    else:
        values = fused(step, places[blocks * width :], start)
    bases = narrowed(fused(step, places[: blocks * width : width], start), dtype).astype(np.float64)[:, None]
    inside = fused(step, places[:width], bases) if dtype.itemsize == 8 else inside + bases
    return np.concatenate([narrowed(inside, dtype).ravel(), narrowed(values, dtype)])


PLACES = np.arange(32.0)  # two vectors of the shortest type


def few_steps(start, step, number, dtype):
    """The same one by one."""
    if dtype.itemsize == 8:
        return fused(step, PLACES[:number], start)
    values = PLACES[:number] * SCALARS[step, PLACES.dtype]
    return narrowed(values if start == 0 and step > 0 else values + start, dtype)


def warn_resized(array, number):
    warnings.warn(
        f"The number of elements in the out tensor of shape {list(array.shape)} is {array.size} which does not match the "
        f"computed number of elements {number}. Note that this may occur as a result of rounding error. "
        f"The out tensor will be resized to a tensor of shape ({number},).",
        stacklevel=5,
    )


# ── linspace, logspace ───────────────────────────────────────────────────────
def spaces(*last):
    """The signatures of a function of two ends, each a number or a 0-d tensor."""
    ends = ("Tensor start, Tensor end", "Number start, Tensor end", "Tensor start, Number end", "Number start, Number end")
    return tuple(f"({', '.join((both, *last))}, {OUT})" for both in ends)


LINSPACE, LOGSPACE = spaces("int steps"), spaces("int steps", "float base = 10.0")


@public
def linspace(*args, **given):
    """``steps`` numbers at equal distances from ``start`` to ``end``, both included.

    >>> import tensh as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    if len(args) == 3 and type(args[0]) in REAL and type(args[1]) in REAL and type(args[2]) is int and args[2] >= 0:
        try:
            numpy, requires_grad = plain(of_scalar[float].numpy, **given)
            if numpy.kind == "f":
                return leaf(evenly(*args, numpy), requires_grad)
        except (TypeError, AttributeError, RuntimeError, MemoryError):
            pass
    return between("linspace", bind("linspace", LINSPACE, args, given), evenly)


@public
def logspace(*args, **given):
    """The powers of ``base`` whose exponents are ``steps`` numbers at equal distances from ``start`` to ``end``.

    >>> import tensh as torch
    >>> torch.logspace(0, 3, 4, base=2)
    tensor([1., 2., 4., 8.])
    """
    given = bind("logspace", LOGSPACE, args, given)
    return between("logspace", given, lambda *ends: powers(given["base"], *ends))


def between(name, given, compute):
    """The tensor of ``compute(start, end, steps, dtype)``."""
    start, end, steps = end_number(name, given, "start"), end_number(name, given, "end"), given["steps"]
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    complexes = isinstance(start, complex) or isinstance(end, complex)
    default = of_scalar[complex if complexes else float]
    dtype = given["dtype"]
    if complexes and dtype is not None and dtype.category != COMPLEX:
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {default.ctype} can't be safely cast to passed dtype {dtype.title}"
        )

    def make(dtype):
        which = BY_NUMPY[dtype]
        if which.category not in (INTEGER, FLOAT, COMPLEX):
            raise not_implemented(name, dtype)
        return compute(start, end, steps, dtype)

    return finish(name, make, default.numpy, given)


def end_number(name, given, which):
    """An end as a number."""
    end = given[which]
    if not isinstance(end, Tensor):
        return end
    if end.array.ndim:
        dims = {e: given[e].array.ndim if isinstance(given[e], Tensor) else 0 for e in ("start", "end")}
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got start with {dims['start']} dimension(s) "
            f"and end with {dims['end']} dimension(s)."
        )
    return end.item()


DOUBLE = np.dtype(np.float64)
PACK, UNPACK = struct.Struct("f").pack, struct.Struct("f").unpack


def rounded(number):
    """A number rounded to float32."""
    return UNPACK(PACK(number))[0]  # half the time of np.float32


def count_from_ends(steps):
    """0, 1, … from the start up to the middle, …, -1, 0 to the end, so that both ends are met exactly; read-only."""
    half = steps // 2
    numbers = np.concatenate([np.arange(half), -np.arange(steps - half)[::-1]]).astype(np.float64)
    numbers.flags.writeable = False
    return numbers


kept_count_from_ends = lru_cache(maxsize=64)(count_from_ends)


def pattern(steps):
    """``count_from_ends``, kept for short ranges: making it takes 3 µs."""
    return kept_count_from_ends(steps) if steps <= 1024 else count_from_ends(steps)


def halves(start, end, step, steps, compute):
    """The first half counted from the start, the second backwards from the end."""
    half, numbers = steps // 2, pattern(steps)
    return np.concatenate([compute(step, numbers[:half], start), compute(step, numbers[half:], end)])


def evenly(start, end, steps, dtype):
    """The array behind ``linspace``."""
    if dtype.kind != "f" or not (type(start) in REAL and type(end) in REAL and -SAFE < start < SAFE and -SAFE < end < SAFE):
        start, end = (fitting(x, BY_NUMPY[dtype]) for x in (start, end))
    if steps < 2:
        return np.full(steps, start, dtype)
    if dtype.kind == "c":
        step = dtype.type((end - start) / (steps - 1))
        return halves(dtype.type(start), dtype.type(end), step, steps, lambda f, n, s: (f * n + s).astype(dtype))
    if dtype.kind in "iu":
        return halves(start, end, (end - start) / (steps - 1), steps, fused).astype(dtype)
    if dtype.itemsize == 4:  # the product is exact enough in float64
        start, end = rounded(start), rounded(end)
        values = pattern(steps) * SCALARS[rounded(rounded(end - start) / (steps - 1)), DOUBLE]
        for half, origin in (values[: steps // 2], start), (values[steps // 2 :], end):
            if origin:
                half += SCALARS[origin, DOUBLE]
        return values.astype(dtype)
    if dtype.itemsize == 8:
        return halves(start, end, (end - start) / (steps - 1), steps, fused)

    def short(x):  # every single result is rounded
        return np.asarray(x, np.float32).astype(dtype).astype(np.float32)

    start, end = short(start), short(end)
    step = short(short(end - start) / short(steps - 1))
    return halves(start, end, step, steps, lambda f, n, s: short(short(f * short(n)) + s)).astype(dtype)


def powers(base, start, end, steps, dtype):
    """The array behind ``logspace``."""
    if steps < 2:
        with_fraction = complex(base) ** start if dtype.kind == "c" else float(base) ** start
        return np.array([with_fraction] * steps).astype(dtype)
    start, end = (fitting(x, BY_NUMPY[dtype]) for x in (start, end))
    if dtype.kind == "c":
        start, end = complex(start), complex(end)
        step = (end - start) / (steps - 1)
        return np.power(base, halves(start, end, step, steps, lambda f, n, s: f * n + s)).astype(dtype)
    if dtype.kind in "fV":
        start, end = (np.asarray(x, np.float64).astype(dtype) for x in (start, end))
    step = float(end - start) / (steps - 1)
    exponents = halves(float(start), float(end), step, steps, lambda f, n, s: f * n + s)
    try:  # not NumPy's power, which may differ in the last place
        values = np.fromiter(map(math.pow, repeat(base), exponents.tolist()), np.float64, steps)
    except (ValueError, OverflowError):
        values = np.power(base, exponents)
    return narrowed(values, dtype)


# ── matrices ─────────────────────────────────────────────────────────────────
@public
def eye(*sizes, **given):
    """A matrix of ``n`` rows and ``m`` (``n``) columns with ones on the diagonal and zeros elsewhere.

    >>> import tensh as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    if len(sizes) == 1 and type(sizes[0]) is int and sizes[0] >= 0:
        try:
            numpy, requires_grad = plain(of_scalar[float].numpy, **given)
            return leaf(diagonal(sizes[0], sizes[0], numpy), requires_grad)
        except (TypeError, AttributeError, MemoryError):
            pass
    given = bind("eye", (f"(int n, {OUT})", f"(int n, int m, {OUT})"), sizes, given)
    n, m = given["n"], given.get("m", given["n"])
    for name, number in ("n", n), ("m", m):
        if number < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {number}")
    return finish("eye", lambda d: diagonal(n, m, d), of_scalar[float].numpy, given)


def diagonal(n, m, dtype):
    array = np.zeros(n * m, dtype)
    array[: m * m : m + 1] = 1
    return array.reshape(n, m)


def triangle(name, upper):
    """Declare the function of the places of a triangle."""
    text = f"(int row, int col, int offset = 0, *, {KEYWORDS})"

    def indices(*args, **given):
        given = bind(name, (text,), args, given)
        row, col, offset = given["row"], given["col"], given["offset"]
        for side, number in ("row", row), ("col", col):
            if number < 0:
                raise RuntimeError(f"{side} must be non-negative, got{number}")

        def make(dtype):
            if dtype not in (np.int64, np.int32):
                raise NotImplementedError(f"\"{name}\" not implemented for '{BY_NUMPY[dtype].title}'")
            where = np.triu_indices(row, offset, col) if upper else np.tril_indices(row, offset, col)
            return np.array(where, dtype)

        return finish(name, make, int64.numpy, given)

    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = (
        f"The rows and columns, as a 2-row tensor, of the {'upper' if upper else 'lower'} triangle of a matrix of ``row`` "
        f"rows and ``col`` columns; ``offset`` moves the diagonal {'right' if upper else 'up'}."
    )
    return public(indices)


tril_indices, triu_indices = triangle("tril_indices", False), triangle("triu_indices", True)


def inclusive_range(*bounds, **given):
    """The numbers from ``start`` (0) to ``end``, which is included; ``arange`` leaves it out and is preferred."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        stacklevel=2,
    )
    given = bind("range", (f"(Number start = 0, Number end, Number step = 1, {OUT})",), bounds, given)
    start, end, step = given["start"], given["end"], given["step"]
    if not step:
        raise RuntimeError("step must be nonzero")
    if not (end >= start if step > 0 else end <= start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    number = math.floor((end - start) / step) + 1
    return finish("range", lambda d: steps_from(float(start), float(step), number, d), of_scalar[float].numpy, given)


inclusive_range.__name__ = inclusive_range.__qualname__ = "range"
public(inclusive_range)
