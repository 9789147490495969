"""Models with an index: a single layer has none, the parts of a class have names, those of a Sequential numbers."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

WORDS = ("object is not subscriptable", "'str' object cannot be interpreted as an integer")
MOST_NAMES = 8


def explain_indexed_model(situation):
    """Return the Explanation of an index of a model, by the kind of its parts."""
    path = situation.place.path()
    place = next((n for n in reversed(range(len(path))) if isinstance(path[n], ast.Subscript)), None)
    if place is None or not any(map(situation.says, WORDS)):
        return None
    node, outer = path[place], path[place - 1]
    model, index = situation.look_up(node.value), getattr(node.slice, "value", None)
    if not is_module(model):
        return None
    explain = explain_named_parts if model._modules else explain_single_layer
    rule, new, advice = explain(model, ast.unparse(node.value), index, outer)
    fit = replace_node(situation.place, node, new) if new else None
    return Explanation("index", (), rule, (fit,) if fit else (), None if fit else advice)


def explain_named_parts(model, text, index, _outer):
    """Return (rule, code that works, advice) for `net["0"]` of a Sequential, and `net[0]` of a class with layers."""
    names = [*model._modules]
    if names[0] == "0":
        rule = _("the layers of {text} have numbers, from 0 to {last}").format(text=text, last=len(names) - 1)
        return rule, f"{text}[{index}]" if index in names else None, None
    rule = _("the layers of {text} have names: {names}").format(text=text, names=", ".join(names[:MOST_NAMES]))
    return rule, next((f"{text}.{name}" for n, name in enumerate(names) if index in (n, name)), None), None


def explain_single_layer(model, text, index, outer):
    """Return (rule, code that works, advice) for `layer[0]`, and `layer[0].weight`."""
    rule = _("{text} is a single layer, {kind}, without parts").format(text=text, kind=type(model).__name__)
    is_of_layer = isinstance(outer, ast.Attribute) and hasattr(model, outer.attr)
    return rule, text if is_of_layer else None, f"{text}.weight" if "weight" in model._parameters else None
