"""The first flaw in a backward pass: the operation after which gradients are nan, infinite, or all zero."""

import re

import numpy as np

from tensh.engine.core.nodes import Parts
from tensh.graph import kept, tokens
from tensh.graph.elements import elements
from tensh.support.language import _, deferred

LONGEST = 40  # columns of a piece of code
TESTS = {
    "NaN": lambda a: bool(np.isnan(a).any()),
    "inf": lambda a: bool(np.isinf(a).any()),
    deferred("all zero"): lambda a: a.size > 0 and not a.any(),
}


def flaw(gradient):
    """Return the name of a gradient's flaw; None if there is none."""
    arrays = gradient.values() if type(gradient) is Parts else [gradient]
    numbers = [a.astype(np.float32) if a.dtype.kind == "V" else a for a in map(elements, arrays) if a is not None]
    return next((name for name, test in TESTS.items() if numbers and all(map(test, numbers))), None)


def source(done, number, name):
    """Return (node, index of its edge) where a flaw originates: the newest node that sends but does not receive it."""
    waiting, seen, found = [number], {number}, []
    while waiting:
        below = waiting.pop()
        for user, i in done.senders[below]:
            if flaw(done.brought[user, i]) != name:
                continue
            if flaw(done.arrived[user]) != name:
                found.append((user, i))
            elif user not in seen:
                seen.add(user)
                waiting.append(user)
    return max(found, default=None)


def find_zero_factor(graph, number, i):
    """Return the name of an operand that is all zero and a factor of the gradient along an edge; None without one."""
    node, formula = graph.order[number - 1], graph[number].edges[i].formula or ""
    parameters = list(getattr(node, "derivatives", ()))
    for role, value in zip(node.roles, kept.saved_by(node), strict=False):
        is_operand = type(role) is int and 0 <= role < len(parameters) and hasattr(value, "dtype")
        if not is_operand or not re.search(rf"\b{parameters[role]}\b(?!\.)", formula):
            continue
        if flaw(value) == "all zero":
            at = graph.numbers.get(node.inputs[role])
            return graph[at].short if at else graph.constants.get(id(value))
    return None


REASONS = {"all zero": deferred("nothing passes {}"), "NaN": deferred("first in {}"), "inf": deferred("first in {}")}


def describe_flaw(done, number):
    """Describe the flaw of the gradient at a node, and its origin; return None if there is none."""
    name = flaw(done.arrived[number])
    if name is None:
        return None
    began = source(done, number, name)
    if began is None:
        return _(name)
    node, factor = done.graph[began[0]], find_zero_factor(done.graph, *began) if name == "all zero" else None
    line = "" if node.place is None or node.place.startswith("<") else f"  {node.place.rpartition('/')[2]}"
    where = tokens.shorten(node.label or node.part_of or node.operation, LONGEST)
    reason = (
        _("so is {factor}, its factor in {where}").format(factor=tokens.shorten(factor, LONGEST), where=where)
        if factor
        else _(REASONS[name]).format(where)
    )
    return f"{_(name)}: {reason}{line}"
