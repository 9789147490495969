"""Slips on an earlier line that fail later: a comma left out of an index, the operands of a product exchanged."""

import ast

from tensh.explain.causes.situation import replace_node
from tensh.explain.history import follow
from tensh.explain.model import Explanation
from tensh.explain.replaying import works_after
from tensh.support.language import _


def explain_earlier_slip(situation):
    """Explain a failure over shapes by a slip on the way to it, if the code works without the slip."""
    path = situation.place.path()
    if not path or not isinstance(path[-1], ast.expr) or not isinstance(situation.error, RuntimeError | ValueError):
        return None
    for step in follow(path[-1], situation):
        for node in ast.walk(step.node):
            for slip in SLIPS:
                code = slip.correct(node, step)
                if code is None or works_after(situation, step, node, code, path[-1]) is not True:
                    continue
                fit = replace_node(step.place, node, code)
                rule = slip.say().format(text=ast.unparse(node), line=node.lineno, code=code)
                return Explanation("shape", (), rule, (fit,)) if fit else None
    return None


class LeftOutComma:
    """`output[: -1]` for `output[:, -1]`."""

    @staticmethod
    def correct(node, step):
        match node:
            case ast.Subscript(value=owner, slice=ast.Slice(lower=None, step=None, upper=ast.expr() as upper)):
                return f"{ast.unparse(owner)}[:, {ast.unparse(upper)}]"
        return None

    @staticmethod
    def say():
        return _("{text} on line {line} slices the first dimension; {code} takes an index of the second")


class ExchangedOperands:
    """`k.mT @ q` for `q @ k.mT`, which fits, too, but gives another shape."""

    @staticmethod
    def correct(node, step):
        if step.parent is not None and isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return ast.unparse(ast.BinOp(node.right, ast.MatMult(), node.left))
        return None

    @staticmethod
    def say():
        return _("the operands of {text} on line {line} are exchanged: {code} gives a shape that fits")


SLIPS = (LeftOutComma, ExchangedOperands)
