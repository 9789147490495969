"""Notes that teach: what a learner should know of code that runs, and does something else than was meant. Once each.

Nothing is watched before the engine is there, and nothing in programs that run without tensh's command line.
"""

import contextlib
import sys
from functools import partial
from typing import NamedTuple

from tensh.cli.session.failure import Place, is_users, place_of, users_frame

DECLARES = ("import ", "from ", "def ", "class ", "@", "async ")  # statements that compute nothing by themselves
NOT_A_LEAF = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."  # PyTorch's words


class Note(NamedTuple):
    """What there is to say about a place, under a name of its own, and what to do."""

    about: str
    place: Place
    message: str
    advice: str


class Teacher:
    """Looks at what a session does, and tells a function the notes on it."""

    def __init__(self, session, tell):
        self.session = session
        self.tell = tell
        self.told = set()
        self.is_eager = False  # at a prompt, where somebody looks at every number
        self.passes = None  # what is watched

    def look(self, unit):
        """Begin to watch before a statement that may use the engine."""
        if "accumulated" in self.told or ("torch" not in sys.modules and "tensh.engine" not in sys.modules):
            return
        if self.passes:
            self.passes.begin()
        elif "tensh.engine" in sys.modules or not unit.text.startswith(DECLARES):
            from tensh.cli.session.passes import Passes

            self.passes = Passes(self.summed, lambda: self.is_eager)
            self.passes.begin()

    def close(self):
        """Watch no more."""
        if self.passes:
            self.passes.end()

    def note(self, about, frame, words):
        """The Note on what a frame does; None if it was told before, or cannot be made."""
        if about in self.told or frame is None:
            return None
        self.told.add(about)
        with contextlib.suppress(Exception):
            place = place_of(frame, self.session.sources)
            return Note(about, place, *words(place, {**frame.f_globals, **frame.f_locals}))

    def summed(self, leaves, lines):
        """A backward pass adds to gradients that were not set back; `lines` are those of the passes so far."""
        frame = users_frame()
        if not is_users(frame.f_code.co_filename, self.session.sources):  # an example of a help page, say
            return
        from tensh.cli.session.remarks import summed

        found = self.note("accumulated", frame, partial(summed, leaves, lines))
        self.close()
        if found:
            self.tell(found)

    def on_warning(self, message, filename, line):
        """(the message in short, the Note that belongs to it or None) of a warning."""
        if not str(message).startswith(NOT_A_LEAF):
            return message, None
        from tensh.cli.session.remarks import not_a_leaf

        frame = sys._getframe(1)
        while frame and (frame.f_code.co_filename, frame.f_lineno) != (filename, line):
            frame = frame.f_back
        return NOT_A_LEAF, self.note("non-leaf", frame, not_a_leaf)
