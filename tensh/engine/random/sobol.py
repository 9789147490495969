"""Sobol sequences: direction numbers, points, and scrambling.

Point number i is the exclusive or of the direction numbers, one for each bit of i's Gray code, so each point differs
from the one before in one direction (Antonov and Saleev, 1979).  The directions grow from a primitive polynomial and
some odd numbers for each dimension, which Joe and Kuo chose (SIAM J. Sci. Comput. 30, 2008, criterion D(6)); those of
the first dimensions are here, the others are read from SciPy.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

MAXBIT, MAXDIM = 30, 21201
BITS = np.arange(MAXBIT)
# For each dimension: a polynomial, as the bits of its coefficients, and as many odd numbers as its degree (the first:
# one).
FIRST = """
    1 1, 3 1, 7 1 3, 11 1 3 1, 13 1 1 1, 19 1 1 3 3, 25 1 3 5 13, 37 1 1 5 5 17, 41 1 1 5 5 5, 47 1 1 7 11 19,
    55 1 1 5 1 1, 59 1 1 1 3 11, 61 1 3 5 5 31, 67 1 3 3 9 7 49, 91 1 1 1 15 21 21, 97 1 3 1 13 27 49,
    103 1 1 1 15 7 5, 109 1 3 1 15 13 25, 115 1 1 5 5 19 61, 131 1 3 7 11 23 15 103, 137 1 3 7 13 13 15 69,
    143 1 1 3 13 7 35 63, 145 1 3 5 9 1 25 53, 157 1 3 1 13 9 35 107, 167 1 3 1 5 27 61 31, 171 1 1 5 11 19 41 61,
    185 1 3 5 3 3 13 69, 191 1 1 7 13 1 19 1, 193 1 3 7 5 13 19 59, 203 1 1 3 9 25 29 41, 211 1 3 5 13 23 1 55,
    213 1 3 7 3 13 59 17, 229 1 3 1 3 5 53 69, 239 1 1 5 5 23 33 13, 241 1 1 7 7 1 61 123, 247 1 1 7 9 13 61 49,
    253 1 3 3 5 3 55 33, 285 1 3 1 15 31 13 49 245, 299 1 3 5 15 31 59 63 97, 301 1 3 1 11 11 11 77 249,
    333 1 3 1 11 27 43 71 9, 351 1 1 7 15 21 11 81 45, 355 1 3 7 3 25 31 65 79, 357 1 3 1 1 19 11 3 205,
    361 1 1 5 9 19 21 29 157, 369 1 3 7 11 1 33 89 185, 391 1 3 3 3 15 9 79 71, 397 1 3 7 11 15 39 119 27,
    425 1 1 3 1 11 31 97 225, 451 1 1 1 3 23 43 57 177, 463 1 3 7 7 17 17 37 71, 487 1 3 1 5 27 63 123 213,
    501 1 1 3 5 11 43 53 133, 529 1 3 5 5 29 17 47 173 479, 539 1 3 3 11 3 1 109 9 69, 545 1 1 1 5 17 39 23 5 343,
    557 1 3 1 5 25 15 31 103 499, 563 1 1 1 11 11 17 63 105 183, 601 1 1 5 11 9 29 97 231 363,
    607 1 1 5 15 19 45 41 7 383, 617 1 3 7 7 31 19 83 137 221, 623 1 1 1 3 23 15 111 223 83,
    631 1 1 5 13 31 15 55 25 161, 637 1 1 3 13 25 47 39 87 257
"""
MISSING = "SobolEngine has the direction numbers of {} dimensions; more are read from SciPy: pip install 'tensh[scipy]'"


def first_polynomials():
    """Return (polynomials, odd numbers) of the first dimensions."""
    rows = [[int(number) for number in row.split()] for row in FIRST.split(",")]
    longest = max(map(len, rows))
    table = np.array([row + [0] * (longest - len(row)) for row in rows])
    return table[:, 0], table[:, 1:]


def more():
    """Read the numbers of all dimensions from a private file of SciPy, which must begin like our table."""
    polynomials, numbers = first_polynomials()
    known = len(polynomials)
    try:
        folder = Path(find_spec("scipy").origin).parent / "stats"
        with np.load(folder / "_sobol_direction_numbers.npz") as file:
            found = file["poly"], file["vinit"]
        right = np.array_equal(found[0][:known], polynomials) and np.array_equal(
            found[1][:known, : numbers.shape[1]], numbers
        )
        if not right or len(found[0]) != MAXDIM:
            raise ValueError
    except Exception:  # missing, or another table
        raise ModuleNotFoundError(MISSING.format(known), name="scipy") from None
    return found


def directions(dimension):
    """Return the direction numbers of ``dimension`` dimensions, (dimension, MAXBIT), as integers of MAXBIT bits."""
    polynomials, numbers = first_polynomials()
    if dimension > len(polynomials):
        polynomials, numbers = more()
    polynomials, numbers = polynomials[:dimension], numbers[:dimension]
    degree = np.frexp(polynomials)[1] - 1
    out = np.ones((dimension, MAXBIT), np.int64)
    out[:, : numbers.shape[1]] = np.maximum(numbers, 1)
    for place in range(MAXBIT):
        (grown,) = np.nonzero((degree <= place) & (degree > 0))
        value = out[grown, place - degree[grown]]
        for back in range(1, min(degree.max(initial=0), place) + 1):
            bits = np.where(back <= degree[grown], polynomials[grown] >> np.maximum(degree[grown] - back, 0) & 1, 0)
            value ^= bits * out[grown, place - back] << back
        out[grown, place] = value
    return out << BITS[::-1]


def find_changed_direction(number):
    """Return the direction in which points ``number`` and ``number + 1`` differ: the lowest zero bit."""
    after = number + 1
    return np.bitwise_count((after & -after) - 1)


def points(before, directions, number, count):
    """Return the next ``count`` points, (count, dimension), after ``before``, whose index is ``number``."""
    if number + count >= 1 << MAXBIT:
        raise ValueError(f"a Sobol sequence has 2**{MAXBIT} points, but point {number + count} was requested")
    steps = directions.T.take(find_changed_direction(np.arange(number, number + count)), 0)
    steps[:1] ^= before
    return np.bitwise_xor.accumulate(steps, 0, out=steps)


def further(before, directions, number, count):
    """Return the point ``count`` points after ``before``."""
    after = number + max(count, 0)
    apart = number ^ number >> 1 ^ after ^ after >> 1
    return before ^ np.bitwise_xor.reduce(directions[:, apart >> BITS & 1 == 1], 1)


def scramble_directions(directions, matrices):
    """Multiply the bits of the directions, from the top, by lower triangular matrices with a unit diagonal."""
    matrices = matrices.astype(np.float32)
    matrices[:, BITS, BITS] = 1
    bits = (directions[:, None] >> BITS[::-1, None] & 1).astype(np.float32)  # (dimension, bit, direction)
    return ((matrices @ bits).astype(np.int64) & 1).swapaxes(1, 2) @ (1 << BITS[::-1])
