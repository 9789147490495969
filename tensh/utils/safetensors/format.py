"""The format, for arrays: a header is checked before arrays are read, and reading stays within the file.

Errors have the texts of the package ``safetensors``, except for Python's reason why a header is not JSON.
"""

import functools
import json
import math
import os
import sys
from typing import NamedTuple

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.dtypes.dtype import EIGHT_BITS
from tensh.support import bounded_json
from tensh.support.endless import is_endless
from tensh.support.escaping import visible_line
from tensh.support.replacing import replace_file

MOST_HEADER = 100_000_000  # bytes, the limit of the format
MOST_DIMENSIONS = 64  # dimensions of an array
LONGEST = 40  # characters of a name that are shown where it cannot be
LONGEST_ERROR = 1000  # characters of a message about a file
METADATA = "__metadata__"
DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "F8_E5M2": "float8_e5m2", "F8_E4M3": "float8_e4m3fn",
    "F8_E8M0": "float8_e8m0fnu", "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz", "I16": "int16", "U16": "uint16", "F16": "float16", "BF16": "bfloat16",
    "I32": "int32", "U32": "uint32", "F32": "float32", "C64": "complex64", "F64": "float64", "I64": "int64",
    "U64": "uint64",
}  # fmt: skip
NARROW = ("F4", "F6_E2M3", "F6_E3M2")
"""The format's words for dtypes of less than 8 bits, which tensh does not support."""
NAMES = {dtype: name for name, dtype in DTYPES.items()}
ORDER = {dtype: -number for number, dtype in enumerate(DTYPES.values())}  # wide ones first, so that all are aligned


class SafetensorError(Exception):
    """Raised for an invalid file, or one that cannot be written."""


class Entry(NamedTuple):
    """The entry of one array in a header; ``begin`` counts from the end of the header, ``size`` is in bytes."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    size: int


class Header(NamedTuple):
    """The arrays in the order of their places, the texts (None where there is no table of them), and its own length."""

    entries: dict[str, Entry]
    metadata: dict[str, str] | None
    length: int


@functools.cache
def dtype_of_name(name):
    """Return the NumPy dtype of a name of the format, its bytes in the order of the format."""
    if DTYPES[name] in ("bfloat16", *EIGHT_BITS):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, DTYPES[name]))
    dtype = np.dtype(DTYPES[name])  # NumPy's own object where the order is the machine's: a tensor takes it as it is
    return dtype if sys.byteorder == "little" else dtype.newbyteorder("<")


# ── writing ──────────────────────────────────────────────────────────────────
def pieces(arrays, metadata=None):
    """The bytes of a file that holds arrays (name -> array) and texts (name -> text), piece by piece."""
    check_texts("metadata", metadata)
    ordered = sorted(arrays.items(), key=lambda item: (ORDER.get(item[1].dtype.name, 0), item[0]))
    header, position = {} if metadata is None else {METADATA: metadata}, 0
    for name, array in ordered:
        if array.dtype.name not in NAMES:
            raise ValueError(f"`{name}` is of {array.dtype.name}, which the safetensors format does not have")
        header[name] = {
            "dtype": NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [position, position + array.nbytes],
        }
        position += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # so that the arrays begin at a multiple of eight
    yield len(text).to_bytes(8, "little") + text
    for name, array in ordered:
        yield np.ascontiguousarray(array, dtype_of_name(header[name]["dtype"])).reshape(-1).view(np.uint8).data


def check_texts(argument, texts):
    """Raise unless ``texts`` is a dict of texts, or None."""
    if texts is not None and not isinstance(texts, dict):
        raise TypeError(f"argument '{argument}': '{type(texts).__name__}' object is not an instance of 'dict'")
    for each in (part for item in (texts or {}).items() for part in item):
        if not isinstance(each, str):
            raise TypeError(f"argument '{argument}': '{type(each).__name__}' object is not an instance of 'str'")


def write(path, arrays, metadata=None):
    """Write arrays and texts into a file, atomically."""
    parts = pieces(arrays, metadata)
    first = next(parts)  # what cannot be written is known before a file is there
    with replace_file(path) as file:
        file.write(first)
        file.writelines(parts)


# ── reading ──────────────────────────────────────────────────────────────────
def read(path, header=None):
    """Return (name -> array, name -> text or None) of a file; SafetensorError for everything that is wrong in it.

    ``header`` is the file's, where it has been read before.
    """
    with open_file(path) as file:
        header = header or read_header(file)
        return {name: read_array(file, header, name) for name in header.entries}, header.metadata


def open_file(path):
    """Open a file to read; SafetensorError for a pipe or a device."""
    if is_endless(path):
        raise SafetensorError(f"{os.fspath(path)} is a pipe or a device, not a file")
    return open(path, "rb")


def read_array(file, header, name):
    """One array of an open file."""
    entry = header.entries[name]
    file.seek(header.length + entry.begin)
    data = np.empty(entry.size, np.uint8)
    if file.readinto(data) != len(data):
        raise SafetensorError("Error while deserializing header: incomplete metadata, file not fully covered")
    return as_array(data, entry)


def map_array(mapped, header, name):
    """One array of a file that is mapped: read when it is used, and a copy when it is written."""
    entry = header.entries[name]
    data = np.frombuffer(mapped, np.uint8, entry.size, header.length + entry.begin)
    return as_array(data if memory.address(data) % dtype_of_name(entry.dtype).itemsize == 0 else data.copy(), entry)


def as_array(data, entry):
    """Bytes as the array that they are, over the same memory where that can be."""
    if entry.dtype == "BOOL" and data.max(initial=0) > 1:
        data = data != 0
    array = data.view(dtype_of_name(entry.dtype)).reshape(entry.shape)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def read_header(file):
    """Return the header of an open file; no array is read."""
    size = os.fstat(file.fileno()).st_size
    try:
        length = _length(file.read(8), size)
        return _header(file.read(length), size)
    except ValueError as error:
        raise SafetensorError(f"Error while deserializing header: {_line(error)}") from None


def header_of(data):
    """Return the header of a file that is in memory."""
    try:
        return _header(data[8 : 8 + _length(data[:8], len(data))], len(data))
    except ValueError as error:
        raise SafetensorError(f"Error while deserializing: {_line(error)}") from None


def _line(error):
    """Return an error's message as one line: the names that it quotes come out of the file."""
    return visible_line(str(error))[:LONGEST_ERROR]


def _length(first, size):
    length = int.from_bytes(first, "little")
    if size < 8:
        raise ValueError("header too small")
    if length > MOST_HEADER:
        raise ValueError("header too large")
    if length > size - 8:
        raise ValueError("invalid header length")
    return length


def _header(text, size):
    """Return the header of a file of ``size`` bytes; ValueError for everything that is wrong."""
    try:
        table = bounded_json.loads(text.decode(), object_pairs_hook=_refuse_repetition)
    except UnicodeDecodeError as error:
        raise ValueError(f"invalid UTF-8 in header: {error.reason} at {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"invalid JSON in header: {str(error).partition(';')[0]}") from None
    if not isinstance(table, dict):
        raise ValueError("invalid JSON in header: it is not an object")
    metadata = table.pop(METADATA, None)
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(each, str) for each in metadata.values())
    ):
        raise ValueError("invalid JSON in header: its metadata are not strings")
    entries = {name: _entry(name, said) for name, said in table.items()}
    return Header(_order_entries(entries, size - 8 - len(text)), metadata, 8 + len(text))


def _refuse_repetition(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _entry(name, said):
    """Return one array, after a check of its size against its shape."""
    try:
        dtype, shape, (begin, end) = said["dtype"], said["shape"], said["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise ValueError(f"invalid JSON in header: `{name}` lacks its dtype, shape or data_offsets") from None
    if not isinstance(shape, list) or not _are_sizes(shape) or not _are_sizes((begin, end)):
        raise ValueError(f"invalid JSON in header: `{name}` has a shape or data_offsets that are not sizes")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(_describe_unknown(name, dtype))
    if len(shape) > MOST_DIMENSIONS:
        raise ValueError(f"`{name}` has {len(shape)} dimensions, and {MOST_DIMENSIONS} is the most")
    itemsize = dtype_of_name(dtype).itemsize
    size = math.prod(shape) * itemsize
    most = size or math.prod(filter(None, shape)) * itemsize  # an array of no elements has sizes, too
    if most >= 2**63:
        raise ValueError("overflow computing buffer size from shape and/or element type")
    if begin > end:
        raise ValueError(f"invalid offset for tensor `{name}`")
    if end - begin != size:
        raise ValueError("invalid shape, data type, or offset for tensor")
    return Entry(dtype, tuple(shape), begin, size)


def _describe_unknown(name, dtype):
    """Return the message for a word that is not a dtype here."""
    if dtype in NARROW:
        return f"`{name}` has the dtype {dtype}, which tensh does not support"
    said = dtype[:LONGEST] if isinstance(dtype, str) else type(dtype).__name__
    return f"invalid JSON in header: unknown variant `{said}`, expected one of {_quote(DTYPES)}"


def _are_sizes(numbers):
    """Return True if all are whole numbers that are not negative."""
    for each in numbers:  # noqa: SIM110  (a generator takes twice as long, and a file may have a hundred thousand arrays)
        if type(each) is not int or each < 0:
            return False
    return True


def _quote(names):
    return ", ".join(f"`{name}`" for name in names)


def _order_entries(entries, size):
    """Return the entries in the order of their places: without gaps, they fill the rest of the file after the header."""
    position, found = 0, {}
    for name, entry in sorted(entries.items(), key=lambda item: item[1][2:]):  # begin and size
        if entry.begin != position:
            raise ValueError(f"invalid offset for tensor `{name}`")
        position += entry.size
        found[name] = entry
    if position != size:
        raise ValueError("incomplete metadata, file not fully covered")
    return found
