"""Backward passes that add to gradients which were not reset.

The reset was certainly forgotten if a leaf was updated twice (by an optimizer, or by hand) without a reset in between:
intended accumulation resets after the step, and gradients of a model through which another one is trained are reset
before they are used. At a prompt a second pass is enough.
"""

import importlib
import weakref
from typing import NamedTuple

import numpy as np

from tensh.cli.session.failures.failure import users_frame
from tensh.cli.session.notes.observing import observing
from tensh.engine.core.clock import is_written_after, tick

backward = importlib.import_module("tensh.engine.core.backward")  # the package may still be loading

FIRST = 1000  # elements tested for a gradient of zeros
FEW = 8  # elements remembered of a leaf
NOTHING = np.empty(0)  # for a leaf that was freed
MOST_PASSES = 100  # passes examined of a statement: 5 us per leaf
MOST_LINES = 10  # lines of passes that are remembered


class Seen(NamedTuple):
    """The last pass that reached a leaf: its time, its lines and those it adds to, and whether a step came between.

    ``sample`` holds the leaf's values then: writes through ``.data`` leave no other trace. ``grad`` is the gradient
    after the pass: a different one was assigned by the program.
    """

    time: int
    lines: tuple[int, ...]
    is_stale: bool
    sample: bytes
    grad: weakref.ref | None = None


def first_elements(array, number):
    """Return the bytes of the first elements in memory: the values of a sparse array; none on the meta device."""
    values = array if isinstance(array, np.ndarray) else next(iter(array.parts), NOTHING)
    return values.flat[:number].tobytes()


class Passes:
    """Observes every backward pass before its gradients are accumulated in the leaves."""

    def __init__(self, tell, is_eager, after=None):
        self.tell = tell
        self.is_eager = is_eager
        self.after = after  # called with the leaves that a pass has reached
        self.seen = weakref.WeakKeyDictionary()
        self.left = 0  # passes left to examine
        self.hand_over = None  # the engine's function at the end of a pass, while replaced by this class's

    def begin(self):
        """Watch the next passes. A mistake shows in the first few iterations of a loop; later ones cost nothing."""
        self.left = MOST_PASSES
        if self.hand_over is None:
            self.hand_over, backward.finish = backward.finish, self.finish

    def end(self):
        """Stop watching."""
        if self.hand_over is not None:
            backward.finish, self.hand_over = self.hand_over, None

    def finish(self, grads, graph, wanted):
        """Examine a pass, then let the engine finish it."""
        hand_over = self.hand_over or backward.finish
        self.left -= 1
        if self.left < 0:
            self.end()
        elif wanted is None:
            with observing:
                self.look(grads)
        hand_over(grads, graph, wanted)
        if self.left >= 0 and wanted is None:
            self.remember(grads)
        if self.after is not None and wanted is None:
            self.after(grads)

    def look(self, leaves):
        """Record a pass that is about to reach some leaves; report a leaf whose gradient was never reset."""
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
        """Remember the gradients that a pass has left."""
        for leaf in leaves:
            if (seen := self.seen.get(leaf)) and leaf.grad is not None:
                self.seen[leaf] = seen._replace(grad=weakref.ref(leaf.grad))
