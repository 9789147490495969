"""Systems of linear equations."""

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import operand
from tensh.explain.trying import each, fits, swap_operands
from tensh.support.language import _


def system(call, text):
    """A is square, and B has as many rows as A."""
    if len(call.tensors) != 2:
        return None
    a, b = call.tensors
    rule = _("{name} expects a square matrix A first, [n, n], then B with n rows").format(name=call.name)
    found = fits(call, [swap_operands(call), *each(call, b, ".T", ".mT")], most=1)
    return Explanation(call.name, (operand(a), operand(b)), rule, found)
