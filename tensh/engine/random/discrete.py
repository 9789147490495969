"""Discrete distributions: integers, Bernoulli and geometric numbers, permutations, choices.

As in ``distributions``, every function takes exactly the words from the generator that PyTorch takes; ``out`` is a
contiguous one-dimensional array.
"""

import functools
import math

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.random.distributions import BLOCK, DOUBLE, SINGLE, exponential, fill, iterate_blocks, unit, units

DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}  # bits of a float dtype's significand
WIDE = 2**28  # ranges of this size and above use 64 bits per integer, to keep the probabilities nearly equal
SHUFFLE64 = (2**32 - 1) // 20  # permutations of this size and above read 64 bits per number
FEW = 256  # up to this size Python swaps faster than NumPy, and uniform numbers come faster than words


def _blocks(out):
    if out.size <= BLOCK:
        return (out,)
    return (out[start : start + BLOCK] for start in range(0, out.size, BLOCK))


# ── integers ─────────────────────────────────────────────────────────────────
def integers(out, generator, low, count):
    """Draw integers from ``low`` to ``low + count - 1``; a ``count`` of 2**64 uses the words unchanged."""
    for part in _blocks(out):
        words = generator.words64(part.size) if count >= WIDE else generator.words(part.size)
        numbers = _remainder(words, count).astype(np.int64, copy=False)
        if low:
            numbers += low
        part[...] = numbers


def natural_integers(out, generator):
    """Draw integers from 0 to the largest of the dtype, or to 2**digits for a float dtype."""
    if out.dtype == bool:
        count = 2
    elif out.dtype.kind in "iu":
        count = int(np.iinfo(out.dtype).max) + 1
    else:
        count = 2 ** DIGITS[out.dtype.name] + 1
    wide = out.dtype in (np.int64, DOUBLE)
    for part in _blocks(out):
        part[...] = _remainder(generator.words64(part.size) if wide else generator.words(part.size), count)


def _remainder(words, count):
    """Return ``words % count``; NumPy's own ``%`` takes three to seven times as long as this."""
    if count >> 8 * words.itemsize:
        return words
    if count & (count - 1) == 0:
        words &= words.dtype.type(count - 1)
        return words
    count = words.dtype.type(count)
    if words.size <= FEW:
        return words % count
    whole = words // count
    whole *= count
    words -= whole
    return words


# ── Bernoulli and geometric ──────────────────────────────────────────────────
def bernoulli(out, generator, p):
    """Draw 1 with probability ``p``, a number, and 0 otherwise."""
    if out.size <= FEW:
        out[...] = units(out.size, DOUBLE, generator) < p
        return
    below = np.uint64(math.ceil(p * 2.0**53))  # among 53 random bits
    for part in _blocks(out):
        words = generator.words64(part.size)
        words &= np.uint64(2**53 - 1)
        part[...] = words < below


def bernoulli_each(out, generator, p):
    """Draw 1 with the probabilities in ``p``, an array like ``out``: with 53 random bits for float64, 24 for others."""
    dtype = DOUBLE if p.dtype == DOUBLE else SINGLE
    for start in range(0, out.size, BLOCK):
        chances = p[start : start + BLOCK].astype(dtype, copy=False)
        out[start : start + BLOCK] = units(chances.size, dtype, generator) < chances


def geometric(out, generator, p):
    """Draw the number of trials up to the first success, with probability ``p``."""
    for work in iterate_blocks(out, DOUBLE):
        unit(work, generator)
        np.log(work, out=work)
        work /= math.log1p(-p)
        np.ceil(work, out=work)


# ── permutations ─────────────────────────────────────────────────────────────
def permutation(n, generator):
    """Return the numbers 0 to n - 1 in random order, by Fisher and Yates's shuffle."""
    if n >= SHUFFLE64:
        return _shuffle_inside_out(n, generator)
    steps, left = _steps(n) if n <= FEW else _steps.__wrapped__(n)
    targets = (generator.words(steps.size) % left).astype(np.int64) + steps
    return _swap_few(n, targets) if n <= FEW else _swap_many(n, steps, targets)


@functools.lru_cache(16)
def _steps(n):
    """Return the number of each step of a shuffle, and how many numbers are left at it."""
    return np.arange(max(n - 1, 0)), np.arange(n, 1, -1, dtype=np.uint32 if n > FEW else np.uint64)


def _swap_few(n, targets):
    numbers = list(range(n))
    for step, target in enumerate(targets.tolist()):
        numbers[step], numbers[target] = numbers[target], numbers[step]
    return np.array(numbers, np.int64)


def _swap_many(n, steps, targets):
    """Resolve all swaps at once (7 times as fast as one by one for a million).

    Step i swaps the numbers at i and at its target t >= i.  So place i gets the number that the last earlier step j
    with that target put there, which j found at place j; if there is none, t still holds t. The number that j found at
    place j was put there by the last earlier step with target j, and so on: this is a forest, whose roots are untouched
    places.
    """
    last = np.arange(n)  # last step with each place as target (assignment with repeated indices keeps the last)
    last[targets] = steps
    earlier = np.full(n - 1, -1)  # for each step, the last earlier one with the same target
    found = last.copy()
    open_steps, newest = steps, last[targets]
    while (others := np.flatnonzero(newest != open_steps)).size:
        open_steps, later = open_steps[others], newest[others]
        last[targets[open_steps]] = open_steps
        newest = last[targets[open_steps]]
        earlier[later] = newest
    own = np.flatnonzero(targets == steps)  # swaps of a place with itself are not counted as earlier
    found[own] = np.where(earlier[own] < 0, own, earlier[own])
    while (further := found[found]).tobytes() != found.tobytes():
        found = further
    numbers = np.append(targets, found[-1])
    known = np.flatnonzero(earlier >= 0)
    numbers[known] = found[earlier[known]]
    return numbers


def _shuffle_inside_out(n, generator):
    """Shuffle while filling, one number at a time (two hundred million: 77 s, 17 in PyTorch)."""
    numbers = np.empty(n, np.int64)
    place = memoryview(numbers)
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        targets = generator.words64(size) % np.arange(start + 1, start + size + 1, dtype=np.uint64)
        for step, target in enumerate(targets.tolist(), start):
            place[step] = step
            place[step] = place[target]
            place[target] = step
    return numbers


# ── choices ──────────────────────────────────────────────────────────────────
def choices(weights, count, generator):
    """Draw ``count`` indices for each row of weights, with replacement."""
    dtype = DOUBLE if weights.dtype == DOUBLE else SINGLE
    chosen = np.empty((len(weights), count), np.int64)
    rows = max(1, BLOCK // max(count, weights.shape[1]))
    for first in range(0, len(weights), rows):
        steps = np.add.accumulate(weights[first : first + rows], 1, dtype)
        steps /= steps[:, -1:].copy()
        steps[:, -1] = 1
        uniforms = np.empty((len(steps), count))
        line = uniforms.reshape(-1)  # the numbers of one row after those of another
        for start in range(0, line.size, BLOCK):
            unit(line[start : start + BLOCK], generator)
        for row, numbers, out in zip(
            steps.astype(DOUBLE, copy=False), uniforms, chosen[first : first + rows], strict=True
        ):
            out[...] = row.searchsorted(numbers)
    return chosen


def distinct_choices(weights, count, generator):
    """Draw ``count`` distinct indices for each row of weights: the largest weights over exponential numbers."""
    waits = memory.empty_like(weights, weights.dtype)  # in PyTorch's order, also of expanded weights
    fill(waits, exponential, generator, 1.0)
    scores = np.divide(weights, waits, out=waits)
    if count == 1:
        return scores.argmax(-1, keepdims=True)
    return np.argsort(-scores, -1, kind="stable")[:, :count]
