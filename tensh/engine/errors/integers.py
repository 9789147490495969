"""The integers that arguments are read as.

PyTorch takes more kinds of values for sizes, which may be symbols, than for dims.
"""

import numpy as np

NO_SIZE = (
    "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error message be improved?  If so, please report "
    "an enhancement request to PyTorch.)"
)


def read_int(value):
    """Return the integer that a dim, a count or a distance is given as; None for another kind.

    Python's and NumPy's integers are taken, and integer tensors without dimensions.
    """
    if value.__class__ is int:
        return value
    if isinstance(value, (bool, str)):
        return None
    if isinstance(value, (int, np.integer)):
        return int(value)
    array = getattr(value, "array", None)
    return int(array) if isinstance(array, np.ndarray) and not array.ndim and array.dtype.kind in "iu" else None


def read_size(value):
    """Return the integer that a size is given as; None for another kind.

    Beside what ``read_int`` takes, integer tensors of one element are, arrays without dimensions, and objects with
    ``__index__``. Raise RuntimeError for a tensor of one truth value.
    """
    if (number := read_int(value)) is not None:
        return number
    array = getattr(value, "array", value)
    if isinstance(array, np.ndarray):
        if array is not value and array.size == 1 and array.dtype.kind == "b":
            raise RuntimeError(NO_SIZE)
        fits = array.dtype.kind in "iu" and (array.size == 1 if array is not value else not array.ndim)
        return int(array.item()) if fits else None
    is_number = isinstance(value, (bool, float, complex, str, np.generic))
    return value.__index__() if not is_number and hasattr(type(value), "__index__") else None


def read_number(value):
    """The integer that an element of a sequence of dims is given as: that of a size, or of a tensor of one truth value."""
    array = getattr(value, "array", None)
    truth = isinstance(array, np.ndarray) and array.size == 1 and array.dtype.kind == "b"
    return int(array.item()) if truth else read_size(value)
