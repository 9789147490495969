"""Numbers that may be symbolic: PyTorch's compilers trace sizes as symbols; tensh computes eagerly and has only numbers.

The classes serve ``isinstance``: numbers that a trace follows (``symbolic``) pass for their instances. The functions
take numbers.
"""

import math

import numpy as np

__all__ = [
    "SymBool", "SymFloat", "SymInt", "sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt",
    "sym_sum",
]  # fmt: skip
NUMBERS = (np.integer, np.floating, int, float)


class Symbolic(type):
    """The class of a class whose instances are also the numbers of traces that name it as ``symbolic``."""

    def __instancecheck__(cls, value):
        return super().__instancecheck__(value) or getattr(type(value), "symbolic", None) is cls


class SymInt(metaclass=Symbolic):
    """A symbolic int, such as a size while a program is exported.

    >>> import tensh as torch
    >>> isinstance(3, torch.SymInt)
    False
    """

    __module__ = "torch"


class SymFloat(metaclass=Symbolic):
    """A symbolic float, such as a number that a program reads while it is exported.

    >>> import tensh as torch
    >>> isinstance(3.0, torch.SymFloat)
    False
    """

    __module__ = "torch"


class SymBool(metaclass=Symbolic):
    """A symbolic bool, such as a comparison of sizes while a program is exported.

    >>> import tensh as torch
    >>> isinstance(True, torch.SymBool)
    False
    """

    __module__ = "torch"


def sym_float(a):
    """Return the number as a float.

    >>> import tensh as torch
    >>> torch.sym_float(3)
    3.0
    """
    return float(a)


def sym_int(a):
    """Return the number as an int, rounded towards zero.

    >>> import tensh as torch
    >>> torch.sym_int(-3.7)
    -3
    """
    return math.trunc(a)


def sym_not(a):
    """Return the opposite of a truth value.

    >>> import tensh as torch
    >>> torch.sym_not(True)
    False
    """
    return not a


def sym_max(a, b):
    """Return the larger of two numbers, a float if one of them is.  Raise AssertionError for anything but a number.

    >>> import tensh as torch
    >>> torch.sym_max(3, 2.0)
    3.0
    """
    return choose_number("max", a, b)


def sym_min(a, b):
    """Return the smaller of two numbers, a float if one of them is.  Raise AssertionError for anything but a number.

    >>> import tensh as torch
    >>> torch.sym_min(3, 2.0)
    2.0
    """
    return choose_number("min", a, b)


CHOICES = {"max": max, "min": min}


def choose_number(name, a, b):
    """Return the largest or the smallest of two numbers, as a float if one of them is; numbers of a trace record it."""
    for number in (a, b):
        if (record := getattr(number, "record_choice", None)) is not None:
            return record(name, a, b)
    for each in (a, b):
        if not isinstance(each, NUMBERS):
            raise AssertionError(f"expected {NUMBERS}, got {type(each)}")
    is_float = any(isinstance(each, (float, np.floating)) for each in (a, b))
    chosen = CHOICES[name](a, b)
    return float(chosen) if is_float else chosen


def sym_sqrt(a):
    """Return the square root.  Raise ValueError for a negative number.

    >>> import tensh as torch
    >>> torch.sym_sqrt(4)
    2.0
    """
    return math.sqrt(a)


def sym_sum(args):
    """Return the sum of some numbers.

    >>> import tensh as torch
    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return sum(args)


def sym_ite(b, t, f):
    """``t`` if ``b``, else ``f``.  Raise AssertionError unless ``b`` is a bool, and ``t`` and ``f`` are of one type.

    >>> import tensh as torch
    >>> torch.sym_ite(True, 1, 2)
    1
    """
    if type(b) is not bool:
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


for _each in (sym_float, sym_int, sym_ite, sym_max, sym_min, sym_not, sym_sqrt, sym_sum):
    _each.__module__ = "torch"
_sym_sqrt = sym_sqrt
sym_sqrt.__name__ = sym_sqrt.__qualname__ = "_sym_sqrt"  # as in graphs of PyTorch
