"""The text of the note on a loss that is nan: (message, advice, place)."""

import numpy as np

from tensh.cli.session.failures.failure import Place, place_of_code
from tensh.cli.session.notes.texts.losses import call_on_line
from tensh.explain.nans.origins import find_origins
from tensh.explain.nans.texts import advise, describe_origins
from tensh.graph.provenance import place as place_of_node
from tensh.graph.tokens import number
from tensh.graph.walk import Graph
from tensh.support.language import _

GROWTH = 100  # times as large as the first of the last losses: the steps were too long


def note_nan(root, before, sources, place, names):
    """Return the note on the root of a pass, which is nan; ``before`` are the losses of the passes before."""
    graph = Graph(root, names)
    origins = find_origins(graph)
    if not origins:
        return None
    first, last = origins[0], origins[-1]
    loss = graph[graph.root].variable or _("the loss")
    where = locate(first.node, sources) or find_call(place, first) or find_call(place, last)
    if first.kind == "leaf" and before:
        return on_leaf(loss, first, before)
    return describe_origins(loss, origins), take_smaller_steps() if has_grown(before) else advise(last), *where


def on_leaf(loss, origin, before):
    """Return the note on a leaf that is nan, mostly since a step."""
    name, shown = origin.text, ", ".join(map(number, before))
    message = _("{loss} is nan because {name} is, since the last step; the losses before: {shown}")
    message = message.format(loss=loss, name=name, shown=shown)
    if has_grown(before):
        return message, take_smaller_steps()
    return message, _("torch.autograd.set_detect_anomaly(True) before the loop stops at the derivative that is nan")


def has_grown(losses):
    """Return True if the losses before were infinite, or have grown much."""
    return bool(losses) and (not np.isfinite(losses[-1]) or abs(losses[-1]) > GROWTH * abs(losses[0]))


def take_smaller_steps():
    return _("take smaller steps: a lower learning rate, or gradients clipped before the step")


def find_call(place, origin):
    """Return [the place of the only call of an operation in the source], [] if there are more, or none."""
    line = call_on_line(place, origin.operation)
    return [Place(place.source, place.function, line)] if line else []


def locate(node, sources):
    """Return [the place where a node was recorded], [] if it is unknown."""
    made = place_of_node(node)
    if made is None or made[0].co_filename not in sources:
        return []
    code, instruction = made
    return [place_of_code(code, instruction, code.co_firstlineno, sources)]
