"""Continuous distributions: how PyTorch turns words of the generator into real numbers.

Every function fills ``out``, a contiguous one-dimensional array of floats, in order, and takes exactly the words that
PyTorch takes.  ``fill`` applies such a recipe to an array of any shape and strides.

Note [Fused rounding] PyTorch's kernels end in ``x * scale + shift``, which the compiler turns into one instruction that
rounds once. ``fuse_scale_shift`` also rounds once, so that uniform numbers in any range have the same bits.
"""

import functools
import math
import threading

import numpy as np

from tensh.engine.arrays.orders import order_of
from tensh.engine.arrays.threads import PARALLEL, run
from tensh.engine.random import polynomials
from tensh.engine.random.words import FEW as FEW_WORDS
from tensh.engine.random.words import join_halves

FEW = 128  # up to this count functions are computed in Python: 70 ns each, a ufunc call takes 500
BLOCK = 32768  # elements per block: 128 KB of float32 fit in the second-level cache
DRAWN = 8 * BLOCK  # numbers whose words a thread draws at a time; with fewer, threads mostly wait for each other
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
# 0-d arrays for the hot path, which NumPy reads in half the time of its scalars
LOW24 = {4: np.array(2**24 - 1, np.uint32), 8: np.array(2**24 - 1, np.uint64)}  # size of a word -> mask
LOW53 = np.array(2**53 - 1, np.uint64)
STEP24, STEP53 = np.array(2.0**-24, np.float32), np.array(2.0**-53)
ONE, MINUS_TWO, TURN = ({real: np.array(number, real) for real in (SINGLE, DOUBLE)} for number in (1, -2, 2 * math.pi))


# ── destination ──────────────────────────────────────────────────────────────
def fill(array, recipe, *args):
    """Fill ``array`` by ``recipe(flat, *args)``, in memory order."""
    if array.flags.c_contiguous:
        recipe(array.reshape(-1), *args)
        return
    flat = array.transpose(order_of(array.shape, array.strides))
    if flat.flags.c_contiguous:
        recipe(flat.reshape(-1), *args)
    else:
        values = np.empty(flat.size, array.dtype)
        recipe(values, *args)
        flat[...] = values.reshape(flat.shape)


def iterate_blocks(out, dtype):
    """Yield arrays of ``dtype`` to fill, one for each block of ``out``, and copy them to ``out``."""
    for start in range(0, out.size, BLOCK):
        part = out[start : start + BLOCK]
        if part.dtype == dtype:
            yield part
        else:
            work = np.empty(part.size, dtype)
            yield work
            part[...] = work


def from_units(out, dtype, generator, shape):
    """Apply ``shape(block)`` to blocks of uniform numbers of ``dtype``, drawn in order, and store them in ``out``.

    One thread draws while others transform the numbers drawn before: normal numbers take half the time.
    """
    if out.size <= BLOCK:
        block = out if out.dtype == dtype else np.empty(out.size, dtype)
        unit(block, generator)
        shape(block)
        if block is not out:
            out[...] = block
        return
    alone = out.size < PARALLEL
    size = BLOCK if alone else DRAWN
    turn, places = threading.Lock(), iter(range(0, out.size, size))

    def work(_):
        with turn:
            lot = out[(start := next(places)) : start + size]
            words = draw_words(lot.size, dtype, generator)
        for start in range(0, lot.size, BLOCK):
            part = lot[start : start + BLOCK]
            block = part if part.dtype == dtype else np.empty(part.size, dtype)
            as_units(words[start : start + BLOCK], block)
            shape(block)
            if block is not part:
                part[...] = block

    run(work, -(-out.size // size), alone)


def fuse_scale_shift(x, scale, shift):
    """Compute ``x *= scale; x += shift``, rounded once."""
    if x.dtype == SINGLE:
        wide = x.astype(DOUBLE)  # represents the product exactly
        wide *= DOUBLE.type(scale)
        wide += DOUBLE.type(shift)
        x[...] = wide
        return
    if not (math.isfinite(scale) and math.isfinite(shift)):  # no rounding
        x *= scale
        x += shift
        return
    if abs(scale) > 2.0**960:  # its halves would overflow
        fuse_scale_shift(x, scale * 2.0**-64, shift * 2.0**-64)
        x *= 2.0**64
        return
    product = x * scale
    (a, b), (c, d) = _split_exact(x), _split_exact(scale)
    error = ((a * c - product) + a * d + b * c) + b * d  # error of the product, exact
    np.add(product, shift, out=x)
    back = x - product
    x += (product - (x - back)) + (shift - back) + error


def library(name, x):
    """Apply the function ``name`` in place.

    Small arrays use the C library, as in PyTorch; NumPy's float64 functions may be off by one unit in the last place.
    """
    if x.size <= FEW:
        try:
            x[...] = list(map(getattr(math, name), x.tolist()))
            return x
        except (ValueError, OverflowError):
            pass  # the result is infinite
    return getattr(np, name)(x, x)


def _split_exact(x):
    """Split a float64 into a sum of two with exact products (Dekker)."""
    scaled = x * 134217729.0  # 2**27 + 1
    top = scaled - (scaled - x)
    return top, x - top


# ── uniform ──────────────────────────────────────────────────────────────────
def draw_words(size, dtype, generator):
    """Draw the words for ``size`` numbers of float32 or float64."""
    return generator.words64(size) if dtype == DOUBLE else generator.words(size)


def as_units(words, out):
    """Fill a block of float32 or float64 with numbers in [0, 1) made from words: 24 random bits, or 53."""
    if out.dtype == DOUBLE:
        words &= LOW53
        out[...] = words.view(np.int64)  # signed integers convert faster
        out *= STEP53
    else:
        words &= LOW24[words.itemsize]
        out[...] = words if words.itemsize == 8 else words.view(np.int32)
        out *= STEP24


def single_units(words):
    """Return numbers in [0, 1) of float32, one for each word."""
    return (words & LOW24[8]).astype(SINGLE) * STEP24


def double_units(words):
    """Return numbers in [0, 1) of float64, one for every two words."""
    return (join_halves(words) & LOW53).view(np.int64).astype(DOUBLE) * STEP53


def units(size, dtype, generator):
    """Return numbers in [0, 1) of float32 or float64, in an array that must not be changed."""
    words, transform = (2 * size, double_units) if dtype == DOUBLE else (size, single_units)
    if 0 < words <= FEW_WORDS:
        return generator.open().make(words, transform, words // size)
    out = np.empty(size, dtype)
    as_units(draw_words(size, dtype, generator), out)
    return out


def unit(out, generator):
    """Fill a block of float32 or float64 with numbers in [0, 1)."""
    out[...] = units(out.size, out.dtype, generator)


def uniform(out, generator, low=0.0, high=1.0):
    """Draw numbers in [low, high)."""
    if low == 0.0 and high == 1.0 and out.dtype is SINGLE and out.size <= BLOCK:
        unit(out, generator)
        return
    work_dtype = DOUBLE if out.dtype == DOUBLE else SINGLE
    first, width = work_dtype.type(low), work_dtype.type(high) - work_dtype.type(low)
    if first == 0 and width == 1:
        from_units(out, work_dtype, generator, lambda block: None)
        if out.dtype == work_dtype:
            return
    else:
        from_units(out, work_dtype, generator, lambda block: fuse_scale_shift(block, width, first))
    reached = out == out.dtype.type(high)  # reached by rounding, but excluded
    if np.count_nonzero(reached):  # a tenth of the time of any()
        out[reached] = low


# ── normal ───────────────────────────────────────────────────────────────────
def normal(out, generator, mean=0.0, std=1.0, whole=True):
    """Draw normal numbers.

    With ``whole``, ``out`` is a whole contiguous tensor, which is filled in blocks of 16 from that size on; otherwise
    numbers come in pairs, and the generator keeps an unused second one.
    """
    if whole and out.size >= 16:
        _normal_blocks(out, generator, mean, std)
    else:
        for work in iterate_blocks(out, DOUBLE):
            normal_pairs(work, generator, mean, std)


def _normal_blocks(out, generator, mean, std):
    """Apply Box-Muller to blocks of 16: 8 radii and 8 angles.  A remainder is filled by drawing the last 16 again."""
    rest = out.size % 16
    if not rest and out.dtype != DOUBLE and out.size <= FEW_WORDS:
        work = out if out.dtype is SINGLE else np.empty(out.size, SINGLE)
        work[...] = generator.open().make(out.size, standard_normals, 16)
        if mean != 0 or std != 1:
            fuse_scale_shift(work, SINGLE.type(std), SINGLE.type(mean))
        if work is not out:
            out[...] = work
        return
    dtype = DOUBLE if out.dtype == DOUBLE else SINGLE
    mean, std = dtype.type(mean), dtype.type(std)
    exact = dtype == SINGLE and out.size <= BLOCK
    head = out.size // BLOCK * BLOCK if rest else out.size
    if head:
        from_units(out[:head], dtype, generator, lambda block: _box_muller(block, mean, std, exact))
    if rest:
        kept = out.size - head - rest
        skipped = rest if out.dtype == dtype else 0  # half precision draws no numbers that are replaced
        drawn = np.empty(kept + skipped + 16, dtype)
        unit(drawn, generator)
        work = np.concatenate((drawn[:kept], drawn[-16:]))
        _box_muller(work, mean, std, exact)
        out[head : head + kept] = work[:kept]
        out[-16:] = work[kept:]


def standard_normals(words):
    """Return normal numbers of float32, 16 for every 16 words."""
    work = single_units(words)
    _box_muller(work, 0, 1, True)
    return work


def _box_muller(work, mean, std, exact):
    """Turn uniform numbers into normal ones, in place.

    ``exact`` selects PyTorch's polynomials.  They take five times as long as NumPy's functions, which are off by up to
    4 units in the last place; so larger tensors use the latter (4 million numbers on one core: 20 ms instead of 70,
    PyTorch 14).
    """
    eights = work.reshape(-1, 8)
    apart, together = orders(len(eights) // 2)
    radius, angle = eights.take(apart, 0).reshape(2, -1)
    np.subtract(ONE[work.dtype], radius, radius)  # in (0, 1], for the logarithm
    radius = polynomials.log(radius) if exact else library("log", radius)
    radius *= MINUS_TWO[work.dtype]
    np.sqrt(radius, radius)
    angle *= TURN[work.dtype]
    if exact:
        pair = polynomials.cos_and_sin(angle)
    else:
        pair = np.empty((2, angle.size), angle.dtype)
        pair[0], pair[1] = library("cos", angle.copy()), library("sin", angle)
    pair *= radius
    if mean != 0 or std != 1:
        fuse_scale_shift(pair, std, mean)
    pair.reshape(-1, 8).take(together, 0, eights, "clip")


@functools.lru_cache(4)
def orders(number):
    """Return the order that moves every second of ``2 * number`` rows after the others, and its inverse."""
    apart = np.arange(2 * number).reshape(number, 2).T.reshape(-1)
    return apart, np.argsort(apart)


def normal_pairs(work, generator, mean, std):
    """Fill a block of float64 with pairs of normal numbers; the generator keeps an unused second one."""
    filled = 0
    if generator.normal is not None:
        if generator.before_draw is not None:
            generator.before_draw()
        work[0], generator.normal, filled = generator.normal, None, 1
    if filled < work.size:
        if work.size - filled <= FEW_NORMAL:
            pairs = few_pairs(generator, work.size - filled)
            work[filled:] = pairs[: work.size - filled]
            if len(pairs) > work.size - filled:
                generator.normal = pairs[-1]
            scale_normal(work, mean, std)
            return
        uniforms = np.empty((work.size - filled + 1) // 2 * 2)
        unit(uniforms, generator)
        last = uniforms[-2:].copy()
        pairs = _pairs(uniforms)
        work[filled:] = pairs[: work.size - filled]
        if pairs.size > work.size - filled:  # small arrays are exact, as the state must be
            generator.normal = float((pairs if pairs.size <= FEW else _pairs(last))[-1])
    scale_normal(work, mean, std)


def scale_normal(work, mean, std):
    """Give float64 normal numbers another mean and deviation."""
    if mean != 0 or std != 1:
        fuse_scale_shift(work, DOUBLE.type(std), DOUBLE.type(mean))


FEW_NORMAL = 15  # numbers that Python computes in half the time of NumPy's fifteen calls


def few_pairs(generator, count):
    """Return what ``_pairs`` does, for at least ``count`` numbers, as a list."""
    uniforms = units((count + 1) // 2 * 2, DOUBLE, generator).tolist()
    pairs = []
    for angle, square in zip(uniforms[0::2], uniforms[1::2], strict=True):
        angle, radius = angle * (2 * math.pi), math.sqrt(math.log1p(-square) * -2.0)
        pairs += radius * math.cos(angle), radius * math.sin(angle)
    return pairs


def _pairs(uniforms):
    """Replace pairs of uniform numbers, an angle and a radius, by pairs of normal numbers."""
    angle, radius = uniforms[0::2] * (2 * math.pi), -uniforms[1::2]
    library("log1p", radius)
    radius *= -2.0
    np.sqrt(radius, radius)
    np.multiply(radius, library("cos", angle.copy()), uniforms[0::2])
    np.multiply(radius, library("sin", angle), uniforms[1::2])
    return uniforms


# ── transformed normal and uniform numbers ───────────────────────────────────
def log_normal(out, generator, mean, std):
    """Draw the exponentials of normal numbers."""
    for work in iterate_blocks(out, DOUBLE):
        normal_pairs(work, generator, mean, std)
        library("exp", work)


def exponential(out, generator, rate):
    """Draw waiting times between events that occur ``rate`` times per unit of time."""

    def shape(block):
        np.negative(block, out=block)
        library("log1p", block)
        block *= -1.0 / rate

    from_units(out, DOUBLE, generator, shape)


def cauchy(out, generator, median, sigma):
    """Draw scaled tangents of uniform angles."""

    def shape(block):
        block -= 0.5
        block *= math.pi
        library("tan", block)
        fuse_scale_shift(block, DOUBLE.type(sigma), DOUBLE.type(median))

    from_units(out, DOUBLE, generator, shape)
