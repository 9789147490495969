"""Slips that fail later: a comma left out of an index, exchanged operands of a product, an index of each sample."""

import ast

from tensh.explain.model import Explanation
from tensh.explain.source.history import follow
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.replaying import works_after
from tensh.support.language import _


def explain_earlier_slip(situation):
    """Explain a failure over shapes by a slip on the way to it, if the code works without the slip."""
    path = situation.place.path()
    if not path or not isinstance(path[-1], ast.expr) or not isinstance(situation.error, RuntimeError | ValueError):
        return None
    for step in follow(path[-1], situation):
        for node in ast.walk(step.node):
            for slip in SLIPS:
                code = slip.correct(node, step, situation)
                if code is None or works_after(situation, step, node, code, path[-1]) is not True:
                    continue
                fit = replace_node(step.place, node, code)
                rule = slip.say().format(text=ast.unparse(node), line=node.lineno, code=code)
                return Explanation("shape", (), rule, (fit,)) if fit else None
    return None


class LeftOutComma:
    """`output[: -1]` for `output[:, -1]`."""

    @staticmethod
    def correct(node, step, situation):
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
    def correct(node, step, situation):
        if step.parent is not None and isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return ast.unparse(ast.BinOp(node.right, ast.MatMult(), node.left))
        return None

    @staticmethod
    def say():
        return _("the operands of {text} on line {line} are exchanged: {code} gives a shape that fits")


class PairedIndex:
    """`h[:, lengths - 1]`, an index for each sample, which takes all of them of every sample."""

    @staticmethod
    def correct(node, step, situation):
        match node:
            case ast.Subscript(value=owner, slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), index, *rest])):
                t, places = situation.tensor_of(owner), situation.tensor_of(index)
            case _:
                return None
        if t is None or places is None or places.dim() != 1 or len(places) != t.shape[0] or places.is_floating_point():
            return None
        text = ast.unparse(owner)
        more = "".join(f", {ast.unparse(each)}" for each in rest)
        return f"{text}[torch.arange(len({text})), {ast.unparse(index)}{more}]"

    @staticmethod
    def say():
        return _("{text} on line {line} takes all these indices of every sample, not one of each")


SLIPS = (LeftOutComma, ExchangedOperands, PairedIndex)
