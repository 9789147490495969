"""Sums of sizes: dictionaries of term -> factor, the constant under None, as PyTorch simplifies and prints them.

A term is a name or an operation on expressions (``decisions.parse``), such as ("floordiv", "s0", 2).
"""


def as_sum(expression):
    """Return an expression as a sum."""
    match expression:
        case int():
            return {None: expression}
        case ("add" | "sub", first, second):
            return add(as_sum(first), as_sum(second), 1 if expression[0] == "add" else -1)
        case ("mul", int(factor), other) | ("mul", other, int(factor)):
            return add({}, as_sum(other), factor)
        case ("floordiv", dividend, int(divisor)):
            return divide(as_sum(dividend), divisor)
    return {expression: 1}


def add(first, second, factor=1):
    """Return the sum of a sum and a multiple of another one."""
    found = dict(first)
    for term, each in second.items():
        found[term] = found.get(term, 0) + factor * each
    return {term: each for term, each in found.items() if each}


def divide(terms, divisor):
    """Return a sum divided by a number, rounded down; multiples of the divisor move out, nested quotients become one."""
    whole = {term: factor // divisor for term, factor in terms.items() if factor % divisor == 0}
    rest = {term: factor for term, factor in terms.items() if factor % divisor}
    match [*rest.items()]:
        case []:
            return whole
        case [(None, number)]:
            return add(whole, {None: number // divisor})
        case [(("floordiv", dividend, int(inner)), 1)]:
            return add(whole, divide(as_sum(dividend), inner * divisor))
    return add(whole, {("floordiv", as_expression(rest), divisor): 1})


def as_expression(terms):
    """Return a sum as an expression."""
    found = None
    for term, factor in terms.items():
        if term is None:
            continue
        each = term if abs(factor) == 1 else ("mul", abs(factor), term)
        if found is None:
            found = each if factor > 0 else ("mul", -1, each)
        else:
            found = ("add" if factor > 0 else "sub", found, each)
    rest = terms.get(None, 0)
    if found is None:
        return rest
    return found if not rest else ("add" if rest > 0 else "sub", found, abs(rest))


def write_size(terms):
    """Return the text of a sum as PyTorch prints it."""
    return write(as_expression(terms))


def write(expression):
    """Return the text of an expression; within others, quotients have two pairs of parentheses."""
    match expression:
        case ("add" | "sub", first, second):
            sign = "+" if expression[0] == "add" else "-"
            return f"{write_part(first, sums=True)} {sign} {write_part(second)}"
        case ("mul", -1, other):
            return f"-{write_part(other)}"
        case ("mul", *factors):
            return "*".join(map(write_part, factors))
        case ("floordiv", dividend, divisor):
            return f"({write_part(dividend)}//{divisor})"
        case ("mod", first, second):
            return f"Mod({write(first)}, {write(second)})"
    return str(expression)


def write_part(expression, sums=False):
    """Return the text of an expression within another one; ``sums`` of sums need no parentheses."""
    text = write(expression)
    kind = expression[0] if isinstance(expression, tuple) else None
    return f"({text})" if kind == "floordiv" or kind in ("add", "sub") and not sums else text
