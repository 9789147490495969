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
def find_branches(code):
    """Return (the offsets of all instructions, for each whether it decides how the code goes on, except in assertions)."""
    found = list(dis.get_instructions(code))
    names = [each.opname for each in found] + [""] * 4
    return [each.offset for each in found], [branches(names[place : place + 5]) for place in range(len(found))]


def branches(names):
    """Return True if the first of some instructions decides how the code goes on, or is a call whose result is compared for that."""
    if names[0].startswith("CALL") and names[1].startswith("LOAD_"):
        names = names[3:] if names[2] == "COMPARE_OP" else names[2:]
    if names[0] == "COMPARE_OP" and names[1].startswith(
        "POP_JUMP"
    ):  # since Python 3.13 a comparison asks for the truth itself
        names = names[1:]
    deciding = names[0].startswith(("POP_JUMP", "JUMP_IF", "UNARY_NOT", "TO_BOOL"))
    return deciding and names[1] not in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT")


@functools.cache
def find_negations(code):
    """Return the offsets of the instructions that ask for the truth of a value in order to negate it."""
    found = list(dis.get_instructions(code))
    asks = [
        one
        for one, after in zip(found, found[1:], strict=False)
        if one.opname == "TO_BOOL" and after.opname == "UNARY_NOT"
    ]
    return {each.offset for each in (*asks, *[each for each in found if each.opname == "UNARY_NOT"])}


def is_branch(place):
    """Return True if the instruction at a place asks for the truth of a value and goes on accordingly."""
    offsets, deciding = find_branches(place.code)
    return deciding[bisect.bisect_right(offsets, place.instruction) - 1]  # which may point into its cache


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
