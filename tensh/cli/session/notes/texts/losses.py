"""The texts of the notes on losses: (message, advice), with a third item for another place; None if nothing is wrong."""

import ast

from tensh.cli.session.failures.failure import place_of_node
from tensh.cli.session.notes.loss_graphs import RESHAPING
from tensh.cli.session.notes.texts.shared import describe_change, piece
from tensh.engine.core.tensor import Tensor
from tensh.explain.situation import look_up
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

ON_PURPOSE = ("None", "unsqueeze", "view", "reshape", "expand", "newaxis")
"""Words in the source of an operand that was given its shape deliberately."""


FUNCTIONS_OF_LAYERS = {
    "MSELoss": "mse_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss",
}  # fmt: skip


def note_loss(found, place, names):
    """Return the note on a Finding about a loss."""
    if found.about == "broadcast":
        is_elsewhere = found.place is not None and found.place.source is not place.source  # lines of a prompt
        return describe_broadcast(found.node, found.place if is_elsewhere else place, names)
    if found.about == "expanded":
        return describe_expanded(found, place, names)
    kind = found.given
    made = call_on_line(place, kind)
    where = _(" (line {made})").format(made=made) if made else ""
    match found.about:
        case "twice":
            return describe_twice(found.loss, kind, where)
        case "logarithms" | "probabilities" | "scores":
            return describe_likelihood(found.about, kind, where)
        case "no logarithms":
            return describe_no_logarithms(kind, where, place)
        case "one class":
            return describe_one_class([*found.node.shape])
    return None


def describe_twice(loss, kind, where):
    """Return the note on a loss that applies softmax or sigmoid to the result of either."""
    if kind == "softmax" or loss == "cross_entropy":
        return (
            _(
                "{loss} gets the result of {kind}{where}, but applies {what} itself: scores between 0 and 1 can hardly tell classes apart"
            ).format(loss=loss, kind=kind, where=where, what="softmax" if loss == "cross_entropy" else "sigmoid"),
            _("pass the scores to {loss} as they are, without {kind}").format(loss=loss, kind=kind),
        )
    return (
        _("{loss} gets the result of {kind}{where}, but applies {kind} itself: it is applied twice").format(
            loss=loss, kind=kind, where=where
        ),
        _("pass the scores to {loss} as they are, or the probabilities to binary_cross_entropy").format(loss=loss),
    )


def describe_likelihood(about, kind, where):
    """Return the note on ``nll_loss`` without log-probabilities, or on ``cross_entropy`` of them."""
    if about == "logarithms":
        return (
            _(
                "cross_entropy gets the result of log_softmax{where}, but applies log_softmax itself: the second one changes nothing"
            ).format(where=where),
            _("use nll_loss after log_softmax, or cross_entropy without it"),
        )
    if about == "probabilities":
        return (
            _("nll_loss gets the result of {kind}{where}, but expects log-probabilities").format(
                kind=kind, where=where
            ),
            _("use log_softmax instead of {kind}, or cross_entropy of the scores").format(kind=kind),
        )
    return (
        _("nll_loss gets scores, but expects log-probabilities: it falls without limit as the scores grow"),
        _("use cross_entropy instead of nll_loss, or apply log_softmax to the scores first"),
    )


def describe_one_class(shape):
    """Return the note on ``cross_entropy`` of scores for a single class."""
    return (
        _(
            "cross_entropy gets scores {shape} for a single class: the softmax of one number is 1, so the loss is 0 whatever the score"
        ).format(shape=shape),
        _("use binary_cross_entropy_with_logits for one yes-or-no score, or two scores for two classes"),
    )


def describe_no_logarithms(kind, where, place):
    """Return the note on ``kl_div`` without logarithms, if its call is in the source."""
    called = call_on_line(place, "kl_div") or call_on_line(place, "KLDivLoss".lower())
    if kind == "scores":
        what, mend = _("scores"), _("apply log_softmax to the scores first")
    else:
        what = _("the result of {kind}{where}").format(kind=kind, where=where)
        mend = _("use log_softmax instead of {kind}").format(kind=kind)
    return called and (
        _("kl_div gets {what} (line {called}), but expects log-probabilities as its first argument").format(
            what=what, called=called
        ),
        mend,
    )


def call_on_line(place, name):
    """Return the line of the only call of a function, or of the layer of that name; None if there are more."""
    tree = piece(place).tree()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    words = (name, name.replace("_", ""))
    found = {node.lineno for node in calls if ast.unparse(node.func).rpartition(".")[2].lower() in words}
    return found.pop() if len(found) == 1 else None


def describe_broadcast(node, place, names):
    """Return the note on a difference of [N] and [N, 1] in a loss, if the source tells which one it is."""
    tree = piece(place).tree()
    size = node.shape[0]
    for each in ast.walk(tree) if tree else ():
        if not isinstance(each, ast.BinOp) or not isinstance(each.op, ast.Sub) or each.lineno > place.line:
            continue
        shapes = shapes_of(each, node, names)
        if shapes is None or sorted(shapes, key=len) != [(size,), (size, 1)]:
            continue
        sides = each.left, each.right
        if any(has_explicit_shape(side, tree) for side in sides) or is_made_elsewhere(node, *sides, shapes, tree):
            continue
        column = ast.unparse(each.left if len(shapes[0]) == 2 else each.right)
        code = ast.unparse(each).replace(column, append_to_expression(column, ".squeeze(1)"), 1)
        where = place_of_node(place.source, each, place.function)
        left, right = ([*shape] for shape in shapes)
        if "mean" in place.source.text:
            message = _("{left} - {right} is {shape}, every element of one minus every element of the other, and the loss is the mean of all")  # fmt: skip
        else:
            message = _("{left} - {right} is {shape}, every element of one minus every element of the other, and the loss is computed from all")  # fmt: skip
        return message.format(left=left, right=right, shape=[size, size]), code, where
    return None


def describe_expanded(found, place, names):
    """Return the note on a loss function that expanded [N] and [N, 1] to [N, N]."""
    size, is_column = found.node.shape[0], len(found.node.inputs[0].shape) == 2
    shapes = ([size, 1], [size]) if is_column else ([size], [size, 1])
    message = _("{loss} gets {left} and {right}, compares every element of one with every element of the other, and is computed from all {count}")  # fmt: skip
    message = message.format(loss=found.loss, left=shapes[0], right=shapes[1], count=size * size)
    tree = piece(place).tree()
    calls = [each for each in ast.walk(tree) if calls_loss(each, found.loss, names)] if tree else []
    if len(calls) != 1 or len(calls[0].args) < 2:
        return message, _("give both the same shape: squeeze(1) makes [N] of [N, 1]")
    (call,) = calls
    column = call.args[0 if is_column else 1]
    parts = [append_to_expression(ast.unparse(each), ".squeeze(1)" * (each is column)) for each in call.args]
    parts += [ast.unparse(each) for each in call.keywords]
    code = f"{ast.unparse(call.func)}({', '.join(parts)})"
    return message, code, place_of_node(place.source, call, place.function)


def calls_loss(node, loss, names):
    """Return True for a call of a loss function, or of the layer that computes it."""
    if not isinstance(node, ast.Call):
        return False
    layer = type(look_up(node.func, names)).__name__
    return loss in (ast.unparse(node.func).rpartition(".")[2], FUNCTIONS_OF_LAYERS.get(layer))


def is_made_elsewhere(node, left, right, shapes, tree):
    """Return True if the column is a function's argument, whose shape may be intended by the caller."""
    column = left if len(shapes[0]) == 2 else right
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if not isinstance(column, ast.Name) or column.id in names:
        return False
    (given,) = (each for each in node.inputs if each is not None)
    return len(given.shape) != 2 or type(given).__name__ in RESHAPING


def shapes_of(difference, node, names):
    """Return the shapes of both sides of a difference; an unnamed side has that of the operand that requires grad."""
    sides = [look_up(side, names) for side in (difference.left, difference.right)]
    (given,) = (each for each in node.inputs if each is not None)
    known = [tuple(side.shape) if isinstance(side, Tensor) else None for side in sides]
    if known == [None, None]:
        return None
    return [given.shape if each is None else each for each in known]


def has_explicit_shape(side, tree):
    """Return True if an operand, or its assignment, shows that the shape is deliberate."""
    texts = [ast.unparse(side)]
    if isinstance(side, ast.Name):
        texts += [
            ast.unparse(n.value) for n in ast.walk(tree)
            if isinstance(n, ast.Assign) and any(ast.unparse(t) == side.id for t in n.targets)
        ]  # fmt: skip
    return any(word in text for text in texts for word in ON_PURPOSE)


def note_kept(found, place, names):
    """Return the note on a sum or a list of losses that keep their graphs."""
    name, number, is_list = found
    tree = piece(place).tree()
    if is_list:
        message = _(
            "{name} holds losses with their graphs, which stay in memory as long as {name} does: {number} so far"
        )
    else:
        message = _("{name} is the sum of losses with their graphs, which stay in memory as long as {name} does: {number} so far")  # fmt: skip
    message = message.format(name=name, number=number)
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.AugAssign(op=ast.Add(), target=target, value=value) if ast.unparse(target) == name and not is_list:
                return message, describe_change(node, f"{name} += {item_of(value)}")
            case ast.AugAssign(op=ast.Add(), target=target, value=ast.List(elts=[value])) if (
                ast.unparse(target) == name
            ):
                return message, describe_change(node, f"{name} += [{item_of(value)}]")
            case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add(), left=left, right=value)) if (
                ast.unparse(target) == ast.unparse(left) == name and not is_list
            ):
                return message, describe_change(node, f"{name} = {name} + {item_of(value)}")
            case ast.Call(func=ast.Attribute(attr="append", value=target), args=[value]) if ast.unparse(target) == name:
                return message, describe_change(node, f"{name}.append({item_of(value)})")
    return message, _("collect numbers in {name}: loss.item()").format(name=name)


def item_of(node):
    text = ast.unparse(node)
    return (
        f"{text}.item()"
        if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        else f"({text}).item()"
    )
