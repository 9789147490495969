"""DLPack capsules with dtypes that NumPy lacks, passed through NumPy as unsigned integers with the same bits.

A capsule points to a structure in memory, where one byte is the kind of the elements and another their number of bits.
The offsets of these bytes are defined by DLPack (https://dmlc.github.io/dlpack/latest/c_api.html).
"""

import ctypes

from tensh.engine.dtypes.dtype import bfloat16, complex32

PLACES = {b"dltensor": 20, b"dltensor_versioned": 52}  # name of a capsule -> offset of the byte with the kind
UNSIGNED = 1
KINDS = {(4, 16): bfloat16, (5, 32): complex32}  # (kind, bits) -> dtype

_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def kind_of(capsule):
    """Return the bytes (kind, bits) of an unused capsule as a writable view; None for other capsules."""
    name = _name(capsule)
    if name not in PLACES:
        return None
    return (ctypes.c_uint8 * 2).from_address(_pointer(capsule, name) + PLACES[name])


def view_unsigned(array):
    """Return the array as unsigned integers with the same bits."""
    return array.view(f"u{array.itemsize}")


def make_own(capsule, dtype):
    """Give the capsule of an array of unsigned integers a dtype that NumPy lacks."""
    kind = kind_of(capsule)
    kind[0] = next(code for (code, _), each in KINDS.items() if each is dtype)
    return capsule


def make_unsigned(capsule):
    """Mark a capsule with a dtype that NumPy lacks as one of unsigned integers; return that dtype, or None."""
    kind = kind_of(capsule)
    dtype = None if kind is None else KINDS.get(tuple(kind))
    if dtype is not None:
        kind[0] = UNSIGNED
    return dtype
