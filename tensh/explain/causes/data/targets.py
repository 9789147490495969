"""Targets that suit another loss: class indices beside a score for each class."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import operand_of, replace_node
from tensh.explain.model import Explanation
from tensh.support.language import _

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
    if is_one_score(scores, classes) and ast.unparse(call.func).rpartition(".")[2] == "cross_entropy":
        return explain_one_score(situation, call, scores, classes)
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


def is_one_score(scores, classes):
    """True if each sample has one score and a binary target."""
    if scores.dim() != 1 or scores.shape != classes.shape or not scores.is_floating_point() or not classes.numel():
        return False
    return bool(((classes == 0) | (classes == 1)).all())


def explain_one_score(situation, call, scores, classes):
    """Explain `F.cross_entropy(scores, classes)` with one score per sample."""
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
    operands = (operand_of(first, scores), operand_of(second, classes))
    return Explanation("loss", operands, rule.format(first=first), (fit,)) if fit else None


def are_classes(scores, classes):
    """True if one tensor holds column indices of the other, one per row."""
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
    made = call.func
    if isinstance(made, ast.Name):
        statement = situation.find_assignment(made.id)
        made = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(made, ast.Call) or made.args or made.keywords:
        return None
    owner, dot, word = ast.unparse(made.func).rpartition(".")
    return (made, f"{owner}{dot}CrossEntropyLoss()") if word in LAYERS else None
