"""Notes that teach: what a learner should know of code that runs, and does something else than was meant. Once each.

Nothing is watched before the engine is there, and nothing in programs that run without tensh's command line.
"""

import contextlib
import sys
from functools import partial
from importlib.machinery import PathFinder
from typing import NamedTuple

from tensh.cli.session.failure import Place, is_users, place_of, users_frame

ENGINE = "tensh.engine.core.backward"  # the module that is watched
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
        self.waiting = None  # for the engine

    def look(self):
        """Begin to watch before a statement runs: at once, or when the engine is loaded."""
        if "accumulated" in self.told:
            return
        if self.passes:
            self.passes.begin()
        elif ENGINE in sys.modules:
            self.begin()
        elif self.waiting is None:
            self.waiting = WhenLoaded(ENGINE, self.begin)
            sys.meta_path.insert(0, self.waiting)

    def begin(self):
        from tensh.cli.session.passes import Passes

        self.passes = Passes(self.summed, lambda: self.is_eager)
        self.passes.begin()

    def close(self):
        """Watch no more."""
        if self.passes:
            self.passes.end()
        if self.waiting in sys.meta_path:
            sys.meta_path.remove(self.waiting)

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
        from tensh.cli.session.remarks import remark_on_sums

        found = self.note("accumulated", frame, partial(remark_on_sums, leaves, lines))
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


class WhenLoaded:
    """A finder of modules that calls a function as soon as one of them has been loaded, and finds nothing itself."""

    def __init__(self, name, then):
        self.name = name
        self.then = then

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def loaded(module):
                load(module)
                self.then()

            spec.loader.exec_module = loaded
        return spec
