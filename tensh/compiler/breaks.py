"""Why a function is not compiled."""

import os


class ReadMismatch(Exception):
    """Elements that Python reads while a graph runs differ from those it read when the graph was captured."""


class Unsupported(RuntimeError):
    """A function cannot become one graph, and ``fullgraph`` asks for one."""

    __module__ = "torch._dynamo.exc"


class BackendCompilerFailed(RuntimeError):
    """A back end of the user raised what is the cause of this."""

    __module__ = "torch._dynamo.exc"


class Break(Exception):
    """Something in a function that a compiled graph cannot do; ``place`` is where (see dispatch/capture/places), or None.

    ``wrong`` says that the function itself fails, which no parts of it would make good.
    """

    def __init__(self, reason, place=None, wrong=False):
        super().__init__(reason)
        self.reason, self.place, self.wrong = reason, place, wrong

    @property
    def trail(self):
        """(code, line) of the frames that led here, the innermost first."""
        return () if self.place is None else self.place.trail

    def __str__(self):
        if self.place is None:
            return self.reason
        return f"{self.reason}, {os.path.basename(self.place.filename)}, line {self.place.line}"
