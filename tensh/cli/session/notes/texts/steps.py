"""Notes on optimizer steps: (message, advice); None if nothing is wrong."""

import ast
from typing import NamedTuple

from tensh.cli.session.failures.failure import users_frame
from tensh.cli.session.notes.texts.shared import (
    find_uncalled,
    is_optimizer,
    list_calls,
    name_of,
    piece,
)
from tensh.engine.core.tensor import Tensor
from tensh.explain.cuts import locate_cut
from tensh.explain.situation import Situation, look_up
from tensh.explain.source.history import follow
from tensh.explain.source.place import loop_around
from tensh.graph.names import names_of_nodes
from tensh.graph.tokens import number
from tensh.support.language import _

MOST_NODES = 10_000  # nodes of a graph that are searched


def note_reset_gradients(optimizer, place, names):
    """Return the note on gradients that were reset between the pass and the step."""
    name = name_of(optimizer, names, _("the optimizer"))
    scope = piece(place).scope()
    lines = [line for line, _owner in list_calls(place, "zero_grad") if covers_line(scope, line)]
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


def note_other_parameters(optimizer, leaves, place, names):
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


def note_unchanged(optimizer, place, names):
    """Return the note on a learning rate so low that no parameter changes."""
    name = name_of(optimizer, names, _("the optimizer"))
    rates = ", ".join(dict.fromkeys(number(group["lr"]) for group in optimizer.param_groups))
    message = _("{name}.step() changes nothing: there are gradients, but with lr={rates} no step changes a parameter")
    return message.format(name=name, rates=rates), _("create {name} with a higher lr, such as 0.01").format(name=name)


def find_cut_before(name, place, names):
    """Return the Cut in the statement that assigned a leaf (`out = net(x).detach().requires_grad_()`); None if uncertain."""
    situation = Situation(None, names, piece(place), None)
    steps = [*follow(ast.parse(name, mode="eval").body, situation)] if name.isidentifier() else []
    cuts = (locate_cut(each, situation) for each in steps if each.name == name)
    return next((cut for cut in cuts if cut is not None), None)


def note_missing_backward(optimizer, own, place, names):
    """Return the note on a loss without a backward pass."""
    for frame in iterate_frames(users_frame()):
        for loss, value in list(frame.f_locals.items()):
            if issubclass(type(value), Tensor) and value.requires_grad and not value.shape and reaches(value.node, own):
                name = name_of(optimizer, names, _("the optimizer"))
                dropped = find_uncalled(place, "backward")
                return (
                    _("{name}.step() changes nothing: {loss} was computed, but backward() was not called").format(
                        name=name, loss=loss
                    ),
                    dropped or _("call {loss}.backward() before {name}.step()").format(loss=loss, name=name),
                )
    return None


def iterate_frames(frame):
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


def note_missing_step(stepped, place, names):
    """Return the note on a loop that resets and computes gradients, with an optimizer that never steps in the source."""
    loop = loop_around(piece(place).scope() or ast.Module([], []), place.line)
    zeroed = [event for event in list_events(loop, names) if event.kind == "zero"] if loop else []
    owner = zeroed[0].owner if zeroed else None
    if not is_optimizer(owner) or owner in stepped or uses(piece(place).tree(), "step") or uses(loop, "grad"):
        return None
    name = name_of(owner, names, _("the optimizer"))
    return (
        _("{name} never steps: gradients are computed and reset (line {line}), but no parameter changes").format(
            name=name, line=zeroed[0].line
        ),
        find_uncalled(place, "step") or _("call {name}.step() after backward()").format(name=name),
    )


def uses(tree, attribute):
    """Return True if code reads or calls an attribute; a bare mention without a call does not count."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return any(
        isinstance(node, ast.Attribute) and node.attr == attribute and node not in alone for node in ast.walk(tree)
    )


def note_clipping(place, names):
    """Return the note on clipping before gradients exist, or after the step."""
    loop = loop_around(piece(place).scope() or ast.Module([], []), place.line)
    events = list_events(loop, names) if loop else []
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


def list_events(loop, names):
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
