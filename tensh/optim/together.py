"""Small parameters are stepped together: their elements are copied into one array, updated by one call, and copied back.

Note [Small parameters together]
A step of Adam takes twelve calls of NumPy for each parameter, of which a small network has many: most of the time is the
cost of calls.  Rules are elementwise, so parameters with the same terms, which are those of one group after equally many
steps, get the same bits in one array.  Threads that share parameters take turns, so that none writes back what another
has changed since.
"""

from itertools import accumulate, pairwise
from math import prod

from numpy import dtype, empty, ndarray

from tensh.engine.core.clock import stamp_write
from tensh.optim.raw import update_in_pieces
from tensh.support.locks import make_shared_lock

FEWEST = 2
"""The fewest parameters to step together: for fewer, copies take longer than calls."""
LARGEST = 4096
"""The most elements of a small parameter, for the same reason."""
MOST = 1 << 15
"""The most elements of a batch, so that they stay in the cache."""
FLOATS = dtype("f4"), dtype("f8")
"""The dtypes of small parameters: numbers of others are rounded after each operation, or refused."""
KEPT = 8
"""The most batches of a group that are kept for the next step."""

turn = make_shared_lock()


class Division:
    """The parameters of a group: batches of small ones, and the places of all others among the members.

    ``members`` are (parameter, gradient, state), ``names`` those of state that has the parameter's shape.
    """

    def __init__(self, members, names):
        batches, self.others = divide(members, names)
        self.number = len(members)
        self.batches = [Batch(key, part, members) for key, places in batches.items() for part in cut(places, members)]
        self.arrays = [members[i][0].array for i in self.others]
        # an array of another type belongs to a wrapper, whose elements are elsewhere
        never_small = all([type(a) is ndarray and (a.size > LARGEST or a.base is not None) for a in self.arrays])
        self.lasts = never_small and len(self.batches) <= KEPT

    def fits(self, members):
        """Return True if these members would be divided in the same way."""
        return (
            self.lasts
            and self.number == len(members)
            and all([members[i][0].array is array for i, array in zip(self.others, self.arrays)])
            and all([batch.fits(members) for batch in self.batches])
        )


def divide(members, names):
    """Return (key -> places of the small parameters with this key, places of all others).

    The key of a batch is the dtype, the number of steps, and the names of state that the parameters have.
    """
    batches, others, seen = {}, [], set()
    for place, (p, grad, state) in enumerate(members):
        a, g = p.array, grad.array
        found, steps = (), None
        if state:
            found = [name for name in names if state.get(name) is not None]
            steps = state["step"].array.item() if "step" in state else None
        if (
            type(a) is type(g) is ndarray
            and a.size <= LARGEST
            and a.base is None  # a view may share elements with another parameter
            and a.dtype in FLOATS
            and a.dtype is g.dtype
            and len(state) == len(found) + (steps is not None)  # rules with more state may have different terms
            and id(a) not in seen  # two parameters may have the same data
        ):
            seen.add(id(a))
            batches.setdefault((a.dtype, steps, *found), []).append(place)
        else:
            others.append(place)
    for key in [key for key, places in batches.items() if len(places) < FEWEST]:
        others += batches.pop(key)
    return batches, others


def cut(places, members):
    """Yield the places in parts with at most MOST elements."""
    part, size = [], 0
    for place in places:
        size += members[place][0].array.size
        if size > MOST:
            yield part
            part, size = [], members[place][0].array.size
        part.append(place)
    yield part


class Batch:
    """Small parameters that are stepped together, and the arrays that hold their elements; ``places`` among the members."""

    def __init__(self, key, places, members):
        self.kind, steps, *self.names = key
        self.places, self.is_counted = places, steps is not None
        self.arrays = [members[i][0].array for i in places]
        self.whole, self.parts = make_room(self.kind, 2 + len(self.names), *[array.shape for array in self.arrays])

    def fits(self, members):
        """Return True if the members at the places have these arrays, and gradients and state of the same form."""
        kind, names, is_counted = self.kind, self.names, self.is_counted
        number, counts = len(names) + is_counted, set()
        for place, array in zip(self.places, self.arrays):
            p, grad, state = members[place]
            g = grad.array
            if p.array is not array or type(g) is not ndarray or g.dtype is not kind or len(state) != number:
                return False
            for name in names:
                if state.get(name) is None:
                    return False
            if is_counted:
                counts.add(state["step"].array.item())
        return len(counts) <= 1

    def step(self, members, change):
        """Change the parameters by a function that updates arrays."""
        members = [members[i] for i in self.places]
        columns = [self.arrays, [grad.array for _, grad, _ in members]]
        columns += [[state[name].array for _, _, state in members] for name in self.names]
        with turn:
            for views, column in zip(self.parts, columns):
                for view, array in zip(views, column):
                    view[...] = array
            update_in_pieces(change, self.whole, self.names)  # without memory for it, the parameters stay as they were
            for views, column in zip(self.parts, columns):
                if column is not columns[1]:
                    for view, array in zip(views, column):
                        array[...] = view
        for array in self.arrays:
            stamp_write(array)


def make_room(kind, number, *shapes):
    """Return ``number`` arrays, and for each its parts of these shapes."""
    ends = [*accumulate(map(prod, shapes), initial=0)]
    whole = [empty(ends[-1], kind) for _ in range(number)]
    return whole, [[each[i:j].reshape(shape) for (i, j), shape in zip(pairwise(ends), shapes)] for each in whole]
