"""One counter orders recorded nodes and in-place writes; here are the counter, the write stamps and the modes.

Note [One clock]
A node takes a tick when it is recorded, a write takes a tick and stamps the memory it wrote.  Nothing else is
needed for three questions: newest node first is a topological order; a saved array is stale if its memory was
stamped after the node's tick; a view is stale if its memory was stamped after the view's tick.  Each check starts
with one comparison against ``clock.last_write``, so a program that never writes in place pays nothing.
"""

import threading
import weakref
from collections import deque
from itertools import count

from numpy import ndarray

tick = count(1).__next__

listeners = []  # called with (node, tensors) of every operation when it is recorded: see listen


def announce(node, tensors):
    """Tell the listeners that ``node`` was recorded for ``tensors``; written functions ask first whether there is one."""
    for listener in tuple(listeners):
        listener(node, tensors)


def listen(listener):
    """Call ``listener(node, tensors)`` for every operation that is recorded by a written function.

    While there is no listener, the question costs a recorded operation 10 ns.  A listener that is added twice is called
    once, until it has been removed as often.
    """
    _times[listener] = _times.get(listener, 0) + 1
    if _times[listener] == 1:
        listeners.append(listener)


def unlisten(listener):
    """Take back one ``listen(listener)``."""
    _times[listener] -= 1
    if not _times[listener]:
        del _times[listener]
        listeners.remove(listener)


_times: dict = {}  # listener -> how often it was added


FORWARD = "forward"  # what ``mode.grad`` is where no gradient is recorded and tangents are carried on all the same


class Modes(threading.local):
    """What PyTorch keeps per thread.  The class attributes are every new thread's start."""

    grad = True
    off = False  # what ``no_grad`` makes of ``grad``: FORWARD while a level of forward accumulation is open
    levels = ()  # those levels, outermost first: see autograd/tangent_levels.py
    held = None  # while a level is open: tensors that may have a node which they must not keep afterwards
    forward = True  # may tangents be carried at all?
    transforms = ()  # the running calls of torch.func, outermost first: see autograd/transforms.py
    inference = False
    running = None  # the innermost backward pass: see the end of core/backward.py
    inspect = None  # what looks at the gradients of every node: see autograd/anomaly.py
    check_nan = True
    packing = ()  # pairs of hooks for what a graph keeps, of which the last one counts: see autograd/saved_tensors.py


mode = Modes()


class Clock:
    """The tick of the last write to any memory."""

    last_write = 0


clock = Clock()


def later(time):
    """A new tick for what was recorded at ``time``; what else is known of that tick goes along."""
    return tick() if type(time) is int else time.later()


class Stamp:
    """The writes to one block of memory: how many, the ticks of the last few, and what recorded the last one."""

    __slots__ = ("count", "times", "reference", "operation")

    KEPT = 256  # older ticks are only needed to count versions in an error message

    def __init__(self, owner):
        key = id(owner)
        self.count, self.operation = 0, None
        self.times = deque(maxlen=self.KEPT)
        self.reference = weakref.ref(owner, lambda _: stamps.pop(key, None))


stamps: dict[int, Stamp] = {}  # id(memory owner) -> Stamp; an owner that dies takes its entry along


def owner(array):
    """The array that holds the memory of ``array``: NumPy collapses chains of views to it."""
    base = array.base
    return base if type(base) is ndarray else array


def wrote(array):
    """Stamp the memory of ``array``: it has just been written."""
    try:  # 60 ns less than asking for the owner and for a missing stamp every time
        stamp = stamps[id(array if array.base is None else owner(array))]
    except KeyError:
        block = owner(array)
        stamp = stamps[id(block)] = Stamp(block)
    clock.last_write = time = tick()
    stamp.count += 1
    stamp.times.append(time)


def wrote_as(array, operation):
    """Note which recorded operation made the last write into a tensor's whole memory: error messages name it."""
    stamps[id(owner(array))].operation = operation, array.shape


def written_by(array):
    """The recorded operation that a tensor over ``array`` comes from since it was written; None if no write was recorded."""
    stamp = stamps.get(id(owner(array)))
    if stamp is None or stamp.operation is None:
        return None
    operation, shape = stamp.operation
    return operation if array.shape == shape else "AsStrided"


def written_after(time, array):
    """Was the memory of ``array`` written after ``time``?"""
    stamp = stamps.get(id(owner(array)))
    return stamp is not None and stamp.times[-1] > time


def version(array):
    """How often the memory of ``array`` was written."""
    stamp = stamps.get(id(owner(array)))
    return 0 if stamp is None else stamp.count


def counted_on(before, array):
    """Count the writes to new memory on from those to the memory that it takes the place of."""
    stamp = stamps.get(id(owner(before)))
    if stamp is not None:
        block = owner(array)
        new = stamps[id(block)] = Stamp(block)
        new.count, new.times = stamp.count, stamp.times.copy()


def version_at(time, array):
    """What ``version(array)`` was at ``time`` (exact for the last ``Stamp.KEPT`` writes)."""
    stamp = stamps.get(id(owner(array)))
    return 0 if stamp is None else stamp.count - sum(t > time for t in stamp.times)
