"""Arguments that PyTorch accepts in several forms: sizes as numbers or as one sequence, dims, dtypes and indices."""

from collections.abc import Iterable

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.dtypes.device import memory_format, preserve_format, require_cpu, require_strided
from tensh.engine.dtypes.dtype import BUILTIN, dtype
from tensh.engine.errors.integers import read_size
from tensh.engine.errors.messages import wrap_dims


def integer(value, name, parameter, position):
    """Convert an int, a NumPy integer or an integer tensor of one element to an int.

    ``position`` is None for a keyword.
    """
    if type(value) is int:
        if -(2**63) <= value < 2**63:
            return value
        raise ValueError("Overflow when unpacking long long")
    if (number := read_size(value)) is None:
        where = f" (position {position})" if position else ""
        raise TypeError(f"{name}(): argument '{parameter}'{where} must be int, not {type_name(value)}")
    return number


def ntuple(value, n):
    """Return the elements of ``value`` as a tuple, or ``value`` repeated n times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


def sizes(values, name, parameter="size", position=1):
    """Return a tuple of ints from ``(2, 3)``, ``((2, 3),)`` or ``([2, 3],)``."""
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        values = values[0]
    numbers = []
    for index, value in enumerate(values):
        number = value if type(value) is int else int(value) if index and isinstance(value, bool) else read_size(value)
        if number is None:
            kind = type(value).__name__
            raise TypeError(
                f"{name}(): argument '{parameter}' (position {position}) must be tuple of ints, "
                f"but found element of type {kind} at pos {index}"
            )
        numbers.append(number)
    return tuple(numbers)


def dims(dim, ndim):
    """Return ``dim`` (None, an int or a sequence) as a tuple of dimensions from 0; all of them for None and ()."""
    if type(dim) is tuple and len(dim) == 1:
        dim = dim[0]
    if type(dim) is int and -ndim <= dim < ndim:  # a fifth of the time of the general case
        return (dim % ndim,)
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, (tuple, list)):
        wrapped = wrap_dims(dim, ndim)
        return wrapped if wrapped and ndim else tuple(range(ndim))
    return wrap_dims((dim,), ndim) if ndim else (wrap_dims((dim,), ndim) and ())


def is_empty(values):
    """Return True for an empty sequence and False for any number, including NumPy's, which do not compare with sequences."""
    return isinstance(values, (tuple, list)) and not values


def require_dtype(value, name):
    """Return ``value`` if it is a dtype or None, or the dtype of a Python type; raise PyTorch's error otherwise."""
    if value is None or isinstance(value, dtype):
        return value
    if not isinstance(value, type) or value not in BUILTIN:
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type_name(value)}")
    return BUILTIN[value]


def options(name, *, dtype=None, device=None, layout=None, pin_memory=False):
    """Check the keywords of a function that makes a tensor; return the NumPy dtype, or None."""
    require_cpu(device)
    require_strided(layout)
    return None if dtype is None else require_dtype(dtype, name).numpy


def format_named(value, name):
    """Return a memory format; None means ``preserve_format``."""
    if isinstance(value, memory_format):
        return value
    if value is None:
        return preserve_format
    raise TypeError(f"{name}(): argument 'memory_format' must be torch.memory_format, not {type_name(value)}")
