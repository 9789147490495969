"""Sizes of several traces of one program: the sizes to try, and the expressions that give those that were found."""

import re
from itertools import chain

__all__ = ["changes", "list_expressions", "list_quotients", "name_size", "sort_extremes", "write_sum"]


def changes(apart):
    """Return functions (size, index of the name) -> other size; names get different sizes if ``apart`` is 1."""
    return (
        lambda size, number: (2 + apart * number) * size,
        lambda size, number: size + 1 + apart * number,
        lambda size, number: 3 * size + 2 + apart * number,
    )


def name_size(m, n, pairs):
    """Return the simplest expression of named sizes ``pairs`` for a size: ``m`` in one trace, ``n`` in the other; or "?"."""
    return next(chain(list_expressions(m, n, pairs), list_quotients(m, n, pairs)), "?")


def list_expressions(m, n, pairs):
    """Yield the expressions that give a size in both traces, from named sizes ``pairs``.

    In order of preference: a name; a product or sum of two; a multiple; a sum of multiples; expressions with a
    constant.
    """
    couples = [(*a, *b) for place, b in enumerate(pairs) for a in pairs[:place] if a[2] != b[2]]
    for one, two, name in pairs:
        if (m, n) == (one, two):
            yield name
    for one, two, name, first, second, other in couples:
        if (m, n) == (one * first, two * second):
            yield f"{name}*{other}"
        if (m, n) == (one + first, two + second):
            yield f"{name} + {other}"
    alone = [
        (name, (n - m) // (two - one), one) for one, two, name in pairs if two != one and (n - m) % (two - one) == 0
    ]
    for name, factor, one in alone:
        if m == factor * one:
            yield write_sum({name: factor}, 0)
    for one, two, name, first, second, other in couples:
        if (size := one * second - first * two) and (m * second - n * first) % size == (n * one - m * two) % size == 0:
            factors = {name: (m * second - n * first) // size, other: (n * one - m * two) // size}
            if min(factors.values()) > 0:
                yield write_sum(factors, 0)
    for one, two, name, first, second, other in couples:
        if n - m == two + second - one - first:
            yield write_sum({name: 1, other: 1}, m - one - first)
    for name, factor, one in alone:
        yield write_sum({name: factor}, m - factor * one)


def list_quotients(m, n, pairs):
    """Yield ``(s//k)`` and ``(((s - c)//k)) + 1``, sizes of parts and of windows, where these fit."""
    for one, two, name in pairs:
        for divisor in range(2, min(one // max(m, 1), 16) + 2):
            if (m, n) == (one // divisor, two // divisor):
                yield f"({name}//{divisor})"
    for one, two, name in pairs:
        for divisor in range(2, 5):
            for offset in (-1, 1, -2, -3, 2, 3, -4, -5):
                if offset % divisor and (m, n) == ((one + offset) // divisor + 1, (two + offset) // divisor + 1):
                    yield f"((({name} {'+' if offset > 0 else '-'} {abs(offset)})//{divisor})) + 1"


def write_sum(factors, rest):
    """Write a sum of named sizes with factors and a constant."""
    text = " + ".join({1: name, -1: f"-{name}"}.get(factor, f"{factor}*{name}") for name, factor in factors.items())
    return text + (f" + {rest}" if rest > 0 else f" - {-rest}" if rest else "")


def sort_extremes(text):
    """Return the text of a size with the operands of ``Max`` and ``Min`` in order: numbers, names, other expressions.

    >>> from tensh.fx.experimental.size_names import sort_extremes
    >>> sort_extremes("Min(s1 + 2, Max(s3, s2), s0)")
    'Min(s0, Max(s2, s3), s1 + 2)'
    """
    found = re.search(r"(Max|Min)\(", text)
    if found is None:
        return text
    depth, starts = 1, [found.end()]
    for place in range(found.end(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 1 and text[place] == ",":
            starts.append(place + 2)
        if not depth:
            break
    ends = [*(start - 2 for start in starts[1:]), place]
    operands = (sort_extremes(text[start:end]) for start, end in zip(starts, ends))
    ordered = sorted(operands, key=lambda each: (not each.isdigit(), not each.isidentifier(), each))
    return f"{text[: found.end()]}{', '.join(ordered)}{sort_extremes(text[place:])}"
