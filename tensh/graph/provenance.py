"""Where in the user's code a recorded operation was made.

While ``recording()`` is on, the tick that a node takes knows the instruction that asked for it, so the place lives and
dies with the node and no table grows.  Off, nothing is there at all: the engine's own counter is called.
"""

import contextlib
import os
import sys

from tensh.engine.table import ENVIRONMENT
from tensh.graph.kept import Keeping

OURS = ("<tensh ", os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
"""How the names of tensh's own files begin: those of the code that the engine writes, and those of the package."""


class Moment(int):
    """A tick that knows its place: the code object and the instruction that asked for it."""


def placed(next_tick, getframe=sys._getframe):
    """The function ``next_tick``, with the place of the innermost frame that is not tensh's own."""

    def placed_tick():
        frame = getframe(1)
        while frame.f_code.co_filename.startswith(OURS):
            frame = frame.f_back
        made = Moment(next_tick())
        made.code, made.instruction = frame.f_code, frame.f_lasti
        return made

    return placed_tick


@contextlib.contextmanager
def recording():
    """Nodes recorded within know their place in the code, and what a backward pass gives back stays known (see kept)."""
    before = ENVIRONMENT["tick"]
    ENVIRONMENT["tick"] = placed(before)
    try:
        with Keeping():
            yield
    finally:
        ENVIRONMENT["tick"] = before


def place(node):
    """(code, instruction) that recorded a node; None where nobody took note."""
    time = node.time
    return (time.code, time.instruction) if type(time) is Moment else None
