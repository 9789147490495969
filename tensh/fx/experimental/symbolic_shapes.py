"""torch.fx.experimental.symbolic_shapes: questions about sizes, which are numbers here; other names are switched off.

A size of a trace (``tracing/sizes/numbers``) is a number, too: what a program decides on it is noted like any comparison.
"""

from functools import reduce

from tensh.switched_off import lookup

__all__ = [
    "free_symbols", "free_unbacked_symbols", "guard_bool", "guard_float", "guard_int", "guard_or_false", "guard_or_true",
    "guard_scalar", "guard_size_oblivious", "has_free_symbols", "has_static_value", "is_concrete_bool", "is_concrete_float",
    "is_concrete_int", "is_symbolic", "statically_known_true", "sym_and", "sym_eq", "sym_or",
]  # fmt: skip

lookup_other = lookup("torch.fx.experimental.symbolic_shapes")


def __getattr__(name):
    return lookup_other(name)


def require(value, kind, name=None):
    """Return a value.  Raise PyTorch's AssertionError if it has another type."""
    if not isinstance(value, kind):
        raise AssertionError(f"Expected {name or kind.__name__}, got {type(value) if name is None else value}")
    return value


def read_condition(condition):
    """Return a condition as a bool.  Raise AssertionError for a plain value of another type."""
    return condition if isinstance(condition, bool) else require(condition, bool)


def decides(condition):
    """Return True for a comparison of a number that a program reads from a tensor, which nothing decides."""
    return hasattr(condition, "record_check")


def guard_or_false(a):
    """Return a condition, or False if only the elements of a tensor decide it.

    >>> from tensh.fx.experimental.symbolic_shapes import guard_or_false
    >>> guard_or_false(3 > 2)
    True
    """
    return False if decides(a) else read_condition(a)


def guard_or_true(a):
    """Return a condition, or True if only the elements of a tensor decide it.

    >>> from tensh.fx.experimental.symbolic_shapes import guard_or_true
    >>> guard_or_true(3 < 2)
    False
    """
    return True if decides(a) else read_condition(a)


def statically_known_true(x):
    """Return True if a condition holds whatever the elements of tensors are.

    >>> from tensh.fx.experimental.symbolic_shapes import statically_known_true
    >>> statically_known_true(3 > 2)
    True
    """
    return guard_or_false(x)


def guard_size_oblivious(expr):
    """Return a condition."""
    return read_condition(expr)


def sym_eq(x, y):
    """Return True if two sizes, or all sizes of two shapes, are equal.  Raise AssertionError for anything else.

    >>> from tensh.fx.experimental.symbolic_shapes import sym_eq
    >>> sym_eq((2, 3), (2, 3)), sym_eq(2, 3)
    (True, False)
    """
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    if isinstance(x, int) and isinstance(y, int):
        return x == y
    raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")


def sym_or(x, *others):
    """Return ``x or ...`` of all conditions."""
    return reduce(lambda a, b: a or b, others, x)


def sym_and(x, *others):
    """Return ``x and ...`` of all conditions."""
    return reduce(lambda a, b: a and b, others, x)


def free_symbols(val):
    """Return the symbols in sizes: none, because sizes are numbers."""
    return set()


def free_unbacked_symbols(x):
    """Return the symbols of sizes that depend on elements: none, because sizes are numbers."""
    return set()


def has_free_symbols(val):
    """Return False: sizes are numbers."""
    return False


def is_symbolic(val):
    """Return False: sizes are numbers."""
    return False


def has_static_value(a):
    """Return True: sizes are numbers."""
    return require(a, (bool, float, int), "BoolLike/FloatLike/IntLike") is a


def is_concrete_int(a):
    """Return True for an int.  Raise AssertionError for anything else."""
    return isinstance(require(a, int), int)


def is_concrete_float(a):
    """Return True for a float.  Raise AssertionError for anything else."""
    return isinstance(require(a, float), float)


def is_concrete_bool(a):
    """Return True for a bool.  Raise AssertionError for anything else."""
    return isinstance(require(a, bool), bool)


def guard_int(a):
    """Return an int.  Raise AssertionError for anything else."""
    return int(require(a, int, "int"))


def guard_float(a):
    """Return a float.  Raise AssertionError for anything else."""
    return float(require(a, float, "float"))


def guard_bool(a):
    """Return a bool.  Raise AssertionError for anything else."""
    return require(a, bool, "bool")


def guard_scalar(a):
    """Return a number.  Raise AssertionError for anything else."""
    for kind, guard in ((bool, guard_bool), (int, guard_int), (float, guard_float)):
        if isinstance(a, kind):
            return guard(a)
    raise AssertionError(f"unrecognized scalar {a}")
