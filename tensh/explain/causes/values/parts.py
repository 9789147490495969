"""Attributes that a part of the value has: a layer of a model, an element of a pair, a tensor of a batch."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import describe_shape
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _, list_names

MOST = 3  # attributes of parts that are listed
MOST_PARTS = 6
PAIRED = {
    "named_parameters": "name",
    "named_modules": "name",
    "named_children": "name",
    "named_buffers": "name",
    "items": "key",
}
"""Methods that return pairs, and the first element of each pair."""


def explain_part(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    if not isinstance(situation.error, AttributeError) or not isinstance(node, ast.Attribute):
        return None
    return first_explanation(
        (explain_attribute_of_pair, explain_attribute_of_part, explain_attribute_of_batch), situation, node
    )


def explain_attribute_of_pair(situation, node):
    """Explain `for p in net.named_parameters(): p.grad`."""
    if not situation.says("'tuple' object has no attribute") or not isinstance(node.value, ast.Name):
        return None
    line = situation.place.line
    for loop in ast.walk(situation.place.tree()):
        match loop:
            case ast.For(target=ast.Name(id=name) as target, iter=ast.Call(func=function)) if name == node.value.id:
                word = "i" if ast.unparse(function) == "enumerate" else PAIRED.get(getattr(function, "attr", None))
            case _:
                continue
        value = situation.names.get(name)
        if word is None or not loop.lineno <= line <= loop.end_lineno or not isinstance(value, tuple):
            continue
        if len(value) == 2 and hasattr(type(value[1]), node.attr):
            rule = _("{text} yields pairs, and {name} is one of them").format(text=ast.unparse(loop.iter), name=name)
            fit = replace_node(situation.place, target, f"{word}, {name}")
            return Explanation("loop", (), rule, (fit,)) if fit else None
    return None


def explain_attribute_of_part(situation, node):
    """Explain `net.weight` of a model whose layers have weights."""
    model, text = situation.look_up(node.value), ast.unparse(node.value)
    if not is_module(model) or text == "self":
        return None
    owned = ("_parameters", "_buffers", "__dict__")
    having = [
        path
        for path, part in model.named_modules()
        if path and any(node.attr in (vars(part) if kind == "__dict__" else vars(part)[kind]) for kind in owned)
    ]
    if not having:
        return name_parts(model, text, node.attr)
    if len(having) == 1:  # a name is suggested
        return None
    parts = [
        text + "".join(f"[{each}]" if each.isdecimal() else f".{each}" for each in path.split(".")) for path in having
    ]
    shown = [f"{part}.{node.attr}" for part in parts]
    rule = _("{text} has no {attribute} itself, but parts of it do: {parts}").format(
        text=text, attribute=node.attr, parts=list_names(shown, MOST)
    )
    return Explanation("attribute", (), rule)


def name_parts(model, text, attribute):
    """Return the parts of a model that lacks one; None if it has none, or the name is a misspelling."""
    from tensh.support.spelling import close

    names = [name for name, _part in model.named_children()]
    if not names or close(attribute, [*names, *dir(type(model))]):
        return None
    shown = [f"{text}[{name}]" if name.isdecimal() else f"{text}.{name}" for name in names]
    rule = _("{text} has no part {attribute}: its parts are {parts}").format(
        text=text, attribute=attribute, parts=list_names(shown, MOST_PARTS)
    )
    advice = None
    if type(model).__module__ == "__main__":
        advice = _("assign self.{attribute} in {kind}.__init__").format(attribute=attribute, kind=type(model).__name__)
    return Explanation("attribute", (), rule, (), advice)


def explain_attribute_of_batch(situation, node):
    """Explain `batch.x` of a batch that is a list of tensors."""
    value, text = situation.look_up(node.value), ast.unparse(node.value)
    if type(value) not in (list, tuple) or len(value) < 2 or not all(isinstance(each, Tensor) for each in value):
        return None
    if hasattr(Tensor, node.attr):
        return None  # one of them may be meant, or all
    numbered = ", ".join(f"{text}[{number}] {describe_shape(each)}" for number, each in enumerate(value[:MOST]))
    rule = _("{text} is a {kind}, whose parts have numbers, not names: {parts}").format(
        text=text, kind=type(value).__name__, parts=numbered + ", ..." * (len(value) > MOST)
    )
    return Explanation("attribute", (), rule)
