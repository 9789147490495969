"""The cut in the history of a tensor: the code that takes a value that requires grad and returns one that does not.

The history is followed backwards, and each expression is examined in three ways: forms that always cut (`.detach()`,
`.item()`, ...) are recognised, others are tried on stand-ins that record graphs, and user definitions are read.
"""

import ast

from tensh.engine.autograd.modes import is_grad_enabled
from tensh.engine.core.tensor import Tensor
from tensh.explain.cuts.cut import Cut, cut_by_block, inner_first
from tensh.explain.cuts.definitions import find_cut_in_definition
from tensh.explain.cuts.sight import find_cut_by_sight
from tensh.explain.cuts.trial import find_cut_by_trial
from tensh.explain.source.history import follow
from tensh.explain.source.pieces import names_in
from tensh.explain.source.place import iterate_scope
from tensh.explain.trials.shadow import Shadow
from tensh.support.language import _


def find_cut(node, situation):
    """Return the Cut in the history of an expression of the failing code; None if none is certain."""
    for followed in follow(node, situation):
        cut = locate_cut(followed, situation)
        if cut is not None:
            return cut
    if not is_grad_enabled():
        return Cut(_("was computed while gradients were off (no_grad, or set_grad_enabled(False))"))
    return None


def locate_cut(followed, situation, of=None):
    """Return the Cut in an expression or by the block around it; with ``of`` only in what is computed from that name."""
    tree = followed.place.tree()
    if tree is None:
        return None
    is_computed_here = any(isinstance(each, ast.Call | ast.BinOp) for each in ast.walk(followed.node))
    keeps_history = getattr(situation.names.get(followed.name), "requires_grad", False)
    if (followed.parent or is_computed_here) and not keeps_history:
        line = followed.place.line
        cut = cut_by_block(tree, ast.Pass(lineno=line, end_lineno=line))
        if cut is not None:
            return cut
    known = {name: value for name, value in situation.names.items() if name in names_in(ast.unparse(followed.node))}
    late = find_late_flag(followed, tree, known) if followed.parent and of is None else None
    if late is not None:
        return late
    shadow = Shadow({}, known, grad=True)
    for node in inner_first(followed.node):
        if of is not None and of not in names_in(ast.unparse(node)):
            continue
        cut = (
            find_cut_by_sight(node, followed, shadow)
            or find_cut_by_trial(node, followed, shadow)
            or find_cut_in_definition(node, followed, situation)
        )
        if cut is not None:
            return cut
    return None


def find_late_flag(followed, tree, known):
    """Return the Cut of a tensor that required grad only after something had been computed from it."""
    for name, value in known.items():
        if not issubclass(type(value), Tensor) or not value.requires_grad or not value.is_leaf:
            continue
        for node in iterate_scope(tree):
            is_later = isinstance(node, ast.Expr | ast.Assign) and node.lineno > followed.place.line
            code = ast.unparse(node) if is_later else ""
            if code in (f"{name}.requires_grad_()", f"{name}.requires_grad_(True)", f"{name}.requires_grad = True"):
                sentence = _("was computed before {name} required grad: {code} is on line {line}")
                advice = _("{code} before it").format(code=code)
                return Cut(sentence.format(name=name, code=code, line=node.lineno), (), advice)
    return None
