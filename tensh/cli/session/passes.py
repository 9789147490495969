"""Backward passes that add to gradients which were never set back.

It is certain that they were forgotten when a leaf was written twice (by an optimizer, or by hand) with gradients that were
never set back in between: gradients summed on purpose are set back after the step, and those of a model that another
one is trained through are set back before they are used. At a prompt a second pass is enough.
"""

import contextlib
import importlib
import weakref
from typing import NamedTuple

import numpy as np

from tensh.cli.session.failure import users_frame
from tensh.engine.core.clock import is_written_after, tick
from tensh.engine.core.lift import Lift

backward = importlib.import_module("tensh.engine.core.backward")  # by its path: the package may still be loading

FIRST = 1000  # elements that say whether a gradient is all zeros
FEW = 8  # elements of a leaf that are remembered
NOTHING = np.empty(0)  # of a leaf that is gone
MOST_PASSES = 100  # of a statement that are looked at: 5 us for each leaf
MOST_LINES = 10  # of passes that are remembered


class Seen(NamedTuple):
    """The last pass that reached a leaf: when, the lines of it and those it adds to, whether a step was between them.

    The sample is of the leaf's values then: writes through ``.data`` leave no other trace. ``grad`` is the gradient that
    the pass left: another one was put there by the program.
    """

    time: int
    lines: tuple[int, ...]
    is_stale: bool
    sample: bytes
    grad: weakref.ref | None = None


def first_elements(array, number):
    """The bytes of the first elements that are in memory: of a sparse array those of its values, on the device meta none."""
    values = array if isinstance(array, np.ndarray) else next(iter(array.parts), NOTHING)
    return values.flat[:number].tobytes()


class Passes:
    """Sees every backward pass before its gradients are added to those of the leaves."""

    def __init__(self, tell, is_eager, after=None):
        self.tell = tell
        self.is_eager = is_eager
        self.after = after  # is called with the leaves that a pass has reached
        self.seen = weakref.WeakKeyDictionary()
        self.left = 0  # passes to look at
        self.hand_over = None  # the engine's own end of a pass, while this one is in its place

    def begin(self):
        """Watch the next passes. What is wrong shows in the first few of a loop, and the others cost nothing."""
        self.left = MOST_PASSES
        if self.hand_over is None:
            self.hand_over, backward.finish = backward.finish, self.finish

    def end(self):
        """Stop watching."""
        if self.hand_over is not None:
            backward.finish, self.hand_over = self.hand_over, None

    def finish(self, grads, graph, wanted):
        """The end of a pass, and a look at it before."""
        hand_over = self.hand_over or backward.finish
        self.left -= 1
        if self.left < 0:
            self.end()
        elif wanted is None:
            with contextlib.suppress(Exception, Lift):  # user code must not fail because of it
                self.look(grads)
        hand_over(grads, graph, wanted)
        if self.left >= 0 and wanted is None:
            self.remember(grads)
        if self.after is not None and wanted is None:
            self.after(grads)

    def look(self, leaves):
        """Note a pass that is about to reach some leaves; report a leaf whose gradient was never set back."""
        line, now = users_frame().f_lineno, tick()
        forgotten = {}
        for leaf in leaves:
            before, lines, is_stale = self.seen.get(leaf), (line,), False
            array = getattr(leaf.variable, "array", NOTHING)
            sample = first_elements(array, FEW)
            if before and leaf.grad is not None and (before.grad is None or before.grad() is leaf.grad):
                is_written = sample != before.sample or is_written_after(before.time, array)
                in_doubt = is_written or before.is_stale or self.is_eager()
                if not in_doubt or any(first_elements(leaf.grad.array, FIRST)):
                    lines, is_stale = (*before.lines[1 - MOST_LINES :], line), is_written or before.is_stale
                    if self.is_eager() or (is_written and before.is_stale):
                        forgotten[leaf] = lines
            self.seen[leaf] = Seen(now, lines, is_stale, sample)
        if forgotten:
            self.tell([*forgotten], max(forgotten.values(), key=len))

    def remember(self, leaves):
        """Keep which gradients a pass has left."""
        for leaf in leaves:
            if (seen := self.seen.get(leaf)) and leaf.grad is not None:
                self.seen[leaf] = seen._replace(grad=weakref.ref(leaf.grad))
