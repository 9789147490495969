"""The reasons why a function is not compiled."""

import os

from tensh.tracing.sizes.dims import TorchDynamoException


class ReadMismatch(Exception):
    """Elements that Python reads while a graph runs differ from those read during the capture."""


class Unsupported(TorchDynamoException):
    """A function cannot become one graph, as ``fullgraph`` requires."""

    __module__ = "torch._dynamo.exc"


class TorchRuntimeError(TorchDynamoException):
    """An operator fails in a function that must be one graph."""

    __module__ = "torch._dynamo.exc"


class FailOnRecompileLimitHit(TorchDynamoException):
    """More graphs would be compiled than are allowed, and there must be graphs for all calls."""

    __module__ = "torch._dynamo.exc"


class RecompileError(TorchDynamoException):
    """A function would be compiled once more, which a setting forbids."""

    __module__ = "torch._dynamo.exc"


class BackendCompilerFailed(TorchDynamoException):
    """A user-defined backend raised the exception that is the cause of this one."""

    __module__ = "torch._dynamo.exc"


class Aborted(BaseException):
    """The captured function is left where its graph ends, and run again from its beginning in parts."""


class Break(Exception):
    """An operation that a compiled graph cannot contain; ``place`` is its place (see dispatch/capture/places), or None.

    ``wrong`` means that the function itself fails, which splitting would not help; ``own``, that only graphs of tensh
    lack the operation, and not those of PyTorch, so that a function that must be one graph is not refused, but runs
    unchanged.  ``title`` is the first line of PyTorch's error, ``user`` tells whether that is a ``UserError``.
    """

    def __init__(self, reason, place=None, wrong=False, own=True, title=None, user=False):
        super().__init__(reason)
        self.reason, self.place, self.wrong, self.own, self.title, self.user = reason, place, wrong, own, title, user

    @property
    def trail(self):
        """(code, instruction) of the frames that led here, the innermost first."""
        return () if self.place is None else self.place.trail

    def __str__(self):
        if self.place is None:
            return self.reason
        return f"{self.reason}, {os.path.basename(self.place.filename)}, line {self.place.line}"
