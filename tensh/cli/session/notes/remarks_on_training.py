"""Notes on steps and modes: (message, advice), with a third item for another place; None if nothing is wrong."""

import ast
from typing import NamedTuple

from tensh.cli.session.failures.failure import users_frame
from tensh.cli.session.notes.modes import layers
from tensh.cli.session.notes.remarks import describe_change, is_optimizer, piece
from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.models.embeddings import code_of_places
from tensh.explain.causes.situation import Situation, look_up
from tensh.explain.cuts import locate_cut
from tensh.explain.cuts.cut import SWITCHES
from tensh.explain.history import follow
from tensh.explain.place import FUNCTIONS, iterate_scope, loop_around
from tensh.graph.names import names_of_nodes
from tensh.support.language import _

MOST_NODES = 10_000  # nodes of a graph that are searched
DROPOUT = ("F.dropout", "nn.functional.dropout", "torch.nn.functional.dropout")


# ── steps ────────────────────────────────────────────────────────────────────
def name_of(value, names, default):
    """Return the name of a value, including attributes of self."""
    found = next((name for name, each in names.items() if each is value and not name.startswith("_")), None)
    if found is None and hasattr(names.get("self"), "__dict__"):
        found = next((f"self.{name}" for name, each in vars(names["self"]).items() if each is value), None)
    return found or default


def lines_of(place, *methods):
    """Return [(line, text of the owner)] for the calls of methods in the source of a place."""
    tree = piece(place).tree()
    return sorted(
        (node.lineno, ast.unparse(node.func.value)) for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
    )  # fmt: skip


def say_zeroed(optimizer, place, names):
    """Return the note on gradients that were reset between the pass and the step."""
    name = name_of(optimizer, names, _("the optimizer"))
    scope = piece(place).scope()
    lines = [line for line, _owner in lines_of(place, "zero_grad") if covers_line(scope, line)]
    before = [line for line in lines if line < place.line]
    if before:
        message = _("{name}.step() has no gradients: they were reset on line {line} after backward(), so nothing is learnt")  # fmt: skip
    else:
        message = _("{name}.step() has no gradients: they were reset after backward(), so nothing is learnt")
    return (
        message.format(name=name, line=before[-1] if before else None),
        _("call {name}.zero_grad() before backward(), or after {name}.step()").format(name=name),
    )


def covers_line(scope, line):
    return not hasattr(scope, "lineno") or scope.lineno <= line <= scope.end_lineno


def on_other_parameters(optimizer, leaves, place, names):
    """Return the note on gradients of tensors that no optimizer has."""
    name = name_of(optimizer, names, _("the optimizer"))
    reached = [known for leaf, (known, _number) in names_of_nodes(names).items() if leaf in leaves]
    cut = find_cut_before(reached[0], place, names) if len(reached) == 1 else None
    if cut is not None:
        message = _("{name}.step() changes nothing: backward() ends at {what}, which {sentence}")
        fit = next((each for each in cut.fits if each.line), None)
        change = _("line {line}: {code}").format(line=fit.line, code=fit.text) if fit else cut.advice
        return message.format(name=name, what=reached[0], sentence=cut.sentence), change
    what = reached[0] if reached else _("other tensors")
    if reached[1:]:
        what = _("{name} and {count} more").format(name=what, count=len(reached) - 1)
    return (
        _(
            "{name}.step() changes nothing: backward() computed gradients of {what}, but {name} was created for other parameters"
        ).format(name=name, what=what),
        _("create {name} after the model, with the parameters to be trained").format(name=name),
    )


def find_cut_before(name, place, names):
    """Return the Cut in the statement that assigned a leaf (`out = net(x).detach().requires_grad_()`); None if uncertain."""
    situation = Situation(None, names, piece(place), None)
    steps = [*follow(ast.parse(name, mode="eval").body, situation)] if name.isidentifier() else []
    cuts = (locate_cut(each, situation) for each in steps if each.name == name)
    return next((cut for cut in cuts if cut is not None), None)


def on_no_backward(optimizer, own, place, names):
    """Return the note on a loss without a backward pass."""
    for frame in frames_from(users_frame()):
        for loss, value in list(frame.f_locals.items()):
            if issubclass(type(value), Tensor) and value.requires_grad and not value.shape and reaches(value.node, own):
                name = name_of(optimizer, names, _("the optimizer"))
                dropped = say_uncalled(place, "backward")
                return (
                    _("{name}.step() changes nothing: {loss} was computed, but backward() was not called").format(
                        name=name, loss=loss
                    ),
                    dropped or _("call {loss}.backward() before {name}.step()").format(loss=loss, name=name),
                )
    return None


def on_no_step(stepped, place, names):
    """Return the note on a loop that resets and computes gradients, with an optimizer that never steps in the source."""
    loop = loop_around(piece(place).scope() or ast.Module([], []), place.line)
    zeroed = [event for event in events_of(loop, names) if event.kind == "zero"] if loop else []
    owner = zeroed[0].owner if zeroed else None
    if not is_optimizer(owner) or owner in stepped or uses(piece(place).tree(), "step") or uses(loop, "grad"):
        return None
    name = name_of(owner, names, _("the optimizer"))
    return (
        _("{name} never steps: gradients are computed and reset (line {line}), but no parameter changes").format(
            name=name, line=zeroed[0].line
        ),
        say_uncalled(place, "step") or _("call {name}.step() after backward()").format(name=name),
    )


def uses(tree, attribute):
    """Return True if code reads or calls an attribute; a bare mention without a call does not count."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return any(
        isinstance(node, ast.Attribute) and node.attr == attribute and node not in alone for node in ast.walk(tree)
    )


def on_clipping(place, names):
    """Return the note on clipping before gradients exist, or after the step."""
    loop = loop_around(piece(place).scope() or ast.Module([], []), place.line)
    events = events_of(loop, names) if loop else []
    kinds = "".join(event.kind[0] for event in events)
    if sorted(kinds) != sorted("bcsz"):
        return None
    at = kinds.index("c")
    behind, ahead = kinds[at - 1], (kinds + kinds)[at + 1]
    clip = events[at]
    if behind == "b" and ahead == "s":
        return None
    if behind not in "sz" or (behind == "s" and ahead != "z"):
        message = _("{clip} on line {line} clips no gradient that a step uses")
    elif behind == "s":
        message = _("{clip} on line {line} clips after the step, when the gradients have already been used")
    else:
        message = _("{clip} on line {line} clips before any gradients are computed")
    between = _("call {clip} between backward() and step()").format(clip=clip.text)
    return message.format(clip=clip.text, line=clip.line), between


class Event(NamedTuple):
    """A statement of a training loop: kind ("backward", "clip", "step", "zero"), line, text, owner of the method."""

    kind: str
    line: int
    text: str
    owner: object


def events_of(loop, names):
    """Return the Events among the statements of a loop, in order, without inner blocks."""
    found = []
    for statement in loop.body:
        call = getattr(statement, "value", None)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute | ast.Name):
            continue
        word = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        owner = look_up(call.func.value, names) if isinstance(call.func, ast.Attribute) else None
        kind = (
            "clip"
            if word.startswith("clip_grad_")
            else {"backward": "backward", "zero_grad": "zero", "step": "step"}.get(word)
        )
        if kind and (kind != "step" or is_optimizer(owner)):
            found.append(Event(kind, statement.lineno, word, owner))
    return found


def say_uncalled(place, attribute):
    """Return `on line 4, call loss.backward()`; None if every mention is a call."""
    tree = piece(place).tree()
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Expr(value=ast.Attribute(attr=found)) if found == attribute:
                return _("on line {line}, call {code}()").format(line=node.lineno, code=ast.unparse(node))
    return None


def frames_from(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back


def reaches(root, leaves):
    """Return True if any of the leaves are in the graph behind a node."""
    waiting, seen = [root], set()
    for node in waiting:
        if node is None or node in seen or len(seen) > MOST_NODES:
            continue
        if node in leaves:
            return True
        seen.add(node)
        waiting += getattr(node, "inputs", ())
    return False


# ── modes ────────────────────────────────────────────────────────────────────
def kinds(model):
    """Name the mode-dependent layers of a model: `Dropout and BatchNorm1d`."""
    return _(" and ").join(dict.fromkeys(type(each).__name__ for each in layers(model)))


def on_evaluation_mode(model, place, names):
    """Return the note on a model that was evaluated and is trained further in evaluation mode."""
    if any(each.training for each in layers(model)):
        return None
    name = name_of(model, names, _("the model"))
    calls = [line for line, owner in lines_of(place, "eval")]
    since = _("eval() on line {line}").format(line=calls[0]) if len(set(calls)) == 1 else "eval()"
    if len({type(each) for each in layers(model)}) == 1:
        message = _("{name} is trained in evaluation mode: it was not switched back after {since}, so {kinds} works as in evaluation")  # fmt: skip
    else:
        message = _("{name} is trained in evaluation mode: it was not switched back after {since}, so {kinds} work as in evaluation")  # fmt: skip
    return (
        message.format(name=name, since=since, kinds=kinds(model)),
        _("call {name}.train() before training continues").format(name=name),
    )


def on_evaluation_from_the_first(model, place, names):
    """Return the note on a model that was switched to evaluation mode before it is trained as a whole."""
    name = name_of(model, names, None)
    calls = [line for line, owner in lines_of(place, "eval") if owner == name]
    if name is None or len(calls) != 1 or lines_of(place, "train") or any(each.training for each in layers(model)):
        return None
    if not all(p.requires_grad for p in model.parameters()):
        return None  # a pretrained model, partly frozen
    if len({type(each) for each in layers(model)}) == 1:
        message = _("{name} is trained in evaluation mode: it was not switched back after {since}, so {kinds} works as in evaluation")  # fmt: skip
    else:
        message = _("{name} is trained in evaluation mode: it was not switched back after {since}, so {kinds} work as in evaluation")  # fmt: skip
    since = _("eval() on line {line}").format(line=calls[0])
    return (
        message.format(name=name, since=since, kinds=kinds(model)),
        _("call {name}.train() before training continues").format(name=name),
    )


def on_training_mode(model, place, names):
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
        message.format(name=name, kinds=kinds(model)),
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


def on_one_hot_indices(count, place, names):
    """Return the note on one-hot vectors that an embedding takes for indices."""
    message = _("{indices} is one-hot, but an embedding expects the index of each 1: a number from 0 to {last}")
    match piece(place).path():
        case [*_outer, ast.Call(func=table, args=[given], keywords=[])]:
            text, code = ast.unparse(given), f"{ast.unparse(table)}({code_of_places(given)})"
        case _:
            text, code = _("the input"), _("pass the indices themselves, or one_hot.argmax(-1)")
    return message.format(indices=text, last=count - 1), code


def on_functional_dropout(model, place, names):
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
