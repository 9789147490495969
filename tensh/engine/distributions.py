"""The continuous distributions: how PyTorch turns words of the generator into real numbers.

Every recipe fills ``out``, a contiguous one-dimensional array of floats, in order, and takes exactly the words that
PyTorch takes.  ``fill`` applies a recipe to an array of any shape and strides.

Note [Fused rounding]
PyTorch's kernels end in ``x * scale + shift``, which its compiler turns into one instruction that rounds once.
``fused`` rounds once too, so that uniform numbers of any range agree in all bits.
"""

import math

import numpy as np

from tensh.engine.memory import order_of

BLOCK = 32768  # elements worked on at a time: 128 KB of float32 stay in the second-level cache
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
MASKS = {SINGLE: np.uint32(2**24 - 1), DOUBLE: np.uint64(2**53 - 1)}
STEPS = {SINGLE: np.float32(2.0**-24), DOUBLE: np.float64(2.0**-53)}
EIGHTS = {real: np.dtype((np.void, 8 * real.itemsize)) for real in (SINGLE, DOUBLE)}  # copied twice as fast as numbers
TURNS = {real: real.type(2 * math.pi) for real in (SINGLE, DOUBLE)}


# ── where the numbers go ─────────────────────────────────────────────────────
def fill(array, recipe, *args):
    """Fill ``array`` by ``recipe(flat, *args)``, in the order in which the elements lie in memory."""
    flat = array.transpose(order_of(array.shape, array.strides))
    if flat.flags.c_contiguous:
        recipe(flat.reshape(-1), *args)
    else:
        values = np.empty(flat.size, array.dtype)
        recipe(values, *args)
        flat[...] = values.reshape(flat.shape)


def working(out, dtype):
    """The blocks of ``out`` in turn, as arrays of ``dtype`` to write to; what was written is then put into ``out``."""
    for start in range(0, out.size, BLOCK):
        part = out[start : start + BLOCK]
        if part.dtype == dtype:
            yield part
        else:
            work = np.empty(part.size, dtype)
            yield work
            part[...] = work


def fused(x, scale, shift):
    """``x *= scale; x += shift``, rounded once."""
    if x.dtype == SINGLE:
        wide = x.astype(DOUBLE)  # holds the product exactly
        wide *= DOUBLE.type(scale)
        wide += DOUBLE.type(shift)
        x[...] = wide
        return
    product = x * scale
    (a, b), (c, d) = _split(x), _split(scale)
    error = ((a * c - product) + a * d + b * c) + b * d  # of the product; exact
    np.add(product, shift, out=x)
    back = x - product
    x += (product - (x - back)) + (shift - back) + error


def _split(x):
    """A float64 as a sum of two whose products are exact (Dekker)."""
    scaled = x * 134217729.0  # 2**27 + 1
    top = scaled - (scaled - x)
    return top, x - top


# ── uniform ──────────────────────────────────────────────────────────────────
def unit(out, generator):
    """Fill a block of float32 or float64 with numbers of [0, 1): 24 random bits, or 53."""
    double = out.dtype == DOUBLE
    words = generator.words64(out.size) if double else generator.words(out.size)
    words &= MASKS[out.dtype]
    out[...] = words.view(np.int64 if double else np.int32)  # signed numbers convert faster
    out *= STEPS[out.dtype]


def uniform(out, generator, low=0.0, high=1.0):
    """Numbers of [low, high)."""
    work_dtype = DOUBLE if out.dtype == DOUBLE else SINGLE
    first, width = work_dtype.type(low), work_dtype.type(high) - work_dtype.type(low)
    plain = first == 0 and width == 1
    for work in working(out, work_dtype):
        unit(work, generator)
        if not plain:
            fused(work, width, first)
    if not plain or out.dtype != work_dtype:  # rounding may have reached the end that does not belong
        out[out == out.dtype.type(high)] = low


# ── normal ───────────────────────────────────────────────────────────────────
def normal(out, generator, mean=0.0, std=1.0, whole=True):
    """Normal numbers.  ``whole`` says that ``out`` is all of a contiguous tensor: then, from 16 elements on, they are
    made in blocks of 16; otherwise in pairs, of which the generator keeps the odd second one."""
    if whole and out.size >= 16:
        _normal_blocks(out, generator, mean, std)
    else:
        for work in working(out, DOUBLE):
            normal_pairs(work, generator, mean, std)


def _normal_blocks(out, generator, mean, std):
    """Box-Muller on blocks of 16: 8 radii and 8 angles.  A remainder makes the last 16 anew."""
    work_dtype = DOUBLE if out.dtype == DOUBLE else SINGLE
    rest = out.size % 16
    for work in working(out[: out.size - rest], work_dtype):
        unit(work, generator)
        _box_muller(work, work_dtype.type(mean), work_dtype.type(std))
    if rest:
        if out.dtype == work_dtype:  # half precision takes no numbers for elements it makes anew
            unit(np.empty(rest, work_dtype), generator)
        for work in working(out[-16:], work_dtype):
            unit(work, generator)
            _box_muller(work, work_dtype.type(mean), work_dtype.type(std))


def _box_muller(work, mean, std):
    eights = work.view(EIGHTS[work.dtype]).reshape(-1, 2)
    radius, angle = np.ascontiguousarray(eights.T).view(work.dtype)
    np.subtract(1, radius, radius)  # (0, 1], for the logarithm
    np.log(radius, radius)
    radius *= -2
    np.sqrt(radius, radius)
    angle *= TURNS[work.dtype]
    pair = np.empty((2, radius.size), work.dtype)
    np.multiply(radius, np.cos(angle), pair[0])
    np.multiply(radius, np.sin(angle, angle), pair[1])
    if mean != 0 or std != 1:
        fused(pair, std, mean)
    eights[...] = pair.view(eights.dtype).T


def normal_pairs(work, generator, mean, std):
    """Fill a block of float64 with normal numbers made two at a time, and keep the second one if it is left over."""
    filled = 0
    if generator.normal is not None:
        work[0], generator.normal, filled = generator.normal, None, 1
    if filled < work.size:
        pairs = _pairs(generator, (work.size - filled + 1) // 2)
        if len(pairs) > work.size - filled:
            generator.normal = float(pairs[-1])
        work[filled:] = pairs[: work.size - filled]
    if mean != 0 or std != 1:
        fused(work, DOUBLE.type(std), DOUBLE.type(mean))


def _pairs(generator, count):
    """``count`` pairs of normal numbers, one after the other, from two uniform numbers each."""
    uniforms = np.empty(2 * count)
    unit(uniforms, generator)
    if count <= 16:  # up to here plain Python is as fast, and its logarithm is the one PyTorch calls
        return _few_pairs(uniforms.tolist())
    angle, radius = 2 * math.pi * uniforms[0::2], np.sqrt(-2.0 * np.log1p(-uniforms[1::2]))
    uniforms[0::2] = radius * np.cos(angle)
    uniforms[1::2] = radius * np.sin(angle)
    return uniforms


def _few_pairs(uniforms):
    pairs = []
    for u1, u2 in zip(uniforms[0::2], uniforms[1::2], strict=True):
        radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2 * math.pi * u1
        pairs += radius * math.cos(angle), radius * math.sin(angle)
    return pairs


# ── made from the two ────────────────────────────────────────────────────────
def log_normal(out, generator, mean, std):
    """e to the power of normal numbers."""
    for work in working(out, DOUBLE):
        normal_pairs(work, generator, mean, std)
        np.exp(work, out=work)


def exponential(out, generator, rate):
    """Waiting times of events that come ``rate`` times in a unit of time."""
    for work in working(out, DOUBLE):
        unit(work, generator)
        np.negative(work, out=work)
        np.log1p(work, out=work)
        work *= -1.0 / rate


def cauchy(out, generator, median, sigma):
    """The tangent of a uniform angle, scaled."""
    for work in working(out, DOUBLE):
        unit(work, generator)
        work -= 0.5
        work *= math.pi
        np.tan(work, out=work)
        fused(work, DOUBLE.type(sigma), DOUBLE.type(median))
