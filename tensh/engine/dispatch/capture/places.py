"""The origin of a call: the user's instruction, the functions around it, and the modules being called.

Both recorders use it, the one of operators (``recorder``) and the one of PyTorch's public functions (tensh/tracing).
"""

import sys
from typing import NamedTuple

from tensh.engine.errors.warnings import is_tensh_file

CALL = "Calls.__call__"  # every module call passes through it


class Place(NamedTuple):
    """The user's instruction from which a line came: see tensh/graph/source.py.

    ``trail`` has (code, instruction) of every frame, the innermost first.
    """

    code: object
    instruction: int
    line: int
    trail: tuple = ()

    @property
    def filename(self):
        return self.code.co_filename


def find_place(depth=2):
    """Return (the user's running instruction, the modules being called, the outermost first)."""
    return read_frames(sys._getframe(depth))


def read_frames(frame):
    """Find the user's instruction, from a frame outwards."""
    found, modules, trail = None, [], []
    while frame is not None:
        code = frame.f_code
        if code.co_qualname == CALL:
            modules.append(frame.f_locals["self"])
        elif found is None and not is_tensh_file(code.co_filename):
            found = code, frame.f_lasti, frame.f_lineno
        trail.append((code, frame.f_lasti))
        frame = frame.f_back
    return None if found is None else Place(*found, tuple(trail)), tuple(reversed(modules))
