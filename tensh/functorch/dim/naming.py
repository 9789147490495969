"""Dimensions named after the variables that they are assigned to."""

import dis
import sys

from tensh.functorch.dim.dimensions import Dim, DimList

STORES = {
    "STORE_FAST": 1, "STORE_NAME": 1, "STORE_GLOBAL": 1, "STORE_DEREF": 1,
    "STORE_FAST_LOAD_FAST": 1, "STORE_FAST_STORE_FAST": 2,
}  # fmt: skip
"""Instructions that store to variables -> how many of their names are stored to."""


def dims(n=None, sizes=None):
    """Make dimensions, one or a tuple of ``n``, with the names of the variables on the left; ``sizes`` may have None.

    Raise SyntaxError where neither arguments nor variables tell how many.

    >>> from tensh.functorch.dim import dims
    >>> batch, channel = dims(sizes=[None, 3])
    >>> batch, channel, channel.size
    (batch, channel, 3)
    """
    return make_all(lambda name, size: Dim(name, -1 if size is None else size), "dims", n, sizes)


def dimlists(n=None, sizes=None):
    """Make lists of dimensions in the same way; a size is a length or the sizes of dimensions.

    >>> from tensh.functorch.dim import dimlists
    >>> rest, pair = dimlists(sizes=[None, 2])
    >>> rest, pair
    (*rest, (pair0, pair1))
    """
    return make_all(make_list, "dimlists", n, sizes)


def make_list(name, size):
    made = DimList(name=name)
    if isinstance(size, int):
        made.bind_len(size)
    elif size is not None:
        made.bind_len(len(size))
        for each, known in zip(made, size, strict=True):
            if known is not None:
                each.size = known
    return made


def make_all(make, function, n, sizes):
    """Make one object or a tuple for the caller of the caller."""
    names = list_targets(sys._getframe(2))
    count = n if n is not None else len(sizes) if sizes is not None else len(names)
    if not count and n is None and sizes is None:
        raise SyntaxError(f"{function}() must be assigned to a sequence of variable names or have argument n specified")
    if sizes is not None and len(sizes) != count:
        raise ValueError(f"expected {count} sizes but found {len(sizes)}")
    if len(names) != count or None in names:
        names = [f"d{place}" for place in range(count)]
    made = tuple([make(name, size) for name, size in zip(names, sizes or [None] * count, strict=True)])
    return made[0] if count == 1 else made


def list_targets(frame):
    """Return the names of the variables that the running call of a frame is assigned to, None for other targets."""
    steps = (each for each in dis.get_instructions(frame.f_code) if each.offset > frame.f_lasti)
    first = next(steps)
    if first.opname != "UNPACK_SEQUENCE":
        return read_names(first)[:1]
    names = []
    while len(names) < first.arg:
        names += read_names(next(steps)) or [None]
    return names[: first.arg]


def read_names(step):
    """Return the names that an instruction stores to."""
    values = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    return list(values[: STORES.get(step.opname, 0)])
