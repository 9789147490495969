"""Small parameters are stepped together: their elements are copied into one array, updated by one call, and copied back.

Note [Small parameters together]
A step of Adam takes twelve calls of NumPy for each parameter, of which a small network has many: most of the time is the
cost of calls.  Rules are elementwise, so parameters with the same terms, which are those of one group after equally many
steps, get the same bits in one array.  Threads that share parameters take turns, so that none writes back what another
has changed since.
"""

import os
from itertools import accumulate, pairwise
from math import prod
from threading import Lock

from numpy import dtype, empty, ndarray

from tensh.engine.core.clock import stamp_write
from tensh.optim.raw import update_in_pieces

FEWEST = 2
"""The fewest parameters to step together: for fewer, copies take longer than calls."""
LARGEST = 4096
"""The most elements of a small parameter, for the same reason."""
MOST = 1 << 15
"""The most elements of a batch, so that they stay in the cache."""
FLOATS = dtype("f4"), dtype("f8")
"""The dtypes of small parameters: numbers of others are rounded after each operation, or refused."""
ROOMS = 8
"""The most batches whose arrays are kept for the next step."""

turn = Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=turn.acquire, after_in_parent=turn.release, after_in_child=turn.release)


def divide(members, arrays):
    """Divide the parameters of a group: (batches of small ones, all others).

    ``members`` are (parameter, gradient, state), ``arrays`` the names of state that has the parameter's shape.  The key of
    a batch is the dtype, the number of steps, and the names of such state.
    """
    batches, others, seen = {}, [], set()
    for member in members:
        p, grad, state = member
        a, g = p.array, grad.array
        names, steps = (), None
        if state:
            names = [name for name in arrays if state.get(name) is not None]
            steps = state["step"].array.item() if "step" in state else None
        if (
            type(a) is type(g) is ndarray
            and a.size <= LARGEST
            and a.base is None  # a view may share elements with another parameter
            and a.dtype in FLOATS
            and a.dtype is g.dtype
            and len(state) == len(names) + (steps is not None)  # rules with more state may have different terms
            and id(a) not in seen  # two parameters may have the same data
        ):
            seen.add(id(a))
            batches.setdefault((a.dtype, steps, *names), []).append(member)
        else:
            others.append(member)
    for key in [key for key, batch in batches.items() if len(batch) < FEWEST]:
        others += batches.pop(key)
    return batches, others


def cut(batch):
    """Yield the batch in parts of at most MOST elements."""
    part, size = [], 0
    for member in batch:
        size += member[0].array.size
        if size > MOST:
            yield part
            part, size = [], member[0].array.size
        part.append(member)
    yield part


def step_batch(key, batch, change, rooms):
    """Change the parameters of a batch by a function that updates arrays; ``rooms`` keeps arrays for the next step."""
    kind, _, *names = key
    columns = [[p.array for p, _, _ in batch], [grad.array for _, grad, _ in batch]]
    columns += [[state[name].array for _, _, state in batch] for name in names]
    room = kind, len(columns), *[array.shape for array in columns[0]]
    with turn:
        whole, parts = rooms[room] if room in rooms else make_room(*room)
        for views, column in zip(parts, columns):
            for view, array in zip(views, column):
                view[...] = array
        update_in_pieces(change, whole, names)
        for views, column in zip(parts, columns):
            if column is not columns[1]:
                for view, array in zip(views, column):
                    array[...] = view
        if len(rooms) >= ROOMS and room not in rooms:
            rooms.clear()
        rooms[room] = whole, parts
    for array in columns[0]:
        stamp_write(array)


def make_room(kind, number, *shapes):
    """Return ``number`` arrays, and for each its parts of these shapes."""
    ends = [*accumulate(map(prod, shapes), initial=0)]
    whole = [empty(ends[-1], kind) for _ in range(number)]
    return whole, [[each[i:j].reshape(shape) for (i, j), shape in zip(pairwise(ends), shapes)] for each in whole]
