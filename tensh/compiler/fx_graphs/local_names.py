"""Names of nodes after the user's local variables: PyTorch names a value after the first variable that it is assigned to."""

import inspect

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import is_tensh_file

CAPTURE = "tensh.compiler.compiling"
"""The module whose frames are around the function that is captured."""


class LocalNames:
    """Finds the variables that have been assigned since the last look, also by calls that have returned meanwhile."""

    def __init__(self):
        self.given = {}  # frame -> {parameter: id of the value that the call has given}

    def find(self, frame):
        """Yield (name, tensor) of the variables of the user's functions that are running in a frame and around it."""
        running = {}
        while frame is not None and frame.f_globals.get("__name__") != CAPTURE:
            code = frame.f_code
            if not is_tensh_file(code.co_filename):
                values = frame.f_locals
                given = self.given.get(frame)
                if given is None:
                    given = {name: id(values[name]) for name in list_parameters(code) if name in values}
                running[frame] = given
                for name in code.co_varnames:
                    value = values.get(name)
                    if isinstance(value, Tensor) and given.get(name) != id(value):
                        yield name, value
            frame = frame.f_back
        self.given = running


def list_parameters(code):
    """Return the names of the parameters of a function."""
    more = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + more]


def is_iteration(frame):
    """Return True if a frame is called by the iteration over a tensor."""
    while frame is not None and is_tensh_file(frame.f_code.co_filename):
        if frame.f_code is Tensor.__iter__.__code__:
            return True
        frame = frame.f_back
    return False
