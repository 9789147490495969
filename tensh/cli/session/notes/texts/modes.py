"""Notes on training and evaluation mode: (message, advice); None if nothing is wrong."""

import ast

from tensh.cli.session.notes.models import layers
from tensh.cli.session.notes.texts.shared import (
    describe_change,
    list_calls,
    name_of,
    piece,
)
from tensh.explain.cuts.cut import SWITCHES
from tensh.explain.situation import look_up
from tensh.explain.source.place import FUNCTIONS, iterate_scope
from tensh.support.language import _

DROPOUT = ("F.dropout", "nn.functional.dropout", "torch.nn.functional.dropout")


def name_layers(model):
    """Name the mode-dependent layers of a model: `Dropout and BatchNorm1d`."""
    return _(" and ").join(dict.fromkeys(type(each).__name__ for each in layers(model)))


def note_evaluation_mode(model, place, names):
    """Return the note on a model that was evaluated and is trained further in evaluation mode."""
    if any(each.training for each in layers(model)):
        return None
    name = name_of(model, names, _("the model"))
    calls = [line for line, owner in list_calls(place, "eval")]
    since = _("eval() on line {line}").format(line=calls[0]) if len(set(calls)) == 1 else "eval()"
    return say_evaluation(model, name, since)


def note_evaluation_from_the_first(model, place, names):
    """Return the note on a model that was switched to evaluation mode before it is trained as a whole."""
    name = name_of(model, names, None)
    calls = [line for line, owner in list_calls(place, "eval") if owner == name]
    if name is None or len(calls) != 1 or list_calls(place, "train") or any(each.training for each in layers(model)):
        return None
    if not all(p.requires_grad for p in model.parameters()):
        return None  # a pretrained model, partly frozen
    return say_evaluation(model, name, _("eval() on line {line}").format(line=calls[0]))


def say_evaluation(model, name, since):
    """Return (message, advice) for a model that is trained in evaluation mode since a call."""
    if len({type(each) for each in layers(model)}) == 1:
        message = _("{name} is trained in evaluation mode: it was not switched back after {since}, so {kinds} works as in evaluation")  # fmt: skip
    else:
        message = _("{name} is trained in evaluation mode: it was not switched back after {since}, so {kinds} work as in evaluation")  # fmt: skip
    return (
        message.format(name=name, since=since, kinds=name_layers(model)),
        _("call {name}.train() before training continues").format(name=name),
    )


def note_training_mode(model, place, names):
    """Return the note on a model that is evaluated in training mode."""
    if not all(each.training for each in (model, *layers(model))) or not is_evaluation(place, names):
        return None
    name = (place.segment or "").partition("(")[0]
    name = name if name.replace(".", "").isidentifier() else name_of(model, names, _("the model"))
    if len({type(each) for each in layers(model)}) > 1:
        message = _("{name} is evaluated in training mode: {kinds} work as in training")
    else:
        message = _("{name} is evaluated in training mode: {kinds} works as in training")
    return (
        message.format(name=name, kinds=name_layers(model)),
        _("call {name}.eval() first, and {name}.train() before training it again").format(name=name),
    )


def is_evaluation(place, names):
    """Return True if the source around a call evaluates its result: compares it or computes a loss, once per batch."""
    at = piece(place)
    scope, tree = at.scope(), at.tree()
    if tree is None:
        return False
    blocks = [
        node for node in iterate_scope(scope)
        if isinstance(node, ast.With) and node.lineno <= place.line <= node.end_lineno
        and any(word in ast.unparse(item.context_expr) for item in node.items for word in SWITCHES)
    ]  # fmt: skip
    block = blocks[0] if blocks else scope
    if not (blocks or isinstance(scope, FUNCTIONS)):
        return False
    nodes = [*ast.walk(block)]
    if any(repeats(node, place) for node in nodes):
        return False
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if any(keyword.arg == "reduction" for call in calls for keyword in call.keywords):
        return False
    texts = [ast.unparse(call) for call in calls if place.segment and ast.unparse(call) == place.segment]
    return len(texts) < 2 and any(judges(node, names) for node in nodes)


def repeats(node, place):
    """Return True if a loop around a call repeats the same evaluation to draw samples, instead of reading batches."""
    if isinstance(node, ast.For) and node.lineno < place.line <= node.end_lineno:
        return ast.unparse(node.iter).startswith("range(") and not any(
            isinstance(inner, ast.Subscript | ast.Slice) for inner in ast.walk(ast.Module(node.body, []))
        )
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and node.lineno <= place.line <= node.end_lineno:
        return any(ast.unparse(each.iter).startswith("range(") for each in node.generators)
    return False


def judges(node, names):
    """Return True if an expression compares results with targets: `==`, `eq` or a loss."""
    match node:
        case ast.Compare(ops=[ast.Eq()]):
            return True
        case ast.Call(func=function):
            word = ast.unparse(function).rpartition(".")[2]
            kind = type(look_up(function, names))
            return (
                word in ("eq", "cross_entropy")
                or word.endswith("_loss")
                or "nn.modules.loss" in getattr(kind, "__module__", "")
                or kind.__name__.endswith("Loss")
            )
    return False


def note_functional_dropout(model, place, names):
    """Return the note on `F.dropout` in a forward that ignores the mode."""
    tree = piece(place).tree()
    kinds = {type(module).__name__ for module in model.modules()}
    for definition in ast.walk(tree) if tree else ():
        if (
            isinstance(definition, ast.ClassDef)
            and definition.name in kinds
            and "training" not in ast.unparse(definition)
        ):
            for node in ast.walk(definition):
                if drops_always(node):
                    code = ast.unparse(node)
                    return (
                        _(
                            "{name} applies dropout in evaluation mode, too: `{code}` on line {line} has training=True by default"
                        ).format(name=definition.name, code=code, line=node.lineno),
                        describe_change(node, f"{code[:-1]}, training=self.training)"),
                    )
    return None


def drops_always(node):
    """Return True if a node is a call of `dropout` without its `training` argument."""
    match node:
        case ast.Call(func=function, args=[_] | [_, _], keywords=options) if ast.unparse(function) in DROPOUT:
            return all(each.arg in ("p", "inplace") for each in options)
    return False
