"""Python's instructions around a call of the user: which it is, and the variable to which the result is assigned."""

import bisect
import dis
from functools import cache


@cache
def instructions_of(code):
    """Return (instruction offsets, names, and the local variable in which the next one stores the result, or None)."""
    found = list(dis.get_instructions(code))
    stored = [stored_variable(each) for each in found[1:]]
    return [each.offset for each in found], [each.opname for each in found], [*stored, None]


def stored_variable(instruction):
    """Return the local variable that an instruction stores first; since Python 3.13 one can store and load two."""
    if not instruction.opname.startswith("STORE_FAST"):
        return None
    return instruction.argval[0] if isinstance(instruction.argval, tuple) else instruction.argval


def is_discarded(place):
    """Return True if the user's code calls a function for its effect: the next instruction drops the result."""
    if place is None:
        return False
    offsets, names, _ = instructions_of(place.code)
    number = bisect.bisect_right(offsets, place.instruction)
    return names[number : number + 1] == ["POP_TOP"]


def instruction_at(code, offset):
    """Return (name, variable) of the instruction at an offset, which may point into its cache."""
    offsets, names, stored = instructions_of(code)
    number = bisect.bisect_right(offsets, offset) - 1
    return names[number], stored[number]
