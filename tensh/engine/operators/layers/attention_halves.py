"""Attention of 16 bit numbers as PyTorch computes it: weights are rounded to 16 bits before they are divided by their sum.

Exponentials of whole vectors are approximated there, to four digits (A. C. I. Malossi et al., "Fast exponential
computation on SIMD architectures", 2015).
"""

import numpy as np

from tensh.engine.arrays.halves import convert
from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.vocabulary import ARRAYS
from tensh.engine.operators.precision import F4, F8, widen

SCORES = 1 << 14  # scores up to which this is done; it takes two or three times as long
KEYS = 512  # keys that PyTorch looks at together
LANES = 16 if HAS_AVX512 else 8  # numbers of a vector
LEAST = np.array(0xC2AEAC50, np.uint32).view(F4)[()]  # the least number whose exponential is a normal float32
LOG2_E = F4.type(1.4426950408889634)
FRACTION = (-0.079204240219773236, -0.22433836478672356, 0.30354260500649682, 0.00010703434948458272)
MANTISSA, BIAS = float(1 << 23), float(127 << 23)  # the bits of a float32 as a number


def approximate_exp(x):
    """Return 2 to the power of x log2(e) for x <= 0: its fraction, minus a polynomial, becomes the mantissa as it is."""
    power = (np.maximum(x, LEAST) * LOG2_E).astype(F8)
    fraction = power - np.floor(power)
    rest = fraction * FRACTION[0]
    for coefficient in FRACTION[1:-1]:
        rest += coefficient
        rest *= fraction
    power -= rest
    power -= FRACTION[-1]
    power *= MANTISSA
    power += BIAS
    return np.where(x < LEAST, F4.type(0), power.astype(F4).astype(np.int32).view(F4))  # the sum is rounded first


def exponentials(x):
    """Return the exponentials of rows: those of whole vectors are approximated, unless there is nan."""
    whole = x.shape[-1] // LANES * LANES
    if not whole or np.isnan(x).any():
        return np.exp(x)
    found = approximate_exp(x[..., :whole])
    return found if whole == x.shape[-1] else np.concatenate((found, np.exp(x[..., whole:])), -1)


def weigh(query, key, mask, scale):
    """Return the scores, their largest, the weights before division and their sums."""
    scores = np.matmul(widen(query), widen(key).swapaxes(-1, -2)) * F4.type(scale)
    if mask is not None:
        scores = scores + widen(mask)
    top = scores.max(-1, keepdims=True)
    top = np.where(np.isneginf(top), F4.type(0), top)
    weights = exponentials(scores - top)
    total = weights.sum(-1, keepdims=True)
    return scores, top, weights, np.where(total == 0, F4.type(1), total)


def attend(query, key, value, mask, scale):
    """softmax(query @ key.T * scale + mask) @ value."""
    *_, weights, total = weigh(query, key, mask, scale)
    return convert(np.matmul(widen(convert(weights, query.dtype)), widen(value)) / total, query.dtype)


def block_of(rows):
    """Return the number of queries whose parts of the gradients PyTorch adds before it rounds them."""
    return 32 if rows < 192 else 64 if rows < 768 else 256


def attend_slopes(g, query, key, value, out, mask, scale):
    """The gradients of query, key and value."""
    dtype, scale = query.dtype, F4.type(scale)
    scores, top, _, total = weigh(query, key, mask, scale)
    weights = np.exp(scores - (top + np.log(total)))
    arrived = widen(g)
    slopes = np.matmul(arrived, widen(value).swapaxes(-1, -2)) - (arrived * widen(out)).sum(-1, keepdims=True)
    slopes, weights = (widen(convert(each, dtype)) for each in (weights * slopes, weights))
    by_query = convert(np.matmul(slopes, widen(key)) * scale, dtype)
    by_key = add_blocks(slopes, widen(query), scale, dtype)
    by_value = add_blocks(weights, arrived, F4.type(1), dtype)
    return [ARRAYS["sum_to"](each, a.shape) for each, a in zip((by_query, by_key, by_value), (query, key, value))]


def add_blocks(matrix, other, scale, dtype):
    """Return ``matrix.T @ other * scale``, some rows at a time, whose sums are rounded."""
    total, rows = None, block_of(matrix.shape[-2])
    for start in range(0, matrix.shape[-2], rows):
        part = (
            np.matmul(matrix[..., start : start + rows, :].swapaxes(-1, -2), other[..., start : start + rows, :])
            * scale
        )
        total = convert(part if total is None else widen(total) + part, dtype)
    return total
