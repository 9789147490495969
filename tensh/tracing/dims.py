"""Dynamic dimensions of an exported program."""

import keyword
import re


class UserError(RuntimeError):
    """Raised if a program fixes a dimension that was declared dynamic, or if the declaration does not fit it."""

    __module__ = "torch._dynamo.exc"


class Dim:
    """A named dimension whose size may vary between calls, from ``min`` to ``max``.

    ``Dim.AUTO`` and ``Dim.DYNAMIC`` are dynamic dimensions without a name, ``Dim.STATIC`` is one of fixed size.

    >>> import tensh as torch
    >>> batch = torch.export.Dim("batch", min=1, max=64)
    >>> batch
    Dim('batch', min=1, max=64)
    """

    __module__ = "torch.export"

    def __init__(self, name, *, min=None, max=None):
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        low, high = 0 if min is None else min, 2**63 - 1 if max is None else max
        if high <= low:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        self.__name__, self.min, self.max = name, min, max

    def __add__(self, number):
        return DerivedDim(self, 1, require_int(number, "add"))

    def __radd__(self, number):
        return self + number

    def __sub__(self, number):
        return DerivedDim(self, 1, -require_int(number, "subtract"))

    def __mul__(self, number):
        if require_int(number, "multiply") <= 0:
            raise NotImplementedError(
                f"Attempted to multiply {self.__name__} by {number}, where a positive integer was expected."
            )
        return DerivedDim(self, number, 0)

    def __rmul__(self, number):
        return self * number

    def __repr__(self):
        low = [f"min={self.min or 0}"] if self.min != 2 else []  # PyTorch specialises on sizes 0 and 1
        high = [f"max={self.max}"] if self.max is not None else []
        return f"Dim({', '.join([repr(self.__name__), *low, *high])})"


def require_int(number, word):
    """Return a number.  Raise NotImplementedError unless it is an integer."""
    if type(number) is not int:
        raise NotImplementedError(
            f"Attempted to {word} a dimension and {number}, where an integer was expected. (Only increasing linear "
            "operations with integer coefficients are supported.)"
        )
    return number


class DerivedDim(Dim):
    """A dimension whose size follows from that of another: ``factor * root + offset``.

    >>> import tensh as torch
    >>> batch = torch.export.Dim("batch", min=2, max=8)
    >>> 2 * batch + 1
    2*batch + 1
    """

    def __init__(self, root, factor, offset):
        if isinstance(root, DerivedDim):
            root, factor, offset = root.root, factor * root.factor, factor * root.offset + offset
        self.root, self.factor, self.offset = root, factor, offset
        self.__name__ = write_derived(root.__name__, factor, offset)
        self.min, self.max = (each if each is None else factor * each + offset for each in (root.min, root.max))

    def __repr__(self):
        return self.__name__


def write_derived(name, factor, offset):
    """Return a linear expression, such as ``2*s0 + 1``."""
    text = name if factor == 1 else f"{factor}*{name}"
    return text if not offset else f"{text} {'+' if offset > 0 else '-'} {abs(offset)}"


DERIVED = re.compile(r"(?:(?P<factor>\d+)\*)?(?P<root>[A-Za-z_]\w*)(?: (?P<sign>[+-]) (?P<offset>\d+))?")


def read_derived(text):
    """Return (name of the root, factor, offset) of a size that follows from another; None for any other name."""
    found = DERIVED.fullmatch(text)
    if found is None or found["root"] == text:
        return None
    offset = int(found["offset"] or 0)
    return found["root"], int(found["factor"] or 1), -offset if found["sign"] == "-" else offset


def dims(*names, min=None, max=None):
    """Return dimensions with these names and one range.

    >>> import tensh as torch
    >>> torch.export.dims("batch", "length", max=64)
    (Dim('batch', min=0, max=64), Dim('length', min=0, max=64))
    """
    return tuple(Dim(name, min=min, max=max) for name in names)


class Hint:
    """An unnamed kind of dimension."""

    min = max = None

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"DimHint({self.__name__})"


Dim.AUTO, Dim.DYNAMIC, Dim.STATIC = Hint("AUTO"), Hint("DYNAMIC"), Hint("STATIC")
STATIC = Dim.STATIC
