"""The header of an array in a file of NumPy: its shape, order and type, once they are such as an array can have."""

import ast
import math
import re
import warnings

import numpy as np

from tensh.engine.arrays.bounds import MOST, MOST_DIMENSIONS
from tensh.support.language import _

MAGIC = b"\x93NUMPY"
LENGTHS = {(1, 0): 2, (2, 0): 4}  # version -> bytes that the length of the header takes
MOST_HEADER = 10_000  # characters: a type of texts or numbers takes a hundred
KEYS = {"descr", "fortran_order", "shape"}
KINDS = "biufcSUmM"  # supported dtype kinds: numbers, texts and times
MOST_ITEM = 2**24  # bytes of one element
SHOWN = 60  # characters of what came


def read_header(file, name):
    """Read and check the header of an array; return (shape, order, dtype). ValueError in our own words."""
    table = read_table(file, name)
    shape, fortran, described = table["shape"], table["fortran_order"], table["descr"]
    if type(fortran) is not bool:
        raise ValueError(
            _("expected True or False for the order of {name}, but found {came}").format(name=name, came=show(fortran))
        )
    if type(shape) is not tuple or not all(type(n) is int and n >= 0 for n in shape) or len(shape) > MOST_DIMENSIONS:
        raise ValueError(
            _("expected a tuple of at most {most} sizes for the shape of {name}, but found {came}").format(
                name=name, most=MOST_DIMENSIONS, came=show(shape)
            )
        )
    dtype = find_dtype(described, name)
    if math.prod(n or 1 for n in shape) * dtype.itemsize > MOST:
        raise ValueError(_("{name} has a shape that is too large for memory").format(name=name))
    return shape, "F" if fortran else "C", dtype


def read_table(file, name):
    """Return the table of a header, with the three keys that it has."""
    begin = file.read(len(MAGIC) + 2)
    if not begin.startswith(MAGIC):
        raise ValueError(_("{name} is not a .npy file: it does not begin like one").format(name=name))
    version = tuple(begin[len(MAGIC) :])
    if len(version) == 2 and version not in LENGTHS:
        raise ValueError(
            _("{name} has format version {version}, which tensh does not read").format(name=name, version=version)
        )
    first = file.read(LENGTHS.get(version, 0))
    length = int.from_bytes(first, "little")
    if length > MOST_HEADER:
        raise ValueError(
            _("{name} has a header of {length:,} bytes, more than the limit of {most:,}").format(
                name=name, length=length, most=MOST_HEADER
            )
        )
    text = file.read(length).decode("latin1")
    if len(first) < LENGTHS.get(version, 1) or len(text) < length:
        raise ValueError(_("{name} ends within its header").format(name=name))
    try:
        with warnings.catch_warnings(action="ignore"):  # Python's on how the text is written
            table = ast.literal_eval(re.sub(r"(?<=\d)L\b", "", text.strip(" \n")))  # Python 2 wrote 3L
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        table = None
    if type(table) is not dict or table.keys() != KEYS:
        raise ValueError(
            _("expected a dictionary of {keys} as the header of {name}, but found {came}").format(
                name=name, keys=", ".join(sorted(KEYS)), came=show(text.strip())
            )
        )
    return table


def find_dtype(described, name):
    """Return the type of an array's elements: numbers, texts or times."""
    try:
        dtype = np.dtype(described) if type(described) is str else np.dtype(object)
    except Exception:  # each way to write no type raises another one
        raise ValueError(
            _("{name} has the type {came}, which NumPy does not have").format(name=name, came=show(described))
        ) from None
    if dtype.kind not in KINDS or dtype.hasobject or dtype.names or dtype.subdtype:
        raise ValueError(_("{name} holds objects or records; expected numbers, strings or times").format(name=name))
    if not 0 < dtype.itemsize <= MOST_ITEM:
        raise ValueError(
            _("an element of {name} has {size:,} bytes; expected 1 to {most:,}").format(
                name=name, size=dtype.itemsize, most=MOST_ITEM
            )
        )
    return dtype


def show(value):
    """Return a piece of what a file says."""
    try:
        text = value if type(value) is str else repr(value)
    except ValueError:  # a number of very many digits
        text = type(value).__name__
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
