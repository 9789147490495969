"""Sums and related reductions, and inputs for the measurement of their errors, against sums in higher precision.

Inputs are rows of numbers, each of which is reduced; a layout arranges the same rows differently in memory and says which
dimensions are reduced, so that one exact result serves all layouts. Exact results are computed in ``longdouble`` by
pairwise sums along rows, 2,000 times as accurate as float64. An error is in ulp of ``scale``, the result if no
terms cancelled.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

TITLE = "Reductions"
TEXT = """
Errors are relative to the sum of the absolute values of the summands, or to the exact result if nothing cancels. Inputs: rows of 1
to 50,000 numbers, reduced along the first, the last, a middle and several dimensions of contiguous, transposed and strided
tensors; numbers that are uniform, normal, all 0.1, sorted, of alternating signs, cancelling at a magnitude of 1e6, and of
magnitudes from 1e-15 to 1e15.
"""
EXACT = np.longdouble

# ── numbers ──────────────────────────────────────────────────────────────────
DISTRIBUTIONS = {
    "uniform": lambda r, k, n: r.random((k, n)),
    "normal": lambda r, k, n: r.standard_normal((k, n)),
    "constant": lambda r, k, n: np.full((k, n), 0.1),
    "sorted": lambda r, k, n: np.sort(r.random((k, n)), 1),
    "alternating": lambda r, k, n: r.random((k, n)) * (1 - 2 * (np.arange(n) % 2)),
    "cancelling": lambda r, k, n: r.permuted(np.resize([1e6, -1e6, 0.5, 3e5, -3e5], (k, n)), axis=1),
    "wide": lambda r, k, n: 10.0 ** r.uniform(-15, 15, (k, n)),
}
SIZES = 1, 3, 100, 1000, 4898, 50_000
FEW = 3, 100, 4898  # lengths for 16 bit and complex numbers, which are added like those of 32 and 64 bit
LARGE = 20_000  # numbers of a row beyond which an input counts as large


def rows_of(distribution, size):
    """Rows of so many numbers, the same on every call."""
    rows = min(24, max(2, 12_000 // size))
    return DISTRIBUTIONS[distribution](np.random.default_rng(size), rows, size)


# ── layouts: tensor of rows -> (tensor, reduced dimensions) ──────────────────
def divisor(n):
    """The largest divisor of ``n`` up to its square root."""
    return next(d for d in range(math.isqrt(n), 0, -1) if n % d == 0)


def several(T, t):
    k, n = t.shape
    d = divisor(n)
    return t.reshape(k, d, n // d).permute(1, 0, 2).contiguous(), (0, 2)


def middle(T, t):
    k, n = t.shape
    d = divisor(k)
    return t.reshape(d, k // d, n).permute(0, 2, 1).contiguous(), 1


LAYOUTS = {
    "last": lambda T, t: (t, 1),
    "first": lambda T, t: (t.t().contiguous(), 0),
    "middle": middle,
    "several": several,
    "transposed, last": lambda T, t: (t.t().contiguous().t(), 1),
    "strided, last": lambda T, t: (T.stack([t, -t], -1).flatten(1)[:, ::2], 1),
    "strided, first": lambda T, t: (T.stack([t.t(), -t.t()], -1).flatten(1)[:, ::2], 0),
    "whole": lambda T, t: (t[:1].reshape(-1), 0),
    "whole matrix": lambda T, t: (t[:1].reshape(divisor(t.shape[1]), -1), (0, 1)),
}
ONE_DIM = [name for name in LAYOUTS if name not in ("several", "whole matrix")]


# ── functions ────────────────────────────────────────────────────────────────
class Reduction(NamedTuple):
    """``call(T, tensor, dim)`` and ``exact(rows)``: the exact result of rows, and the scale of its error if it is another."""

    call: Any
    exact: Any
    dtypes: str = "e g f d"  # float16, bfloat16, float32, float64 as letters; F D for complex numbers
    layouts: Any = tuple(LAYOUTS)
    scan: bool = False  # is the result as large as the input?
    numbers: Any = tuple(DISTRIBUTIONS)
    prepare: Any = lambda rows: rows  # applied to rows before they become a tensor


def total(values):
    return values.sum(1)


def summed(terms):
    """Exact sums of terms, and their scale."""
    return total(terms), total(abs(terms))


def averaged(terms):
    return tuple(each / max(terms.shape[1], 1) for each in summed(terms))


def span(rows):
    """Variances; for numbers that are all equal, the scale is the variance that one wrong digit of the mean would cause."""
    number = rows.shape[1]
    if number < 2:
        return rows[:, 0].real * np.nan
    variance = total(abs(rows - total(rows)[:, None] / number) ** 2) / (number - 1)
    return variance, np.maximum(variance, 2.0**-52 * total(abs(rows) ** 2) / number)


def deviation(rows):
    """Standard deviations, with the same scale."""
    number = rows.shape[1]
    if number < 2:
        return span(rows)
    value, size = np.sqrt(span(rows)[0]), np.sqrt(total(abs(rows) ** 2) / number)
    return value, np.where(value > 2.0**-26 * size, value, size)


def power_norm(p):
    return lambda rows: total(abs(rows) ** p) ** (1 / EXACT(p))


def running(rows):
    return rows.cumsum(1), abs(rows).cumsum(1)


def log_sum(rows):
    top = rows.max(1)
    value = np.log(total(np.exp(rows - top[:, None]))) + top
    return value, np.maximum(abs(value), 1)


def soft(rows):
    powers = np.exp(rows - rows.max(1)[:, None])
    return powers / total(powers)[:, None]


def log_soft(rows):
    value = rows - log_sum(rows)[0][:, None]
    return value, np.maximum(abs(value), abs(rows))


def near_one(rows):
    """Factors whose product neither overflows nor vanishes."""
    return 1 + rows / rows.shape[1]


MILD = "uniform", "normal", "constant", "sorted", "alternating"
FLOATS, ALL = "e g f d", "e g f d F D"
FUNCTIONS = {
    "sum": Reduction(lambda T, t, d: t.sum(d), summed, ALL),
    "mean": Reduction(lambda T, t, d: t.mean(d), averaged, ALL),
    "nansum": Reduction(lambda T, t, d: t.nansum(d), summed),
    "nanmean": Reduction(lambda T, t, d: t.nanmean(d), averaged),
    "var": Reduction(lambda T, t, d: t.var(d), span, ALL),
    "std": Reduction(lambda T, t, d: t.std(d), deviation, ALL),
    "var_mean, var": Reduction(lambda T, t, d: T.var_mean(t, d)[0], span),
    "var_mean, mean": Reduction(lambda T, t, d: T.var_mean(t, d)[1], averaged),
    "std_mean, mean": Reduction(lambda T, t, d: T.std_mean(t, d)[1], averaged),
    "norm": Reduction(lambda T, t, d: T.linalg.vector_norm(t, 2, d), power_norm(2), ALL),
    "norm 1": Reduction(lambda T, t, d: T.linalg.vector_norm(t, 1, d), power_norm(1), ALL),
    "norm 3": Reduction(lambda T, t, d: T.linalg.vector_norm(t, 3, d), power_norm(3), numbers=MILD),
    "norm 0.5": Reduction(lambda T, t, d: T.linalg.vector_norm(t, 0.5, d), power_norm(0.5), "f d", numbers=MILD),
    "prod": Reduction(
        lambda T, t, d: t.prod(d), lambda rows: rows.prod(1), "f d", ONE_DIM, numbers=MILD, prepare=near_one
    ),
    "logsumexp": Reduction(lambda T, t, d: t.logsumexp(d), log_sum, FLOATS, numbers=MILD),
    "softmax": Reduction(lambda T, t, d: t.softmax(d), soft, FLOATS, ONE_DIM, True, MILD),
    "log_softmax": Reduction(lambda T, t, d: t.log_softmax(d), log_soft, FLOATS, ONE_DIM, True, MILD),
    "cumsum": Reduction(lambda T, t, d: t.cumsum(d), running, ALL, ONE_DIM, True),
    "cumprod": Reduction(
        lambda T, t, d: t.cumprod(d), lambda rows: rows.cumprod(1), "f d", ONE_DIM, True, MILD, near_one
    ),
    "logcumsumexp": Reduction(
        lambda T, t, d: t.logcumsumexp(d),
        lambda rows: (value := np.logaddexp.accumulate(rows, 1), np.maximum(abs(value), 1)),
        FLOATS, ONE_DIM, True, MILD,
    ),
}  # fmt: skip


# ── measuring ────────────────────────────────────────────────────────────────
NAMES = {"e": "float16", "g": "bfloat16", "f": "float32", "d": "float64", "F": "complex64", "D": "complex128"}
ULP = {"e": 2.0**-10, "g": 2.0**-7, "f": 2.0**-23, "d": 2.0**-52, "F": 2.0**-23, "D": 2.0**-52}


def to_tensor(T, rows, letter):
    """A tensor of rows in a dtype; for complex numbers, the reversed rows are the imaginary parts."""
    if letter in "FD":
        rows = rows + 1j * rows[:, ::-1]
    if letter == "g":
        return T.from_numpy(rows.astype(np.float32)).bfloat16()
    return T.from_numpy(rows.astype(letter))


def to_array(tensor):
    """The elements of a result in the precision of exact results."""
    tensor = tensor.detach()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    array = tensor.numpy()
    return array.astype(np.clongdouble if array.dtype.kind == "c" else EXACT)


def error_of(found, exact, scale, ulp, most):
    """The largest error, in ulp, of elements no larger than ``most``; non-finite elements must agree."""
    with np.errstate(all="ignore"):
        errors = abs(found - exact) / (ulp * abs(scale))
        errors = np.where(found == exact, 0, errors)
        errors = np.where(np.isfinite(exact) & (abs(exact) < most), errors, 0)
    return float(np.nan_to_num(errors, nan=np.inf).max(initial=0))


def reduced_rows(found, shape, dims, scan):
    """A result as rows: of a scan as the input's, otherwise a column."""
    if not scan:
        return found.reshape(-1)
    return np.moveaxis(found, dims, -1).reshape(-1, shape[dims])


def inputs(reduction, letter, sizes):
    chosen = [size for size in sizes if letter in "fd" or size in FEW]
    for size, distribution in itertools.product(chosen, reduction.numbers):
        if distribution == "wide" and letter == "e":  # beyond float16
            continue
        rows = reduction.prepare(rows_of(distribution, size))
        yield f"{distribution} {size}", rows * 1e-2 if distribution == "cancelling" and letter == "e" else rows


def measure_function(modules, name, sizes, dtypes=None):
    """Measure one function for some sizes and dtypes."""
    reduction = FUNCTIONS[name]
    for letter in (dtypes or reduction.dtypes).split():
        for given, rows in inputs(reduction, letter, sizes):
            tensors = [to_tensor(T, rows, letter) for T in modules]
            taken = to_array(tensors[0])
            with np.errstate(all="ignore"):
                result = reduction.exact(taken)
            exact, scale = result if isinstance(result, tuple) else (result, result)
            for layout in reduction.layouts:
                errors = []
                for T, t in zip(modules, tensors, strict=True):
                    laid, dims = LAYOUTS[layout](T, t)
                    found = reduced_rows(to_array(reduction.call(T, laid, dims)), laid.shape, dims, reduction.scan)
                    most = 6.5e4 if letter == "e" else 3e38
                    errors.append(error_of(found, exact[: len(found)], scale[: len(found)], ULP[letter], most))
                yield name, NAMES[letter], f"{layout}, {given}", tuple(errors)


def measure(modules, wanted, quick):
    """Yield (function, dtype, input, (error of each module)) for the functions that are ``wanted``."""
    for name in filter(wanted, FUNCTIONS):
        yield from measure_function(modules, name, [size for size in SIZES if not quick or size < LARGE])
