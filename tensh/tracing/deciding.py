"""Decisions on elements of tensors in a draft: made for the example, and noted."""

import threading
from typing import NamedTuple

from tensh.engine.dispatch.capture.places import find_place
from tensh.tracing.places import describe_place

__all__ = ["Decided", "decide", "drafting"]


class Decided(NamedTuple):
    """A decision of a trace.

    Its condition, its outcome for the example, the user's line (file, number, function) with its text, and the number
    of the trace.
    """

    text: str
    outcome: object
    place: tuple
    line: str
    trace: int


class Drafting(threading.local):
    """The draft of a thread: a list of decisions, or None outside of one; and the number of traces so far."""

    decisions, traces = None, 0


drafting = Drafting()


def decide(text, outcome, refusal):
    """Return the outcome of a condition in a draft, and note it; outside of drafts raise ``refusal()``."""
    if drafting.decisions is None:
        raise refusal()
    found, _ = find_place()
    trace, place = describe_place(found) if found is not None else ("\n", ())
    drafting.decisions.append(Decided(text, outcome, place, trace.split("\n")[1].strip(), drafting.traces))
    return outcome
