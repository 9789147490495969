"""Files of the safetensors format: eight bytes for the length of a header, the header as JSON, the bytes of the arrays.

Nothing in such a file can run. What a header says is checked before anything is read: a file of another kind, or one
that was cut off, is refused with one sentence. The format is described at https://github.com/huggingface/safetensors.
"""

import json
import math
import os
import tempfile

import numpy as np

MOST_HEADER = 100_000_000  # bytes, the limit of the format
METADATA = "__metadata__"
DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
    "C64": "complex64",
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class FileError(Exception):
    """A file that is not what it should be, or cannot be written."""


def numpy_dtype(name):
    """The NumPy dtype of a name of the format, its bytes in the order of the format."""
    if DTYPES[name] == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(DTYPES[name]).newbyteorder("<")


# -- writing -----------------------------------------------------------------------------------------------------------


def write(path, arrays, metadata=None):
    """Write arrays (name -> array) and texts (name -> text) into a file. It is there whole, or not at all."""
    header, position = {METADATA: metadata} if metadata else {}, 0
    for name, array in arrays.items():
        if array.dtype.name not in NAMES:
            raise FileError(f"{path}: the format has no {array.dtype.name}")
        header[name] = {
            "dtype": NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [position, position + array.nbytes],
        }
        position += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the arrays begin at a multiple of eight
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".tensh-", delete=False) as file:
            try:
                file.write(len(text).to_bytes(8, "little") + text)
                for name, array in arrays.items():
                    dtype = numpy_dtype(header[name]["dtype"])
                    file.write(np.ascontiguousarray(array, dtype).reshape(-1).view(np.uint8).data)
                file.close()
                os.chmod(file.name, 0o666 & ~_umask())  # as if it had been opened by its name
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# -- reading -----------------------------------------------------------------------------------------------------------


def read(path):
    """(name -> array, name -> text) of a file; raises FileError with one sentence for everything that is wrong in it."""
    try:
        with open(path, "rb") as file:
            entries, metadata, begin = read_header(path, file)
            arrays = {}
            for name, (dtype, shape, offset) in entries.items():
                file.seek(begin + offset)
                array = np.fromfile(file, dtype, math.prod(shape)).reshape(shape)
                if array.dtype == bool and array.view(np.uint8).max(initial=0) > 1:
                    raise FileError(f"{path}: {name!r} is of booleans, and some are neither true nor false")
                arrays[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
            return arrays, metadata
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def read_header(path, file):
    """(name -> (dtype, shape, offset), texts, where the arrays begin) of an open file; no array is read."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(size - 8, MOST_HEADER):
        raise FileError(f"{path}: this is not a safetensors file, or it was cut off")
    try:
        header = json.loads(file.read(length).decode(), object_pairs_hook=_without_repetition)
    except (UnicodeDecodeError, RecursionError):
        raise FileError(f"{path}: its header is not JSON") from None
    except ValueError as error:
        raise FileError(f"{path}: its header is not JSON: {str(error).partition(';')[0]}") from None
    if not isinstance(header, dict):
        raise FileError(f"{path}: its header is not a table")
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(each, str) for each in metadata.values()):
        raise FileError(f"{path}: its metadata are not texts")
    entries = {name: _entry(path, name, entry) for name, entry in header.items()}
    _check_places(path, entries, size - 8 - length)
    return entries, metadata, 8 + length


def _without_repetition(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _entry(path, name, entry):
    """(dtype, shape, offset) of one array, once its size is what its shape says."""
    try:
        dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        known = [*shape, begin, end]
    except (TypeError, KeyError, ValueError):
        raise FileError(f"{path}: {name!r} lacks its dtype, shape or place") from None
    if not isinstance(shape, list) or not all(type(each) is int and 0 <= each < 2**62 for each in known):
        raise FileError(f"{path}: {name!r} has a shape or a place that is none")
    if dtype not in DTYPES:
        raise FileError(f"{path}: {name!r} has the dtype {dtype!r}, which tensh does not have")
    found = numpy_dtype(dtype)
    if end - begin != math.prod(shape) * found.itemsize:
        raise FileError(f"{path}: {name!r} has {end - begin} bytes, and its shape {shape} needs another number")
    return found, shape, begin


def _check_places(path, entries, size):
    """The arrays lie one behind the other, and fill the rest of the file."""
    position = 0
    for dtype, shape, begin in sorted(entries.values(), key=lambda entry: (entry[2], math.prod(entry[1]))):
        if begin != position:
            raise FileError(f"{path}: its arrays overlap, or there is a gap between them")
        position += math.prod(shape) * dtype.itemsize
    if position != size:
        raise FileError(f"{path}: its arrays need {position} bytes, and it has {size}: it was cut off, or changed")
