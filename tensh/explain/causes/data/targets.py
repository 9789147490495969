"""Targets that suit another loss: class indices beside a score for each class."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.search.edits import OVER_CLASSES
from tensh.explain.situation import first_explanation, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

CROSS_ENTROPIES = ("cross_entropy", "CrossEntropyLoss")
LAYERS = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss")
FUNCTIONS = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
)  # fmt: skip


def explain_target(situation):
    """Explain `nn.MSELoss()(scores, classes)` of scores [N, C] and classes [N]."""
    path = situation.place.path()
    call = path[-1] if path and isinstance(path[-1], ast.Call) else None
    if call is None or len(call.args) != 2 or not isinstance(situation.error, RuntimeError | ValueError):
        return None
    scores, classes = (
        situation.look_up(each) if isinstance(each, ast.Name) else situation.evaluate(each) for each in call.args
    )
    if not isinstance(scores, Tensor) or not isinstance(classes, Tensor):
        return None
    name = find_loss(situation, call)
    if scores.dim() == 1 and scores.shape == classes.shape and len(scores) > 1 and name in OVER_CLASSES:
        return first_explanation(
            (explain_chosen_classes, explain_one_score, explain_lack_of_classes), situation, call, scores, classes
        )
    if not are_classes(scores, classes):
        return None
    found = other_loss(situation, call)
    if found is None:
        return None
    node, new = found
    first, second = map(ast.unparse, call.args)
    rule = _("{second} holds class indices, and {first} a score for each of {count} classes: use cross_entropy").format(
        first=first, second=second, count=scores.shape[1]
    )
    more = "" if not classes.is_floating_point() else ".long()"
    fit = replace_node(situation.place, node, new)
    if more and node.lineno != call.lineno:
        other = replace_node(situation.place, call.args[1], f"{second}.long()")
        fit = fit and other and fit._replace(more=(other,))
    elif more:
        fit = replace_node(situation.place, call, f"{new}({first}, {second}.long())")
    operands = (operand_of(first, scores), operand_of(second, classes))
    return Explanation("loss", operands, rule, (fit,)) if fit else None


def explain_scores_of_steps(situation):
    """Explain scores [N, L, C] of every step of a sequence, with one class for each sequence."""
    call = situation.place.node()
    if not situation.says("Expected target size [") or not isinstance(call, ast.Call) or len(call.args) != 2:
        return None
    scores, classes = map(situation.tensor_of, call.args)
    if scores is None or classes is None or (scores.dim(), classes.dim()) != (3, 1):
        return None
    first, second = map(ast.unparse, call.args)
    rule = _("{first} is {shape}: scores for several steps of each sample, but {second} has one class for each sample")
    rule = rule.format(first=first, shape=[*scores.shape], second=second)
    last = append_to_expression(first, "[:, -1]")
    advice = _("use the scores of one step, such as the last, {last}, or their mean over the steps").format(last=last)
    operands = (operand_of(first, scores), operand_of(second, classes))
    return Explanation("loss", operands, rule, (), advice)


def find_loss(situation, call):
    """Return the name of the function or the class of the layer that a call of a loss uses."""
    layer = situation.look_up(call.func)
    if is_module(layer):
        return type(layer).__name__
    made = call.func.func if isinstance(call.func, ast.Call) else call.func
    return ast.unparse(made).rpartition(".")[2]


def explain_chosen_classes(situation, call, scores, classes):
    """Explain `F.cross_entropy(out.argmax(1), classes)`, whose scores were reduced to classes before."""
    first = call.args[0]
    statement = situation.find_assignment(first.id) if isinstance(first, ast.Name) else None
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            node, found = value, find_scores(value)
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name()])], value=value):
            node, found = statement, find_scores(value, "max")
        case _:
            node, found = first, find_scores(first)
    if found is None:
        return None
    new = f"{first.id} = {ast.unparse(found)}" if node is statement else ast.unparse(found)
    fit = replace_node(situation.place, node, new)
    rule = _("{loss} expects a score for each class, but {first} holds the class of the largest: classes have no gradient")  # fmt: skip
    operands = (operand_of(ast.unparse(first), scores), operand_of(ast.unparse(call.args[1]), classes))
    rule = rule.format(loss=find_loss(situation, call), first=ast.unparse(first))
    return Explanation("loss", operands, rule, (fit,)) if fit else None


def find_scores(node, word="argmax"):
    """Return `out` of `out.argmax(1).float()` and of `torch.argmax(out, 1)`; None for other code."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="float" | "long" | "double"), args=[]):
            return find_scores(inner, word)
        case ast.Subscript(value=inner, slice=ast.Constant(value=1)):
            return find_scores(inner, "max")
        case ast.Attribute(value=inner, attr="indices"):
            return find_scores(inner, "max")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=[out, *_rest]) if attr == word:
            return out
        case ast.Call(func=ast.Attribute(value=out, attr=attr)) if attr == word:
            return out
    return None


def explain_lack_of_classes(situation, call, scores, classes):
    """Explain `F.cross_entropy(scores, classes)` with one number per sample, and classes that are more than two."""
    first, second = map(ast.unparse, call.args)
    rule = _("{loss} expects a score for each class, [{count}, C], but {first} has one number for each sample")
    rule = rule.format(loss=find_loss(situation, call), count=len(scores), first=first)
    operands = (operand_of(first, scores), operand_of(second, classes))
    return Explanation("loss", operands, rule, (), _("make the last layer with one output for each class"))


def is_one_score(scores, classes):
    """Return True if each sample has one score and a binary target."""
    if not scores.is_floating_point() or not classes.numel():
        return False
    return bool(((classes == 0) | (classes == 1)).all())


def explain_one_score(situation, call, scores, classes):
    """Explain `F.cross_entropy(scores, classes)` and `nn.CrossEntropyLoss()` with one yes-or-no score per sample."""
    if not is_one_score(scores, classes) or find_loss(situation, call) not in CROSS_ENTROPIES:
        return None
    first, second = map(ast.unparse, call.args)
    found = situation.look_up(call.args[0])
    is_known = isinstance(found, Tensor)
    kind = "binary_cross_entropy"
    kind += "" if is_known and bool(((found >= 0) & (found <= 1)).all()) else "_with_logits"
    plain = re.sub(r"\.(long|int)\(\)$", "", second)
    value = situation.look_up(ast.parse(plain, mode="eval").body)
    plain += "" if isinstance(value, Tensor) and value.is_floating_point() else ".float()"
    owner, dot, _word = ast.unparse(call.func).rpartition(".")
    rule = _("cross_entropy expects a score for each class, but {first} has a single yes-or-no score for each sample")
    fit = replace_node(situation.place, call, f"{owner}{dot}{kind}({first}, {plain})")
    if ast.unparse(call.func).rpartition(".")[2] != "cross_entropy":
        layer = "BCELoss" if kind == "binary_cross_entropy" else "BCEWithLogitsLoss"
        fit = change_layer(situation, call, layer, plain)
    operands = (operand_of(first, scores), operand_of(second, classes))
    return Explanation("loss", operands, rule.format(first=first), (fit,)) if fit else None


def change_layer(situation, call, layer, target):
    """Return the Fit of a call with another layer and target, made inline or on an earlier line; None for other code."""
    made = find_maker(situation, call)
    if made is None or made.args or made.keywords:
        return None
    owner, dot, _word = ast.unparse(made.func).rpartition(".")
    new = f"{owner}{dot}{layer}()"
    if made is call.func:
        return replace_node(situation.place, call, f"{new}({ast.unparse(call.args[0])}, {target})")
    first, second = replace_node(situation.place, made, new), replace_node(situation.place, call.args[1], target)
    return first._replace(more=(second,)) if first and second else None


def are_classes(scores, classes):
    """Return True if one tensor holds column indices of the other, one per row."""
    if scores.dim() != 2 or scores.shape[1] < 2 or tuple(classes.shape) != (scores.shape[0],) or not classes.numel():
        return False
    if classes.is_floating_point() and bool((classes != classes.round()).any()):
        return False
    return bool((classes >= 0).all()) and bool((classes < scores.shape[1]).all())


def other_loss(situation, call):
    """Return (what to replace, cross entropy in its place) for a call of a loss; None for other calls."""
    text = ast.unparse(call.func)
    owner, dot, word = text.rpartition(".")
    if word in FUNCTIONS:
        return call.func, f"{owner}{dot}cross_entropy"
    made = find_maker(situation, call)
    if made is None or made.args or made.keywords:
        return None
    owner, dot, word = ast.unparse(made.func).rpartition(".")
    return (made, f"{owner}{dot}CrossEntropyLoss()") if word in LAYERS else None


def find_maker(situation, call):
    """Return the call that made the layer which is called: inline, or where its name was assigned; None if unknown."""
    made = call.func
    if isinstance(made, ast.Name):
        statement = situation.find_assignment(made.id)
        made = statement.value if isinstance(statement, ast.Assign) else None
    return made if isinstance(made, ast.Call) else None
