"""Scatter-add by SciPy's compiled loops over sparse matrices, if SciPy is installed.

The transpose of a sparse matrix times a vector is a sum into places: with ones for the other factor, number ``i`` of
``values`` is added at ``index[i]``, in that order, so the sums are those of ``np.add.at`` to the last bit.  The loops
take half of its time for numbers and a tenth for rows, and work without Python's lock.
"""

from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import numpy as np

from tensh.engine.arrays.gathering import is_within

INDICES = frozenset(map(np.dtype, ("i4", "i8")))
NUMBERS = INDICES | frozenset(map(np.dtype, ("f4", "f8", "i1", "i2", "u1", "u2", "u4", "u8")))


@cache
def loops():
    """Load the module of the loops, or return None.

    Its file alone loads in 2 ms; all of ``scipy.sparse`` takes 130.
    """
    try:
        folder = Path(find_spec("scipy").origin).parent / "sparse"
        spec = FileFinder(str(folder), (ExtensionFileLoader, EXTENSION_SUFFIXES)).find_spec("_sparsetools")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module if adds_correctly(module) else None
    except Exception:  # not installed, or a version with another layout
        return None


def adds_correctly(module):
    """Return True if the loops of ``module`` add correctly; checked because they are not public in SciPy."""
    numbers, rows = np.zeros(2), np.zeros((2, 2))
    add_numbers(module, numbers, np.array([1, 0, 1]), np.array([1.0, 2.0, 4.0]))
    add_rows(module, rows, np.array([1, 1]), np.array([[1.0, 2.0], [4.0, 8.0]]))
    return numbers.tolist() == [2, 5] and rows.tolist() == [[0, 0], [5, 10]]


def add_at(out, index, values):
    """Compute ``out[index[i]] += values[i]``; return False, with ``out`` unchanged, if SciPy or the dtype is missing.

    ``out`` is dense, ``index`` flat.  The loops do not check bounds, so an index outside is an IndexError here.
    """
    if out.dtype not in NUMBERS or values.dtype != out.dtype or index.dtype not in INDICES:
        return False
    module = loops()
    if module is None:
        return False
    if not is_within(index, len(out)):
        raise IndexError(f"an index is out of bounds for {len(out)} places")
    add = add_numbers if out.size == len(out) else add_rows
    add(module, out, index, values)
    return True


def add_numbers(module, out, index, values):
    ends = np.array([0, len(index)], index.dtype)
    module.csc_matvec(out.size, 1, ends, index, values.reshape(-1), np.ones(1, out.dtype), out.reshape(-1))


def add_rows(module, out, index, values):
    number, columns = len(index), out.size // len(out)
    each, ones = np.arange(number + 1, dtype=index.dtype), np.ones(number, out.dtype)
    module.csc_matvecs(len(out), number, columns, each, index, ones, values.reshape(-1), out.reshape(-1))
