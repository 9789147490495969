"""Random numbers in arrays, with PyTorch's checks.

Each function fills ``array``, of any shape and strides, from ``generator``.  PyTorch's errors are raised before
anything is drawn.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays.orders import order_of
from tensh.engine.codegen.mixing import SCALARS, ZERO
from tensh.engine.dtypes.dtype import BOOL, BY_NUMPY, COMPLEX, FLOAT, INTEGER
from tensh.engine.errors.warnings import warn
from tensh.engine.random import discrete, distributions
from tensh.engine.random.distributions import SINGLE, fill

LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
           "float64": 1.7976931348623157e308}  # fmt: skip
LOWEST_INT, LARGEST_INT = -(2**63), 2**63 - 1


def refuse(array, kernel, categories, but=()):
    """Raise PyTorch's error unless the dtype is float32 or belongs to one of the categories (and is not one of ``but``)."""
    if array.dtype is SINGLE:
        return
    dtype = BY_NUMPY[array.dtype]
    if dtype.category not in categories or dtype.name in but:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.title}'")


def parts(array):
    """Return the real and imaginary parts of a complex array as one real array on the same memory."""
    return array[..., None].view(BY_NUMPY[array.dtype].to_real().numpy)


# ── continuous ───────────────────────────────────────────────────────────────
def check_bounds(dtype, low, high):
    """Raise PyTorch's error unless numbers of the dtype lie between the bounds."""
    largest = LARGEST[dtype.name]
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.spoken}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{dtype.title}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )


def uniform(array, generator, low=0.0, high=1.0):
    """Draw numbers in [low, high)."""
    if array.dtype is SINGLE and array.flags.c_contiguous and low == 0.0 and high == 1.0:
        distributions.uniform(array.reshape(-1), generator)
        return
    if BY_NUMPY[array.dtype].category == COMPLEX:
        if array.size:
            uniform(parts(array), generator, low, high)
        return
    refuse(array, "check_uniform_bounds", (FLOAT,))
    if low != 0 or high != 1:
        check_bounds(BY_NUMPY[array.dtype], low, high)
    fill(array, distributions.uniform, generator, low, high)


def normal(array, generator, mean=0.0, std=1.0):
    """Draw normal numbers; complex ones have half the variance in each part."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if not array.size:
        return
    if array.dtype.kind in "cW":
        array, std = parts(array), std / math.sqrt(2)
    refuse(array, "normal_kernel_cpu", (FLOAT,))
    fill(array, distributions.normal, generator, mean, std, array.flags.c_contiguous)


def log_normal(array, generator, mean=1.0, std=2.0):
    """Draw the exponentials of normal numbers."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if array.size:
        refuse(array, "log_normal_cpu", (FLOAT,))
        fill(array, distributions.log_normal, generator, mean, std)


def exponential(array, generator, lambd=1.0):
    """Draw waiting times between events that occur ``lambd`` times per unit of time."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    if array.size:
        dtype = BY_NUMPY[array.dtype]
        _require_float(dtype, "Exponential", dtype.title)
        fill(array, distributions.exponential, generator, lambd)


def cauchy(array, generator, median=0.0, sigma=1.0):
    """Draw numbers of Cauchy's distribution."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    dtype = BY_NUMPY[array.dtype]
    _require_float(dtype, "Cauchy", dtype.spoken)
    fill(array, distributions.cauchy, generator, median, sigma)


def _require_float(dtype, title, name):
    if dtype.category != FLOAT:
        raise RuntimeError(
            f"{title} distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {name}"
        )


# ── discrete ─────────────────────────────────────────────────────────────────
def geometric(array, generator, p):
    """Draw the number of trials up to the first success, with probability ``p``."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if array.size:
        refuse(array, "geometric_cpu", (INTEGER, FLOAT), ("uint16", "uint32", "uint64"))
        fill(array, discrete.geometric, generator, p)


def bernoulli(array, generator, p):
    """Draw 1 with probability ``p``, a number or an array that is broadcast, and 0 otherwise."""
    each = isinstance(p, np.ndarray)
    if not each and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if not array.size:
        return
    kernel = "bernoulli_tensor_cpu_self_" if each else "bernoulli_scalar_cpu_"
    refuse(array, kernel, (BOOL, INTEGER, FLOAT), ("uint16", "uint32", "uint64"))
    if each:
        p = _chances(array, p)
        if not (array.flags.c_contiguous and p.flags.c_contiguous):
            p = p.transpose(order_of(array.shape, array.strides))
        p = p.reshape(-1)
        fill(array, discrete.bernoulli_each, generator, p)
    else:
        fill(array, discrete.bernoulli, generator, p)


def _chances(array, p):
    """Broadcast ``p`` to the shape of ``array``, with PyTorch's checks."""
    if p.ndim > array.ndim:
        raise RuntimeError(
            f"expand({BY_NUMPY[p.dtype].class_of_tensors}{{{list(p.shape)}}}, size={list(array.shape)}): the number of sizes "
            f"provided ({array.ndim}) must be greater or equal to the number of dimensions in the tensor ({p.ndim})"
        )
    for back in range(1, p.ndim + 1 if p.shape != array.shape else 1):
        if p.shape[-back] not in (1, array.shape[-back]):
            raise RuntimeError(
                f"The expanded size of the tensor ({array.shape[-back]}) must match the existing size "
                f"({p.shape[-back]}) at non-singleton dimension {array.ndim - back}.  "
                f"Target sizes: {list(array.shape)}.  Tensor sizes: {list(p.shape)}"
            )
    refuse(p, "bernoulli_tensor_cpu_p_", (FLOAT,))
    if False in ((p >= ZERO[p.dtype]) & (p <= SCALARS[1, p.dtype])).tobytes():  # a third of the time of all()
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, "
            "please report an enhancement request to PyTorch.)"
        )
    return p if p.shape == array.shape else np.broadcast_to(p, array.shape)


def integers(array, generator, low=0, high=None):
    """Draw integers in [low, high), or from ``low`` to the largest of the dtype."""
    dtype = BY_NUMPY[array.dtype]
    if high is None and low == LOWEST_INT:
        if array.size:
            refuse(array, "random_full_64_bits_range_kernel_cpu", (INTEGER, FLOAT), ("float16",))
            if dtype.name not in ("int64", "float64", "float32", "bfloat16"):
                raise RuntimeError(
                    "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"
                )
            fill(array, discrete.integers, generator, 0, 2**64)
        return
    low, last = _bounds(dtype, low, high)
    _check_range(dtype, low, last)
    fill(array, discrete.integers, generator, low, last - low + 1)


def natural_integers(array, generator):
    """Draw integers from 0 to the largest of the dtype."""
    if array.size:
        refuse(array, "random_kernel_cpu", (BOOL, INTEGER, FLOAT), ("uint16", "uint32", "uint64"))
        fill(array, discrete.natural_integers, generator)


def _bounds(dtype, low, high):
    """Return the first and the last integer that can be drawn, after rounding inwards to a float dtype."""
    if high is None:
        return _open_bounds(dtype, low)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.category == FLOAT and not _are_exact(dtype, low, high):
        low, high = _round_up(dtype, low), _round_down(dtype, high)
        if low >= high:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                f"but got from={low} >= to={high}"
            )
    return low, high - 1


def _are_exact(dtype, first, last):
    """Return True if a float dtype holds all integers between two."""
    limit = 1 << discrete.DIGITS[dtype.name]
    return -limit <= first and last <= limit


def _open_bounds(dtype, low):
    if dtype.category == COMPLEX:
        raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
    if dtype.category != FLOAT:
        return low, 1 if dtype.category == BOOL else int(np.iinfo(dtype.numpy).max)
    last, low = 2 ** discrete.DIGITS[dtype.name], _round_up(dtype, low)
    if low >= last:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
            f"but got from={low} > to_inc={last}"
        )
    return low, last


def _round_bound(dtype, number):
    """Round an integer to the float dtype; what no integer of 64 bits is becomes the lowest of them, as in C."""
    number = (number + 2**63) % 2**64 - 2**63
    value = np.array(number, np.int64).astype(dtype.numpy).astype(np.float64)
    return int(value) if abs(value) < 2.0**63 else LOWEST_INT


def _round_up(dtype, low):
    after = _round_bound(dtype, low + 1)
    return low if after >= low else after + _gap(dtype, low + 1)


def _round_down(dtype, high):
    before = _round_bound(dtype, high - 1)
    return high if before < high else before - _gap(dtype, high - 1)


def _gap(dtype, number):
    """Return the distance between neighbouring numbers of the dtype at ``number``."""
    return 2 ** (abs(number).bit_length() - discrete.DIGITS[dtype.name])


@functools.cache
def _limits(dtype):
    """Return the smallest and the largest number of a dtype that can be drawn."""
    if dtype.category == FLOAT:
        return -LARGEST[dtype.name], LARGEST[dtype.name]
    if dtype.category == BOOL:
        return 0, 1
    limits = np.iinfo(dtype.numpy)
    return int(limits.min), min(int(limits.max), LARGEST_INT)


def _check_range(dtype, first, last):
    """Raise RuntimeError for integer bounds that a dtype lacks; warn about bounds that it rounds."""
    if dtype.category == COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    least, most = _limits(dtype)
    if (
        least <= min(first, last)
        and max(first, last) <= most
        and (dtype.category != FLOAT or _are_exact(dtype, first, last))
    ):
        return
    name = dtype.spoken
    for bound, number in (("from", first), ("to - 1", last)):
        if not least <= number <= most:
            raise RuntimeError(f"{bound} is out of bounds for {name}")
    if dtype.category == FLOAT:
        digits = discrete.DIGITS[dtype.name]
        for bound, number in (("from", first), ("to - 1", last)):
            if abs(number) > 2**digits:
                warn(
                    f"{bound} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {name} can support "
                    "discrete uniform distribution only within this range. This warning will become an error in version "
                    "1.7 release, please fix the code in advance",
                )
