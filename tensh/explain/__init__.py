"""Why an operation failed, in terms of what it was given, and what would have worked.

Nothing of the user's is run again: the operands are read off the traceback, and fixes are tried on stand-ins that have
their dtypes and their shapes, made small.
"""

from tensh.explain.afterwards import afterwards
from tensh.explain.calls import failed_call
from tensh.explain.making import turn, unseen
from tensh.explain.place import Place
from tensh.explain.rules import rule_for

__all__ = ["Place", "explain"]


def explain(error, traceback, place):
    """The Explanation of an error that came out of the engine; None where there is nothing to add to its message.

    ``traceback`` is that of the user's innermost frame, ``place`` the piece of code that failed there.
    """
    call = failed_call(traceback, place)
    found = call and rule_for(call, error)
    if not found:
        return found
    found = found._replace(
        then=afterwards(call, found.fits[0]) if found.fits else None,
        made=tuple(unseen(place, [operand.text for operand in found.operands])),
        turn=turn(place, call.names),
    )
    if call.module is None:
        return found
    operands = tuple(each._replace(text=each.text or "input") for each in found.operands)
    return found._replace(operation=call.name, operands=operands)
