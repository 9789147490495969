"""Creation of evenly spaced numbers: linspace and logspace."""

import math
from functools import lru_cache
from itertools import repeat

import numpy as np

from tensh.engine.arguments.binding import OUT, bind, bind_plain, finish, make_leaf
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arrays.absent import is_absent
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.scalars import REAL, SAFE, cast_scalar
from tensh.engine.codegen.table import public
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import on_meta
from tensh.engine.dtypes.dtype import BY_NUMPY, COMPLEX, FLOAT, INTEGER, complex32, of_scalar
from tensh.engine.errors.messages import dtype_error
from tensh.engine.methods.creation.roundings import DOUBLE, fuse_multiply_add, narrow_values, round_float32


def space_signatures(*last):
    """Return the signatures of a function with two ends, each a number or a 0-d tensor."""
    ends = (
        "Tensor start, Tensor end",
        "Number start, Tensor end",
        "Tensor start, Number end",
        "Number start, Number end",
    )
    return tuple(f"({', '.join((both, *last))}, {OUT})" for both in ends)


LINSPACE, LOGSPACE = space_signatures("int steps"), space_signatures("int steps", "float base = 10.0")


@public
@shows("start, end, steps, *")
def linspace(*args, **given):
    """Return ``steps`` evenly spaced numbers from ``start`` to ``end``, inclusive.

    Shape: [steps]. Raise RuntimeError for negative ``steps``.

    >>> import tensh as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    if len(args) == 3 and type(args[0]) in REAL and type(args[1]) in REAL and type(args[2]) is int and args[2] >= 0:
        try:
            numpy, requires_grad = bind_plain(of_scalar[float].numpy, **given)
            if numpy.kind == "f":
                return make_leaf(compute_linspace(*args, numpy), requires_grad)
        except (TypeError, AttributeError, RuntimeError, ValueError, MemoryError):
            pass
    given = bind("linspace", LINSPACE, args, given)
    try:
        return make_space("linspace", given, compute_linspace)
    except Lift:
        return ports.batched_function("linspace", linspace, (), given)


@public
@shows("start, end, steps, base=10.0, *")
def logspace(*args, **given):
    """Return powers of ``base`` with ``steps`` evenly spaced exponents from ``start`` to ``end``, inclusive.

    Shape: [steps]. Raise RuntimeError for negative ``steps``.

    >>> import tensh as torch
    >>> torch.logspace(0, 3, 4, base=2)
    tensor([1., 2., 4., 8.])
    """
    given = bind("logspace", LOGSPACE, args, given)
    try:
        return make_space("logspace", given, lambda *ends: compute_logspace(given["base"], *ends))
    except Lift:
        return ports.batched_function("logspace", logspace, (), given)


def make_space(name, given, compute):
    """Make the tensor of ``compute(start, end, steps, dtype)``."""
    start, end, steps = read_end(name, given, "start"), read_end(name, given, "end"), given["steps"]
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
        if which.category not in (INTEGER, FLOAT, COMPLEX) or which is complex32:
            raise dtype_error(name, dtype)
        return compute(start, end, steps, dtype)

    return finish(name, make, default.numpy, {**given, "size": (steps,)})


def read_end(name, given, which):
    """Return one end as a number."""
    end = given[which]
    if not isinstance(end, Tensor):
        return end
    if end.array.ndim:
        tensors = [e for e in ("start", "end") if isinstance(given[e], Tensor)]
        found = " and ".join(f"{e} with {given[e].array.ndim} dimension(s)" for e in tensors)
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {found}.")
    _ = end.node  # raises Lift for one of a batch
    if is_absent(end) and on_meta(given["device"]):
        return 0j if end.array.dtype.kind in "cW" else 0.0  # any number: the result has no elements
    return end.item()


def count_from_ends(steps):
    """Return 0, 1, … up to the middle, then …, -1, 0 relative to the end, so that both ends are exact; read-only."""
    half = steps // 2
    numbers = np.concatenate([np.arange(half), -np.arange(steps - half)[::-1]]).astype(np.float64)
    numbers.flags.writeable = False
    return numbers


kept_count_from_ends = lru_cache(maxsize=64)(count_from_ends)


def find_counts(steps):
    """Return ``count_from_ends(steps)``, which takes 3 µs; short ones are kept."""
    return kept_count_from_ends(steps) if steps <= 1024 else count_from_ends(steps)


def compute_from_ends(start, end, step, steps, compute):
    """Compute the first half from the start, the second half backwards from the end."""
    half, numbers = steps // 2, find_counts(steps)
    return np.concatenate([compute(step, numbers[:half], start), compute(step, numbers[half:], end)])


def compute_linspace(start, end, steps, dtype):
    """Compute the array of ``linspace``."""
    if dtype.kind != "f" or not (
        type(start) in REAL and type(end) in REAL and -SAFE < start < SAFE and -SAFE < end < SAFE
    ):
        start, end = (cast_scalar(x, BY_NUMPY[dtype]) for x in (start, end))
    if steps < 2:
        return np.full(steps, start, dtype)
    if dtype.kind == "c":
        step = dtype.type((end - start) / (steps - 1))
        return compute_from_ends(
            dtype.type(start), dtype.type(end), step, steps, lambda f, n, s: (f * n + s).astype(dtype)
        )
    if dtype.kind in "iu":
        return compute_from_ends(start, end, (end - start) / (steps - 1), steps, fuse_multiply_add).astype(dtype)
    if dtype.itemsize == 4:  # the product is exact enough in float64
        start, end = round_float32(start), round_float32(end)
        values = find_counts(steps) * SCALARS[round_float32(round_float32(end - start) / (steps - 1)), DOUBLE]
        for half, origin in (values[: steps // 2], start), (values[steps // 2 :], end):
            if origin:
                half += SCALARS[origin, DOUBLE]
        return values.astype(dtype)
    if dtype.itemsize == 8:
        return compute_from_ends(start, end, (end - start) / (steps - 1), steps, fuse_multiply_add)

    def short(x):  # every result is rounded
        return np.asarray(x, np.float32).astype(dtype).astype(np.float32)

    start, end = short(start), short(end)
    step = short(short(end - start) / short(steps - 1))
    return compute_from_ends(start, end, step, steps, lambda f, n, s: short(short(f * short(n)) + s)).astype(dtype)


def compute_logspace(base, start, end, steps, dtype):
    """Compute the array of ``logspace``."""
    if steps < 2:
        with_fraction = complex(base) ** start if dtype.kind == "c" else float(base) ** start
        return np.array([with_fraction] * steps).astype(dtype)
    start, end = (cast_scalar(x, BY_NUMPY[dtype]) for x in (start, end))
    if dtype.kind == "c":
        start, end = complex(start), complex(end)
        step = (end - start) / (steps - 1)
        return np.power(base, compute_from_ends(start, end, step, steps, lambda f, n, s: f * n + s)).astype(dtype)
    if dtype.kind in "fV":
        start, end = (np.asarray(x, np.float64).astype(dtype) for x in (start, end))
    step = float(end - start) / (steps - 1)
    exponents = compute_from_ends(float(start), float(end), step, steps, lambda f, n, s: f * n + s)
    try:  # NumPy's power may differ in the last place
        values = np.fromiter(map(math.pow, repeat(base), exponents.tolist()), np.float64, steps)
    except (ValueError, OverflowError):
        values = np.power(base, exponents)
    return narrow_values(values, dtype)
