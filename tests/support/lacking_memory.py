"""A system without memory for NumPy's arrays, from a moment on."""

import contextlib
import ctypes
import sys

import numpy as np

SET_HANDLER = 304  # the place of PyDataMem_SetHandler in NumPy's table of functions


class Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler: the functions that allocate and free the elements of arrays."""

    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        *((name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free")),
    ]


def make_handler():
    """Return the capsule of a handler that allocates nothing, and what must live as long."""
    labs = ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value  # 0 for the first argument, the context 0
    handler, name = Handler(b"nothing", 1, None, labs, labs, labs, labs), ctypes.create_string_buffer(b"mem_handler")
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    return make(ctypes.addressof(handler), ctypes.addressof(name), None), handler, name


def find_setter():
    """Return PyDataMem_SetHandler, which returns the former handler."""
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(read(np._core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])


@contextlib.contextmanager
def lacking_memory(after):
    """Let every allocation of this thread fail once this many functions of Python have been called.

    Yield a function that tells whether the moment has come.
    """
    nothing, *alive = make_handler()
    set_handler, former, left = find_setter(), [], after

    def count(frame, event, argument):
        nonlocal left
        if event == "call" and not former:
            left -= 1
            if left < 0:
                former.append(set_handler(nothing))

    sys.setprofile(count)
    try:
        yield lambda: bool(former)
    finally:
        sys.setprofile(None)
        if former:
            set_handler(former[0])
        del alive
