"""The origin of a call: the user's instruction, the functions around it, and the modules being called.

Both recorders use it, the one of operators (``recorder``) and the one of PyTorch's public functions (tensh/tracing).
"""

import bisect
import dis
import functools
import os
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


@functools.cache
def list_instructions(code):
    """Return (offsets of all instructions, their names, for each whether it decides a branch, except in assertions)."""
    # since Python 3.14 NOT_TAKEN follows jumps, and does nothing
    found = [each for each in dis.get_instructions(code) if each.opname != "NOT_TAKEN"]
    names = [each.opname for each in found] + [""] * 4
    deciding = [branches(names[place : place + 5]) for place in range(len(found))]
    return [each.offset for each in found], names, deciding


def branches(names):
    """Return True if the first of some instructions decides a branch, or calls what is compared to decide one."""
    if names[0].startswith("CALL") and names[1].startswith("LOAD_"):
        names = names[3:] if names[2] == "COMPARE_OP" else names[2:]
    # since Python 3.13 a comparison asks for the truth itself
    if names[0] == "COMPARE_OP" and names[1].startswith("POP_JUMP"):
        names = names[1:]
    deciding = names[0].startswith(("POP_JUMP", "JUMP_IF", "UNARY_NOT", "TO_BOOL"))
    return deciding and names[1] not in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT")


def find_instruction(place):
    """Return the number of the instruction at a place, which may point into its cache."""
    return bisect.bisect_right(list_instructions(place.code)[0], place.instruction) - 1


def is_branch(place):
    """Return True if the instruction at a place asks for the truth of a value and goes on accordingly."""
    return list_instructions(place.code)[2][find_instruction(place)]


def is_call(place):
    """Return True if the instruction at a place is a call."""
    return "CALL" in list_instructions(place.code)[1][find_instruction(place)]


def is_negation(place):
    """Return True if the instruction at a place asks for the truth of a value for ``not``, and is no jump."""
    number, names = find_instruction(place), list_instructions(place.code)[1]
    return "UNARY_NOT" in (names[number], names[number + 1] if names[number] == "TO_BOOL" else None)


def is_launcher(frame):
    """Return True for the script by which the command ``tensh`` was started, which is no code of the user."""
    name = os.path.splitext(os.path.basename(frame.f_code.co_filename))[0]
    return frame.f_back is None and name in ("tensh", "tensh-script")


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
        elif found is None and not is_tensh_file(code.co_filename) and not is_launcher(frame):
            found = code, frame.f_lasti, frame.f_lineno
        trail.append((code, frame.f_lasti))
        frame = frame.f_back
    return None if found is None else Place(*found, tuple(trail)), tuple(reversed(modules))
