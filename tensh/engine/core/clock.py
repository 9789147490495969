"""The counter that orders recorded nodes and in-place writes, the write stamps, and the modes of each thread.

Note [One clock]
A node takes a tick when it is recorded; a write takes a tick and stamps the memory it wrote.  So newest node first is a
topological order, and a saved array, or a view, is stale if its memory was stamped after the tick of the node, or of the view.
Each check starts with one comparison against ``clock.last_write``, so that a program without writes in place pays nothing.
"""

import threading
import weakref
from collections import deque
from functools import partial
from itertools import count

from numpy import ndarray

tick = count(1).__next__

listeners = []  # called with (node, tensors) for every recorded operation: see ``listen``


def announce(node, tensors):
    """Tell the listeners that ``node`` was recorded for ``tensors``; generated code calls this only if there is one."""
    for listener in tuple(listeners):
        listener(node, tensors)


def listen(listener):
    """Call ``listener(node, tensors)`` for every operation that a generated function records.

    Without listeners, the check costs a recorded operation 10 ns.  A listener that is added twice is still called once
    per operation, and stays until it has been removed twice.
    """
    _times[listener] = _times.get(listener, 0) + 1
    if _times[listener] == 1:
        listeners.append(listener)


def unlisten(listener):
    """Undo one ``listen(listener)``."""
    _times[listener] -= 1
    if not _times[listener]:
        del _times[listener]
        listeners.remove(listener)


_times: dict = {}  # listener -> how often it was added


FORWARD = "forward"  # value of ``mode.grad`` where tangents are carried but no gradient is recorded


class Modes(threading.local):
    """The state that PyTorch keeps per thread; every new thread starts with the class attributes."""

    grad = True
    off = False  # value that ``no_grad`` gives ``grad``: FORWARD while a level of forward accumulation is open
    levels = ()  # open levels of forward accumulation, outermost first: see autograd/tangent_levels.py
    held = None  # while a level is open: tensors whose nodes are dropped when it closes
    forward = True  # whether tangents may be carried
    transforms = ()  # the running calls of torch.func, outermost first: see autograd/transforms.py
    inference = False
    running = None  # state of the innermost backward pass: see the end of core/backward.py
    inspect = None  # function that inspects the gradients of every node: see autograd/anomaly.py
    watch = None  # makes the object that answers for a backward pass that a mode sees: see tensh/_aten/derivatives/watched.py
    check_nan = True
    device = None  # where new tensors are made, if not on the CPU: see dtypes/device.py
    devices = ()  # the devices of ``with`` statements, outermost first
    packing = ()  # pairs of pack and unpack hooks, the last one in force: see autograd/saved_tensors.py


mode = Modes()


class Clock:
    """The tick of the last write to any memory."""

    last_write = 0


clock = Clock()


def advance(time):
    """Take a new tick for what was recorded at ``time``, and keep the provenance of a tick that has one."""
    return tick() if type(time) is int else time.later()


class Stamp:
    """The writes to one block of memory: their number, the ticks of the last few, and the operation of the last one."""

    __slots__ = ("count", "times", "reference", "operation")

    KEPT = 256  # number of ticks kept: older ones would only make the version in an error message exact

    def __init__(self, owner):
        key = id(owner)
        self.count, self.operation = 0, None
        self.times = deque((float("-inf"),), maxlen=self.KEPT)  # so that there is always a last one
        self.reference = weakref.ref(owner, partial(stamps.pop, key))  # a function of C, which ^C does not interrupt


stamps: dict[int, Stamp] = {}  # id(memory owner) -> Stamp; removed when the owner is freed


def owner(array):
    """Return the array that owns the memory of ``array``: NumPy collapses chains of views, so one step leads there."""
    base = array.base
    if type(base) is ndarray:
        return base
    return array.root if type(array) is not ndarray and hasattr(type(array), "root") else array  # no elements


def stamp_write(array):
    """Stamp the memory of ``array`` for a write, before it where possible: ^C may come between the two."""
    try:  # saves 60 ns against looking for the owner and a missing stamp every time
        stamp = stamps[id(array if array.base is None else owner(array))]
    except KeyError:
        block = owner(array)
        stamp = stamps[id(block)] = Stamp(block)
    clock.last_write = time = tick()
    stamp.count += 1
    stamp.times.append(time)


def stamp_whole_write(array, operation):
    """Remember the operation that last wrote a tensor's whole memory, because error messages name it."""
    stamps[id(owner(array))].operation = operation, array.shape


def find_last_write(array):
    """Return the recorded operation that last wrote the memory of ``array``; None if no write was recorded."""
    stamp = stamps.get(id(owner(array)))
    if stamp is None or stamp.operation is None:
        return None
    operation, shape = stamp.operation
    return operation if array.shape == shape else "AsStrided"


def is_written_after(time, array):
    """Return True if the memory of ``array`` was written after ``time``."""
    stamp = stamps.get(id(owner(array)))
    return stamp is not None and stamp.times[-1] > time


def version(array):
    """Return the number of writes to the memory of ``array``."""
    stamp = stamps.get(id(owner(array)))
    return 0 if stamp is None else stamp.count


def continue_version(before, array):
    """Start the version of new memory at that of the memory it replaces."""
    stamp = stamps.get(id(owner(before)))
    if stamp is not None:
        block = owner(array)
        new = stamps[id(block)] = Stamp(block)
        new.count, new.times = stamp.count, stamp.times.copy()


def version_at(time, array):
    """Return the value of ``version(array)`` at ``time`` (exact for the last ``Stamp.KEPT`` writes)."""
    stamp = stamps.get(id(owner(array)))
    return 0 if stamp is None else stamp.count - sum(t > time for t in stamp.times)
