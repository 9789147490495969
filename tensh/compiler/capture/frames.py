"""Frames of Python: of Python's library, of imports, of functions that tensh calls."""

import gc
import os
import re
import sysconfig
from functools import cache

import numpy

from tensh.engine.errors.warnings import PACKAGE, is_tensh_file

__all__ = ["is_called_by_tensh", "is_collecting", "is_import", "is_standard", "library_path", "serves_tensh"]

STANDARD = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), "<frozen"})
"""The folders of Python's standard library; packages may be installed in a folder below them."""
INSTALLED = re.compile(r"[\\/](site|dist)-packages[\\/]")
NUMPY = os.path.join(os.path.dirname(numpy.__file__), "")
COMPILER = os.path.join(PACKAGE, "compiler")
COMPILING = os.path.join(COMPILER, "compiling.py")
"""The file that calls captured functions."""
IMPORTING = ("<frozen importlib", COMPILER)
"""The files at which the search for an import ends: the importer's, and those that call a captured function."""


def library_path(filename):
    """Return the path of a file of Python's library below its folder."""
    return next((filename.removeprefix(each).lstrip("/") for each in STANDARD if filename.startswith(each)), "")


@cache
def is_standard(filename):
    """Return True for a file of Python's standard library or of NumPy."""
    return filename.startswith(NUMPY) or filename.startswith(STANDARD) and not INSTALLED.search(filename)


def serves_tensh(frame, filename):
    """Return True if a function of the standard library runs because tensh called it."""
    while frame is not None and is_standard(filename):
        frame = frame.f_back
        filename = "" if frame is None else frame.f_code.co_filename
    return is_tensh_file(filename) and not filename.startswith(COMPILING) or is_import(frame)


def is_import(frame):
    """Return True if a module runs because it is imported."""
    while frame is not None and not frame.f_code.co_filename.startswith(IMPORTING):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")


def is_called_by_tensh(frame):
    """Return True if a function of tensh called this one."""
    return frame.f_back is not None and is_tensh_file(frame.f_back.f_code.co_filename)


def is_collecting(frame):
    """Return True within a callback or a ``__del__`` of the garbage collection, which may begin anywhere in a function."""
    callbacks = [getattr(each, "__code__", None) for each in gc.callbacks]
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or any([code is each for each in callbacks]):
            return True
        frame = frame.f_back
    return False
