"""Facts about a value or a failure that a question can ask about."""

from typing import Any, NamedTuple

import numpy as np

KINDS = ("shape", "dtype", "value", "grad", "fails")


class Truth(NamedTuple):
    """The facts about a value.

    `data` is an array of its elements, None if they cannot be compared. `name` represents a value that is not a number:
    a dtype, a node, a text. `error` is the exception in place of a value, and `said` its text. `phrases` are words, one
    of which a reason must contain.
    """

    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    data: Any = None
    name: str | None = None
    error: BaseException | None = None
    phrases: tuple[str, ...] = ()
    said: str = ""

    def has(self, kind):
        """Return True if there is an answer to a kind of question."""
        if kind == "fails" or self.error is not None:
            return True
        found = {"shape": self.shape, "dtype": self.dtype}.get(kind, self)
        return found is not None


def state_error(error, phrases=()):
    """Return the facts about a failure, or about its absence (None)."""
    try:
        said = str(error)
    except Exception:  # a class defined by the lesson or an answer
        said = ""
    return Truth(error=error, phrases=tuple(phrases), said=said)


def state_value(value):
    """Return the facts about a value of Python or an engine."""
    if getattr(value, "is_nested", False) is True:  # several tensors: no single shape or array
        return Truth(dtype=short_dtype(value.dtype), name=type(value).__name__)
    if hasattr(value, "tolist") and hasattr(value, "shape") and hasattr(value, "dtype"):
        shape = tuple(int(size) for size in value.shape)
        return Truth(shape, short_dtype(value.dtype), elements_of(value, shape))
    if value is None:
        return Truth(name="None")
    if type(value).__name__ == "Size":
        return Truth(shape=tuple(map(int, value)))
    if isinstance(value, bool | int | float | complex):
        return Truth(data=numbers(value))
    if isinstance(value, list | tuple) and all(isinstance(each, bool | int | float | complex) for each in value):
        return Truth(data=numbers(value) if value else np.zeros(0))
    if isinstance(value, str):
        return Truth(name=value)
    if type(value).__name__ == "dtype":
        return Truth(dtype=short_dtype(value), name=short_dtype(value))
    names = [value.name() if callable(getattr(value, "name", None)) else type(value).__name__]
    return Truth(name=names[0])


def short_dtype(dtype):
    """Return a dtype's name without its library."""
    return str(dtype).rpartition(".")[2]


def elements_of(value, shape):
    """Return the elements of a tensor as an array; None if it lacks some or all of them."""
    dense = value.detach() if hasattr(value, "detach") else value
    try:
        return as_array(dense.tolist(), shape)
    except RuntimeError:  # a meta, sparse or masked tensor
        return None


def numbers(values):
    """Convert Python numbers to an array; integers beyond every dtype become floating point."""
    found = np.asarray(values)
    return found.astype(float) if found.dtype == object else found


def as_array(data, shape):
    """Convert nested lists to an array, keeping the shape of empty ones."""
    return np.asarray(data, dtype=None if np.prod(shape) else np.float64).reshape(shape)
