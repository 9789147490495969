"""The parts of an array in a file that can be asked for: numbers, slices forward, one ellipsis.

The package ``safetensors`` refuses for NumPy's arrays what it does not read itself; the errors have its texts.
"""

import operator

from tensh.utils.safetensors.format import SafetensorError


def read_index(index, shape):
    """Return an index as a tuple of numbers and slices; raise SafetensorError unless all lie within an array of that shape.

    >>> from tensh.utils.safetensors.slices import read_index
    >>> read_index((slice(1, None), -1), (3, 2))
    (slice(1, None, 1), 1)
    """
    if isinstance(index, list):
        if index:
            raise SafetensorError("Non empty lists are not implemented")
        index = slice(0, 0)
    given = index if isinstance(index, tuple) else (index,)
    check_kinds(given)
    parts = [
        read_slice(part) if isinstance(part, slice) else read_number(part, dim, shape)
        for dim, part in enumerate(expand_ellipsis(given, len(shape)))
    ]
    problem = find_problem(parts, shape)
    if problem:
        asked = ", ".join(map(describe_part, parts))
        raise SafetensorError(f"Error during slicing [{asked}] with shape {list(shape)}: {problem}")
    return tuple(parts)


def check_kinds(parts):
    """Raise SafetensorError unless all parts are numbers, slices and at most one ellipsis."""
    if sum(part is ... for part in parts) > 1:
        raise SafetensorError("Only one ellipsis (...) is allowed in slice index")
    for position, part in enumerate(parts):
        if part is not ... and not isinstance(part, slice) and not hasattr(part, "__index__"):
            raise SafetensorError(f"Unsupported slice index at position {position}: expected slice, int, or ellipsis")


def expand_ellipsis(parts, dims):
    """Yield the parts with whole dimensions in place of an ellipsis."""
    for part in parts:
        if part is ...:
            yield from [slice(None)] * (dims - len(parts) + 1)
        else:
            yield part


def read_number(part, dim, shape):
    """Return a number that counts from the beginning of its dimension."""
    number = operator.index(part)
    size = shape[dim] if dim < len(shape) else 0
    if number < -size:
        raise SafetensorError(f"Invalid index {number} for dimension {dim} of size {size}")
    return number + size if number < 0 else number


def read_slice(part):
    """Return a slice whose step is a number; one that counts from the end or goes backwards is an error."""
    step = 1 if part.step is None else part.step
    if step < 1:
        raise SafetensorError(f"Slice step must be a positive integer, got {step}")
    if any(bound is not None and bound < 0 for bound in (part.start, part.stop)):
        raise OverflowError("can't convert negative int to unsigned")
    return slice(part.start, part.stop, step)


def find_problem(parts, shape):
    """Say which part lies outside an array of that shape, or return None."""
    if len(parts) > len(shape):
        return "more slicing indexes than dimensions in tensor"
    for dim, part in reversed([*enumerate(parts)]):  # the package reads the last dimension first
        size = shape[dim]
        first = part if isinstance(part, int) else part.start or 0
        last = first if isinstance(part, int) or part.stop is None else part.stop - 1
        beyond = next((place for place in (first, last) if place >= size), None)
        if beyond is not None:
            return f"index {beyond} out of bounds for tensor dimension #{dim} of size {size}"
    return None


def describe_part(part):
    """Return a part as it is typed."""
    if isinstance(part, int):
        return str(part)
    bounds = ":".join("" if bound is None else str(bound) for bound in (part.start, part.stop))
    return bounds if part.step == 1 else f"{bounds}:{part.step}"
