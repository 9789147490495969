"""Lists and dictionaries of scripts as Python values: ``torch.jit.script([1, 2])`` has elements of one type."""

from typing import get_args

from tensh.jit.language.types import fits_type
from tensh.jit.language.value_text import describe_value
from tensh.jit.running.scriptable import infer_container

__all__ = ["ScriptDict", "ScriptList"]

SUPPORTED = "(): incompatible function arguments. The following argument types are supported:\n"
INTEGER = "typing.SupportsInt | typing.SupportsIndex"
OVERLOADS = {
    "__getitem__": (f"(self: torch._C.ScriptList, arg0: {INTEGER}) -> object", "(self: torch._C.ScriptList, arg0: slice) -> torch._C.ScriptList"),
    "__delitem__": (f"(self: torch._C.ScriptList, arg0: {INTEGER}) -> None",),
}  # fmt: skip
"""Method -> the arguments that it takes, as errors list them."""


def copy_out(value):
    """Return an element as a value of Python."""
    if isinstance(value, list):
        return [copy_out(each) for each in value]
    return {key: copy_out(each) for key, each in value.items()} if isinstance(value, dict) else value


class ScriptList:
    """A list whose elements have the type that the first ones had."""

    __module__, is_script_container = "torch", True

    def __init__(self, values=()):
        self._values = copy_out(list(values))
        self._kind = infer_container(self._values)

    def _require(self, value):
        if not fits_type(value, get_args(self._kind)[0], exact=True):
            raise TypeError
        return copy_out(value)

    def _place(self, place, method):
        """Return the place of an element.  Raise TypeError or IndexError for one that is none."""
        if not hasattr(place, "__index__"):
            shown = "\n".join(f"    {number}. {each}" for number, each in enumerate(OVERLOADS[method], 1))
            raise TypeError(f"{method}{SUPPORTED}{shown}\n\nInvoked with: {self}, {place!r}")
        if not -len(self._values) <= place < len(self._values):
            raise IndexError
        return place

    def __len__(self):
        return len(self._values)

    def __bool__(self):
        return bool(self._values)

    def __iter__(self):
        return map(copy_out, self._values)

    def __contains__(self, value):
        return self._require(value) in self._values

    def __getitem__(self, place):
        if isinstance(place, slice):
            made = ScriptList()
            made._values, made._kind = self._values[place], self._kind
            return made
        return copy_out(self._values[self._place(place, "__getitem__")])

    def __setitem__(self, place, value):
        if isinstance(place, slice):
            self._values[place] = [self._require(each) for each in value]
        else:
            self._values[self._place(place, "__getitem__")] = self._require(value)

    def __delitem__(self, place):
        del self._values[self._place(place, "__delitem__")]

    def append(self, value):
        """Append an element.  Raise TypeError for one of another type."""
        self._values.append(self._require(value))

    def extend(self, values):
        """Append elements.  Raise TypeError if one has another type."""
        self._values.extend([self._require(each) for each in values])

    def insert(self, place, value):
        """Insert an element at a place."""
        self._values.insert(place, self._require(value))

    def pop(self, place=-1):
        """Remove the element at a place, the last one by default, and return it."""
        if not self._values or not -len(self._values) <= place < len(self._values):
            raise IndexError("list index out of range")
        return self._values.pop(place)

    def remove(self, value):
        """Remove the first element that equals a value.  Raise ValueError if there is none."""
        if self._require(value) not in self._values:
            raise ValueError
        self._values.remove(value)

    def count(self, value):
        """Return how many elements equal a value."""
        return self._values.count(self._require(value))

    def clear(self):
        """Remove all elements."""
        self._values.clear()

    def __repr__(self):
        return describe_value(self._values)


class ScriptDict:
    """A dictionary whose keys and values have the types that the first ones had."""

    __module__, is_script_container = "torch", True

    def __init__(self, values=()):
        self._values = copy_out(dict(values))
        self._kind = infer_container(self._values)

    def _require(self, value, place):
        if not fits_type(value, get_args(self._kind)[place], exact=True):
            raise TypeError
        return copy_out(value)

    def __len__(self):
        return len(self._values)

    def __bool__(self):
        return bool(self._values)

    def __iter__(self):
        return iter(self._values)

    def __contains__(self, key):
        try:
            return self._require(key, 0) in self._values
        except TypeError:
            raise KeyError("") from None

    def __getitem__(self, key):
        if self._require(key, 0) not in self._values:
            raise KeyError("")
        return copy_out(self._values[key])

    def __setitem__(self, key, value):
        self._values[self._require(key, 0)] = self._require(value, 1)

    def __delitem__(self, key):
        if self._require(key, 0) not in self._values:
            raise KeyError("")
        del self._values[key]

    def keys(self):
        """Return an iterator over the keys."""
        return iter(self._values)

    def items(self):
        """Return an iterator over (key, value)."""
        return ((key, copy_out(each)) for key, each in self._values.items())

    def __repr__(self):
        return describe_value(self._values)
