"""The reasons why a function is not compiled."""

import os

ANSWERING = ("equal", "allclose", "is_nonzero", "__contains__")
"""Functions that read elements, and whose answers PyTorch cannot have in a graph."""


class ReadMismatch(Exception):
    """Elements that Python reads while a graph runs differ from those read during the capture."""


class Unsupported(RuntimeError):
    """A function cannot become one graph, as ``fullgraph`` requires."""

    __module__ = "torch._dynamo.exc"


class FailOnRecompileLimitHit(RuntimeError):
    """More graphs would be compiled than are allowed, and there must be graphs for all calls."""

    __module__ = "torch._dynamo.exc"


class RecompileError(RuntimeError):
    """A function would be compiled once more, which a setting forbids."""

    __module__ = "torch._dynamo.exc"


class BackendCompilerFailed(RuntimeError):
    """A user-defined backend raised the exception that is the cause of this one."""

    __module__ = "torch._dynamo.exc"


class Break(Exception):
    """An operation that a compiled graph cannot contain; ``place`` is its place (see dispatch/capture/places), or None.

    ``wrong`` means that the function itself fails, which splitting would not help; ``own``, that only graphs of tensh lack the
    operation, and not those of PyTorch, so that a function that must be one graph is not refused, but runs unchanged.
    """

    def __init__(self, reason, place=None, wrong=False, own=True):
        super().__init__(reason)
        self.reason, self.place, self.wrong, self.own = reason, place, wrong, own

    @property
    def trail(self):
        """(code, instruction) of the frames that led here, the innermost first."""
        return () if self.place is None else self.place.trail

    def __str__(self):
        if self.place is None:
            return self.reason
        return f"{self.reason}, {os.path.basename(self.place.filename)}, line {self.place.line}"
