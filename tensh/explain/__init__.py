"""Explanations of failures: the values that the code was given, the rule they broke, and what would have worked.

No user code runs again: operands are read from the traceback, causes are found in the source, and fixes are tried on
stand-ins with the shapes and dtypes of the operands.
"""

from tensh.explain.calls import find_failed_call
from tensh.explain.causes import Situation, cause_of
from tensh.explain.causes.arguments.signatures import explain_lacking
from tensh.explain.causes.arguments.sizes import explain_fraction
from tensh.explain.causes.data.loss_shapes import explain_loss_shapes
from tensh.explain.causes.models.layers import fit_layer
from tensh.explain.causes.names.none import explain_given_none
from tensh.explain.causes.values.dimensions import explain_dimensions
from tensh.explain.rules import rule_for
from tensh.explain.search.searching import explain_by_search, leave_out_failing
from tensh.explain.situation import first_explanation
from tensh.explain.source.assignments import list_unseen
from tensh.explain.source.iterations import find_iteration
from tensh.explain.source.place import Place, find_whole_call
from tensh.explain.source.whole_lines import whole_lines
from tensh.explain.trials.afterwards import afterwards
from tensh.support.language import close_up

__all__ = ["Place", "explain"]

LAST = (
    explain_by_search, explain_fraction, explain_dimensions, explain_loss_shapes, explain_lacking, explain_given_none,
)  # fmt: skip
"""Explanations that are tried where neither a cause nor a rule is known."""


def explain(error, traceback, place):
    """Return the Explanation of an error; None if there is nothing to add to its message.

    ``traceback`` is that of the user's innermost frame, ``place`` the code that failed there.
    """
    place = place and find_whole_call(place)
    names = {**traceback.tb_frame.f_globals, **traceback.tb_frame.f_locals}
    call = find_failed_call(traceback, place)
    situation = Situation(error, names, place, call)
    found = cause_of(situation) or (call and rule_for(call, error)) or None
    if found is not None and not found.fits and call is not None and call.module is not None:
        found = fit_layer(found, situation)
    found = found or first_explanation(LAST, situation)
    if found is None:
        return None
    found = found._replace(
        fits=whole_lines(place, leave_out_failing(situation, found.fits)),
        rule=close_up(found.rule),
        advice=found.advice and close_up(found.advice),
        then=afterwards(call, found.fits[0]) if call and found.fits and not found.fits[0].line else None,
        made=tuple(list_unseen(place, [operand.text for operand in found.operands])),
        turn=find_iteration(place, names),
    )
    if call is None or call.module is None:
        return found
    operands = tuple(each._replace(text=each.text or "input") for each in found.operands)
    return found._replace(operation=call.name, operands=operands)
