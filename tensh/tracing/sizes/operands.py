"""Sizes of a result in terms of those of its operands, such as ``((s0//2)) - 2`` for a window of three over ``(s0//2)``.

Note [Sizes of operands]
Several traces give the numbers of a size. An operand's size with its numbers is known as an expression, however
involved; the numbers of the result are then a sum, a quotient or a product of few of them (``sums``).
"""

from itertools import combinations
from math import prod

from tensh.tracing.sizes.decisions import Unexpressed, parse
from tensh.tracing.sizes.sums import add, as_expression, as_sum, divide, write_size

WINDOWS = "conv", "pool", "unfold", "im2col"
"""Parts of the names of operators that move windows: their results have ``(size - c)//stride + 1`` elements."""


def describe_size(numbers, operands, windows):
    """Return the text of a size with these numbers; None if none is found.

    ``operands`` are pairs (numbers, text) of dynamic sizes, the likeliest first; ``windows`` tells that the operator
    moves windows.
    """
    try:
        known = [(each, as_sum(parse(text))) for each, text in operands]
    except Unexpressed:
        return None
    for fit in (fit_multiple, fit_sums, fit_quotient, fit_product):
        if (found := fit(numbers, known, windows)) is not None:
            return write_size(found)
    return None


def fit_multiple(numbers, known, windows):
    """Return ``factor * size + constant``, if that gives the numbers."""
    for sizes, terms in known:
        step, change = sizes[1] - sizes[0], numbers[1] - numbers[0]
        if not step or change % step or change // step <= 0:
            continue
        factor = change // step
        rest = numbers[0] - factor * sizes[0]
        if all(factor * size + rest == number for size, number in zip(sizes, numbers)):
            return add({}, terms, factor) | {None: factor * terms.get(None, 0) + rest}
    return None


def fit_sums(numbers, known, windows):
    """Return the sum or difference of two sizes, if that gives the numbers."""
    for (ones, first), (twos, second) in combinations(known, 2):
        for sign, a, b, left, right in (
            (1, ones, twos, first, second),
            (-1, ones, twos, first, second),
            (-1, twos, ones, second, first),
        ):
            if all(x + sign * y == number for x, y, number in zip(a, b, numbers)):
                return add(left, right, sign)
    return None


def fit_quotient(numbers, known, windows):
    """Return a size divided by a number, rounded down, if that gives the numbers."""
    for sizes, terms in known:
        for divisor in range(2, 17):
            for offset, one in (
                (0, 0),
                *((sign * each, int(windows)) for each in range(1, 2 * divisor + 1) for sign in (1, -1)),
            ):
                if all((size + offset) // divisor + one == number for size, number in zip(sizes, numbers)):
                    return add(divide(add(terms, {None: offset}), divisor), {None: one})
    return None


def fit_product(numbers, known, windows):
    """Return the product of sizes and a number, if that gives the numbers."""
    for count in range(2, len(known) + 1):
        for factors in combinations(known, count):
            values = [prod(each) for each in zip(*(sizes for sizes, _ in factors))]
            if values[0] and numbers[0] % values[0] == 0:
                factor = numbers[0] // values[0]
                if factor > 0 and all(factor * value == number for value, number in zip(values, numbers)):
                    return {("mul", *(as_expression(terms) for _, terms in factors)): factor}
    return None
