"""Where in the user's code a recorded operation was made.

While ``recording()`` is on, the tick that a node takes knows the instruction that asked for it, so the place lives and
dies with the node and no table grows.  Off, nothing is there at all: the engine's own counter is called.
"""

import contextlib
import os
import sys

from tensh.engine.clock import tick
from tensh.engine.watching import give_no_ticks, give_ticks
from tensh.graph.kept import Keeping

OURS = ("<tensh ", os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
"""How the names of tensh's own files begin: those of the code that the engine writes, and those of the package."""


class Moment(int):
    """A tick that knows its place: the code object and the instruction that asked for it."""

    def later(self):
        """A new tick in the same place: a write dates its node anew."""
        return moment(tick(), self.code, self.instruction)


def moment(time, code, instruction):
    made = Moment(time)
    made.code, made.instruction = code, instruction
    return made


def placed_tick(getframe=sys._getframe):
    """A tick with the place of the innermost frame that is not tensh's own."""
    frame = getframe(1)
    while frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    return moment(tick(), frame.f_code, frame.f_lasti)


@contextlib.contextmanager
def recording():
    """Nodes recorded within know their place in the code, and what a backward pass gives back stays known (see kept)."""
    give_ticks(placed_tick)
    try:
        with Keeping():
            yield
    finally:
        give_no_ticks(placed_tick)


def place(node):
    """(code, instruction) that recorded a node; None where nobody took note."""
    time = node.time
    return (time.code, time.instruction) if type(time) is Moment else None
