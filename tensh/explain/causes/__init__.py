"""Causes: why a value is what it is where the code failed, found in the source and in what names stand for."""

from tensh.explain.causes.gradients import absent_gradient
from tensh.explain.causes.graphs import explain_cut_graph, explain_second_pass, explain_several_numbers
from tensh.explain.causes.methods import explain_uncalled
from tensh.explain.causes.modules import (
    call_before_init,
    class_given_data,
    empty_parameters,
    find_misnamed_forward,
    recurrent_in_sequential,
    single_number,
    single_sample,
)
from tensh.explain.causes.situation import Situation

__all__ = ["Situation", "cause_of"]

CAUSES = (
    absent_gradient, explain_cut_graph, explain_several_numbers, explain_uncalled, explain_second_pass, call_before_init, find_misnamed_forward,
    empty_parameters, single_sample, class_given_data,
    recurrent_in_sequential, single_number,
)  # fmt: skip


def cause_of(situation):
    """The Explanation by the first cause that is found; None if none is."""
    for cause in CAUSES:
        found = cause(situation)
        if found is not None:
            return found
    return None
