"""Sizes of several traces of one program: the sizes to try, and the expressions that give those that were found."""

__all__ = ["changes", "name_size"]


def changes(apart):
    """Return functions (size, index of the name) -> other size; names get different sizes if ``apart`` is 1."""
    return (
        lambda size, number: (2 + apart * number) * size,
        lambda size, number: size + 1 + apart * number,
        lambda size, number: 3 * size + 2 + apart * number,
    )


def name_size(m, n, pairs):
    """Return the simplest expression for a size that is ``m`` in one trace and ``n`` in the other, from named sizes
    ``pairs``.

    In order of preference: a name; a product or sum of two; a multiple; a sum of multiples; expressions with a
    constant; a quotient.
    """
    couples = [(*a, *b) for place, b in enumerate(pairs) for a in pairs[:place] if a[2] != b[2]]
    for one, two, name in pairs:
        if (m, n) == (one, two):
            return name
    for one, two, name, first, second, other in couples:
        if (m, n) == (one * first, two * second):
            return f"{name}*{other}"
        if (m, n) == (one + first, two + second):
            return f"{name} + {other}"
    alone = [
        (name, (n - m) // (two - one), one) for one, two, name in pairs if two != one and (n - m) % (two - one) == 0
    ]
    for name, factor, one in alone:
        if m == factor * one:
            return write_sum({name: factor}, 0)
    for one, two, name, first, second, other in couples:
        if (size := one * second - first * two) and (m * second - n * first) % size == (n * one - m * two) % size == 0:
            factors = {name: (m * second - n * first) // size, other: (n * one - m * two) // size}
            if min(factors.values()) > 0:
                return write_sum(factors, 0)
    for one, two, name, first, second, other in couples:
        if n - m == two + second - one - first:
            return write_sum({name: 1, other: 1}, m - one - first)
    if alone:
        name, factor, one = alone[0]
        return write_sum({name: factor}, m - factor * one)
    for one, two, name in pairs:
        if m > 1 and one % m == 0 and two == one // m * n:
            return f"({name}//{one // m})"
    return "?"


def write_sum(factors, rest):
    """Write a sum of named sizes with factors and a constant."""
    text = " + ".join(name if factor == 1 else f"{factor}*{name}" for name, factor in factors.items())
    return text + (f" + {rest}" if rest > 0 else f" - {-rest}" if rest else "")
