"""Dynamic dimensions of an exported program."""

import re


class TorchDynamoException(RuntimeError):
    """Base of the errors of programs that cannot be captured."""

    __module__ = "torch._dynamo.exc"


class UserError(TorchDynamoException):
    """Raised if a program fixes a dimension that was declared dynamic, or if the declaration does not fit it.

    ``case`` is a heading of PyTorch's page on such errors.
    """

    __module__ = "torch._dynamo.exc"

    def __init__(self, msg, case=None):
        if case is not None:
            end = " " if msg.endswith(".") else "\n"
            msg += f"{end}For more information about this error, see: https://pytorch.org/docs/main/generated/exportdb/index.html#{case}"
        super().__init__(msg)
        self.msg = self.message = msg


class ConstraintViolationError(RuntimeError):
    """Raised if a size of the example is not the one, or not in the range, that was declared."""

    __module__ = "torch.fx.experimental.symbolic_shapes"


class Infinity(float):
    """The largest size of a dimension without a limit."""

    def __repr__(self):
        return "int_oo"


INFINITY = Infinity("inf")


class Dim:
    """A named dimension whose size may vary between calls, from ``min`` to ``max``.

    ``Dim.AUTO`` and ``Dim.DYNAMIC`` are dynamic dimensions without a name, ``Dim.STATIC`` is one of fixed size; called
    with ``min`` and ``max``, the first two have a range.

    >>> import tensh as torch
    >>> batch = torch.export.Dim("batch", min=1, max=64)
    >>> batch
    Dim('batch', min=1, max=64)
    """

    __module__ = "torch.export.dynamic_shapes"

    def __init__(self, name, *, min=None, max=None):
        low, high = 0 if min is None else min, INFINITY if max is None else max
        if high <= low:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__, self.min, self.max = name, low, high

    def __add__(self, number):
        return self._derive(number, f"add {number} to {self.__name__}", 1, number)

    def __radd__(self, number):
        return self + number

    def __sub__(self, number):
        return self._derive(number, f"subtract {number} from {self.__name__}", 1, number, -1)

    def __rsub__(self, number):
        raise NotImplementedError(f"Attempted to negate {self.__name__}. {SUPPORTED}")

    def __mul__(self, number):
        if type(number) is not int or number <= 0:
            raise NotImplementedError(
                f"Attempted to multiply {number} with {self.__name__}, where a positive integer was expected. {SUPPORTED}"
            )
        return _DerivedDim(self, number, 0)

    def __rmul__(self, number):
        return self * number

    def _derive(self, number, what, factor, offset, sign=1):
        if type(number) is not int:
            raise NotImplementedError(f"Attempted to {what}, where an integer was expected. {SUPPORTED}")
        return _DerivedDim(self, factor, sign * offset)

    @staticmethod
    def write(name, low, high):
        """Return the printed form of a dimension with this name and range."""
        low = [] if low == 2 else [f"min={low}"]  # PyTorch takes sizes 0 and 1 for constants
        return f"Dim({', '.join([repr(name), *low, *([] if high == INFINITY else [f'max={high}'])])})"

    def __repr__(self):
        return self.write(self.__name__, self.min, self.max)


SUPPORTED = "(Only increasing linear operations with integer coefficients are supported.)"


class _DerivedDim(Dim):
    """A dimension whose size follows from that of another: ``factor * root + offset``.

    >>> import tensh as torch
    >>> batch = torch.export.Dim("batch", min=2, max=8)
    >>> 2 * batch + 1
    2*batch + 1
    """

    __module__ = "torch.export.dynamic_shapes"

    def __init__(self, root, factor, offset):
        if isinstance(root, _DerivedDim):
            root, factor, offset = root.root, factor * root.factor, factor * root.offset + offset
        self.root, self.factor, self.offset = root, factor, offset
        self.__name__ = write_derived(root.__name__, factor, offset)

    @property
    def min(self):
        """The smallest size.  Raise AssertionError if it is negative."""
        return self._follow("min", self.factor * self.root.min + self.offset)

    @property
    def max(self):
        """The largest size."""
        return self._follow("max", self.factor * self.root.max + self.offset)

    def _follow(self, which, found):
        if found < 0:
            raise AssertionError(
                f"Expected derived {which} value of {self.__name__} to be >= 0. Please specify an appropriate {which} value for "
                f"{self.root.__name__} (currently {getattr(self.root, which)})."
            )
        return INFINITY if found == INFINITY else found

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


class _DimHint:
    """An unnamed kind of dimension; called with ``min`` and ``max``, one with a range."""

    __module__ = "torch.export.dynamic_shapes"

    def __init__(self, name, min=None, max=None, ranged=False):
        self.__name__, self.min, self.max, self._ranged = name, min, max, ranged

    def __call__(self, min=None, max=None):
        """Return this kind of dimension with a range.  Raise AssertionError for negative numbers and empty ranges."""
        if self._ranged:
            raise TypeError(f"'{type(self)}' object is not callable")
        for word, limit in (("min", min), ("max", max)):
            if limit is not None and limit < 0:
                raise AssertionError(f"{word} must be non-negative, got {limit}")
        if min is not None and max is not None and min > max:
            raise AssertionError(f"min must be <= max, got min={min}, max={max}")
        return _DimHint(self.__name__, min, max, ranged=True)

    def __eq__(self, other):
        return isinstance(other, _DimHint) and repr(self) == repr(other)

    __hash__ = None

    def __repr__(self):
        limits = (f"{word}={each}" for word, each in (("min", self.min), ("max", self.max)) if each is not None)
        return f"DimHint({', '.join([self.__name__, *limits])})"


Dim.AUTO, Dim.DYNAMIC, Dim.STATIC = _DimHint("AUTO"), _DimHint("DYNAMIC"), _DimHint("STATIC")
STATIC = Dim.STATIC
