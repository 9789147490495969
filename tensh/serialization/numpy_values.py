"""NumPy arrays, numbers and dtypes from a file loaded with ``weights_only=False``.

NumPy trusts the state of a dtype: negative item sizes, zero alignment, object flags. Therefore no number of a file
reaches it: a dtype is made from its kind and a checked size; its state contributes only the byte order and the unit of
a time, which must be known ones.
"""

import math
import re
import sys

import numpy as np

from tensh.engine.arrays.bounds import MOST_DIMENSIONS
from tensh.serialization.containers import DamagedError

PLAIN = re.compile(r"[?bBhHiIlLqQefdgFDG]|[biufc]\d{1,2}|[SU]\d{1,6}|[mM]8?")  # NumPy's codes of dtypes without objects
UNITS = ("generic", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
MOST_UNITS = 2**31 - 1  # unit of a time, such as 25 seconds
KINDS = tuple({type(np.dtype(code)) for code in "?bBhHiIlLqQefdgFDGSUmM"})


def make_dtype(code, align=False, copy=False):
    """Return a new dtype for this file only, so that setting its state affects no other."""
    if type(code) is not str or not PLAIN.fullmatch(code):
        raise DamagedError("it contains a NumPy dtype that is not allowed")
    return np.dtype(code, copy=True)


def set_order(dtype, state):
    """Set the byte order and unit of a dtype from its state, ignoring the rest."""
    if type(state) is not tuple or not 8 <= len(state) <= 9 or state[1] not in ("<", ">", "|", "="):
        raise DamagedError("it contains an invalid NumPy dtype")
    if any(part is not None for part in state[2:5]) or state[5] not in (-1, dtype.itemsize):
        raise DamagedError("it contains a structured NumPy dtype")
    own = (np.dtype(f"{dtype.char}8[{unit_of(state)}]") if dtype.kind in "mM" else dtype).__reduce__()[2]
    dtype.__setstate__((own[0], state[1] if dtype.itemsize > 1 and dtype.kind != "S" else "|", *own[2:]))


def unit_of(state):
    """Return the unit of a time as NumPy writes it: ``ns``, ``25s``."""
    described = state[8] if len(state) == 9 else None
    facts = described[1] if type(described) is tuple and len(described) == 2 else None
    if type(facts) is not tuple or len(facts) != 4 or type(facts[0]) is not bytes:
        raise DamagedError("it contains a NumPy time without a unit")
    unit, number = facts[0].decode("ascii", "replace"), facts[1]
    if unit not in UNITS or type(number) is not int or not 1 <= number <= MOST_UNITS or facts[2:] != (1, 1):
        raise DamagedError("it contains a NumPy time without a unit")
    return unit if number == 1 else f"{number}{unit}"


def make_array(cls, shape, code):
    """Make an array, whose contents follow as its state."""
    return np.empty(0, np.int8)


def set_contents(array, state):
    """Set the shape, dtype and elements of an array."""
    known = type(state) is tuple and len(state) == 5 and type(state[2]) in KINDS and type(state[4]) is bytes
    shape, dtype, content = state[1:3] + state[4:] if known else (None, None, None)
    if type(shape) is not tuple or len(shape) > MOST_DIMENSIONS or not all(type(n) is int and n >= 0 for n in shape):
        raise DamagedError("it contains a NumPy array with invalid contents")
    if math.prod(shape) * dtype.itemsize != len(content):
        raise DamagedError("it contains a NumPy array whose length does not fit its shape")
    if math.prod(n or 1 for n in shape) * max(dtype.itemsize, 1) >= 2**63:
        raise DamagedError("it contains a NumPy array that is too large for memory")
    array.__setstate__((1, shape, dtype, state[3] is True or state[3] == 1, check_content(content, dtype)))


def make_scalar(dtype, content):
    """Make a number, text or time of NumPy."""
    if type(dtype) not in KINDS or type(content) is not bytes or len(content) != dtype.itemsize or not content:
        raise DamagedError("it contains an invalid NumPy number")
    return np.frombuffer(check_content(content, dtype), dtype)[0]


def check_content(content, dtype):
    """Check the bytes of an array as NumPy requires: booleans are 0 or 1, characters are valid Unicode."""
    if dtype.kind == "b":
        return (np.frombuffer(content, np.uint8) != 0).tobytes()
    if dtype.kind == "U" and not is_text(np.frombuffer(content, np.uint8), dtype):
        raise DamagedError("it contains an invalid NumPy string")
    return content


def is_text(data, dtype):
    """Return True if the bytes of a text array are characters."""
    return data.view(np.dtype(np.uint32).newbyteorder(dtype.byteorder)).max(initial=0) <= sys.maxunicode
