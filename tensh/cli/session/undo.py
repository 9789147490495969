"""Undoing a line: its changes of names, of tensor values, and of gradients.

Before a line runs, the names are recorded, and the tensors behind them copied up to a total size: a write in place
leaves no other trace. Large values are not kept alive.
"""

import sys
import weakref

from tensh.show.reading.describe import amount, is_array, nbytes, without_overrides
from tensh.show.tables.containers import is_container, items
from tensh.support.language import _

MOST_COPIED = 16 * 2**20  # bytes of all copies
MOST_ARRAYS = 1000  # arrays examined before each line
LONGEST = 100  # items of a container that are examined
MOST_KEPT = 256 * 2**20  # bytes kept alive
ABSENT = object()
NOBODYS = ("_", "__", "___", "__builtins__")  # names that are not the user's
SLOTS = ("array", "node", "_base", "_view_info", "_time", "_kept")  # the slots of a Tensor


class CannotUndo(Exception):
    """Raised if a line cannot be undone; the message says why."""


class Snapshot:
    """The session before a line; after the line its changes."""

    def __init__(self, session, entry):
        self.entry = entry
        self.namespace = session.namespace
        self.large = set()  # ids of values that are not kept alive
        self.states = []
        kept, copied = MOST_KEPT, MOST_COPIED
        for name, array in arrays(session.namespace):
            size = nbytes(array)
            if size > kept:
                self.large.add(id(array))
            else:
                kept -= size
            state = State(name, array, copied, id(array) in self.large)
            copied -= state.copied
            self.states.append(state)
        self.names = dict(session.namespace)  # this copy takes 10 ns per name
        for name in NOBODYS:
            self.names.pop(name, None)
        for name, value in self.names.items() if self.large else ():
            if id(value) in self.large:
                self.names[name] = weakref.ref(value)
        self.added = self.replaced = None
        self.cost = 0  # bytes kept alive

    def compare(self):
        """Determine the changes since; return whether there are any."""
        now = self.namespace
        self.added = [name for name in now if name not in self.names and name not in NOBODYS]
        self.replaced = {name: was for name, was in self.names.items() if now.get(name, ABSENT) is not value_of(was)}
        self.states = [state for state in self.states if state.is_changed()]
        self.names = None
        kept = arrays({name: value_of(was) for name, was in self.replaced.items()})
        self.cost = sum(state.copied for state in self.states) + sum(nbytes(array) for _, array in kept)
        return bool(self.changes())

    def changes(self):
        """Return the names that the line made, replaced or wrote to."""
        own = [name for name in (*self.added, *self.replaced) if type(name) is str and not name.startswith("_")]
        return [*dict.fromkeys([*own, *self.names_written()])]

    def names_written(self):
        """Return the names of tensors and arrays that the line wrote to."""
        return [state.name for state in self.states]

    def restore(self):
        """Restore the session, completely or, raising CannotUndo, not at all."""
        for name, was in self.replaced.items():
            if value_of(was) is None is not was:
                raise CannotUndo(_("{name} was too large to keep").format(name=name))
        for state in self.states:
            if not state.is_copied:
                why = (
                    _("is too large for a copy ({amount})").format(amount=amount(state.size))
                    if state.is_ours
                    else _("is not a tensor of tensh")
                )
                raise CannotUndo(_("{name} was changed in place, and {why}").format(name=state.name, why=why))
        for name in self.added:
            self.namespace.pop(name, None)
        self.namespace.update({name: value_of(was) for name, was in self.replaced.items()})
        for state in self.states:
            state.restore()


def read_generator():
    """Return the state of torch's random numbers: the seed before the first draw, then bytes (0.1 ms); None if unused."""
    module = sys.modules.get("tensh.engine.random.generator")
    if module is None:
        return None
    generator = module.default_generator
    return generator.first_seed if generator.untouched else generator.get_state().array.tobytes()


def set_generator(state):
    """Set the state of torch's random numbers."""
    import numpy as np

    from tensh.engine.core.tensor import wrap
    from tensh.engine.random.generator import default_generator

    if isinstance(state, int):
        default_generator.manual_seed(state)
    else:
        default_generator.set_state(wrap(np.frombuffer(bytearray(state), np.uint8)))


def value_of(kept):
    """Return the kept value; for a weak reference its target, None if it was freed."""
    return kept() if type(kept) is weakref.ref else kept


@without_overrides
def version_of(value):
    """Return how often a tensor was written in place; 0 for a NumPy array."""
    return getattr(value, "_version", 0)


class State:
    """The state of a tensor or array: a copy of its values if there is room, its autograd node, its gradient."""

    def __init__(self, name, value, room, is_large):
        self.name = name
        self.value = weakref.ref(value) if is_large else value
        self.version = version_of(value)
        self.slots = {slot: getattr(value, slot, ABSENT) for slot in SLOTS[is_large:]} if hasattr(value, "node") else {}
        self.grad = getattr(self.slots.get("node"), "grad", None)
        arrays = [getattr(value, "array", value)] + ([] if self.grad is None else [self.grad.array])
        parts = [part for array in arrays for part in getattr(array, "parts", [array])]  # parts of a sparse one
        self.size = sum(part.nbytes for part in parts)
        self.is_ours = all(hasattr(part, "flags") for part in parts)
        can_be_copied = self.is_ours and all(part.flags.writeable for part in parts)
        self.is_copied = can_be_copied and not is_large and self.size <= room
        self.copied = self.size if self.is_copied else 0
        self.parts = [(part, part.copy()) for part in parts] if self.is_copied else []

    def is_changed(self):
        """Return True if the tensor has changed."""
        value = value_of(self.value)
        if value is None:  # freed: a change could not be observed
            return False
        slots = any(getattr(value, slot, ABSENT) is not was for slot, was in self.slots.items() if slot != "_time")
        if slots or self.grad is not getattr(self.slots.get("node"), "grad", None):
            return True
        if not self.is_copied:
            return version_of(value) != self.version
        return any(differ(part, copy) for part, copy in self.parts)

    def restore(self):
        """Restore the state. For autograd this is not a write: it still refuses values that it saved in between."""
        for part, copy in self.parts:
            if differ(part, copy):
                part[...] = copy
        for slot, was in self.slots.items():
            if was is not ABSENT:
                setattr(self.value, slot, was)
        if hasattr(self.slots.get("node"), "grad"):
            self.slots["node"].grad = self.grad


def differ(one, other):
    """Return True if two arrays of equal shape and dtype differ in any bit."""
    if one.dtype.kind == "O":
        return one.tobytes() != other.tobytes()
    import numpy as np  # imported late: the prompt is painted before there is a tensor

    size = one.itemsize
    bits = np.dtype(f"u{size}" if size in (1, 2, 4, 8) else f"V{size}")
    return not np.array_equal(one.view(bits), other.view(bits))


def arrays(names):
    """Yield (name, array) for the tensors and arrays among names, in modules and in short containers."""
    seen, kinds = set(), {}
    for name, value in names.items():
        kind = type(value)
        if kind not in kinds:
            kinds[kind] = find_array_walker(value)
        for each in arrays_in(kinds[kind], value):
            if len(seen) == MOST_ARRAYS:
                return
            if id(each) not in seen:
                seen.add(id(each))
                yield name, each


def arrays_in(inside, value):
    """Return the arrays in a value; none if user code fails."""
    try:
        return [each for each in inside(value) if is_array(each) and nbytes(each) >= 0] if inside else ()
    except KeyboardInterrupt:
        raise
    except BaseException:  # raised by the user's class
        return ()


def find_array_walker(value):
    """Return a function that lists the arrays in values of this type; None if they hold none."""
    if is_array(value):
        return lambda value: [value]
    if is_container(value):
        return lambda value: [item for _, item in items(value)] if len(value) <= LONGEST else ()
    if not issubclass(type(value), type) and callable(getattr(type(value), "named_parameters", None)):
        return lambda value: [parameter for _, parameter in value.named_parameters()]
    return None
