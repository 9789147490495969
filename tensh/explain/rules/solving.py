"""Systems of linear equations, and factors that only positive definite matrices have."""

import numpy as np

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trials.fixes import each, fits, swap_operands
from tensh.support.language import _

MOST_ROWS = 500  # largest matrix whose eigenvalues are computed


def explain_system(call, text):
    """A is square, and B has as many rows as A."""
    if len(call.tensors) != 2:
        return None
    a, b = call.tensors
    rule = _("{name} expects a square matrix A first, [n, n], then B with n rows").format(name=call.name)
    found = fits(call, [swap_operands(call), *each(call, b, ".T", ".mT")], most=1)
    return Explanation(call.name, (operand(a), operand(b)), rule, found)


def explain_positive_definite(call, text):
    """A matrix with a Cholesky factor is symmetric, and has positive eigenvalues only."""
    a = call.tensors[0] if call.tensors else None
    if (
        a is None
        or a.value.dim() != 2
        or a.value.shape[0] != a.value.shape[1]
        or a.value.shape[0] > MOST_ROWS
        or a.value.is_complex()
    ):
        return None
    t = a.value.detach()
    if not bool(t.isfinite().all()):
        return None
    lowest = np.linalg.eigvalsh(t.double().numpy()).min()
    rule = _("{name} must have positive eigenvalues, but the smallest is {lowest:.3g}").format(
        name=name_or_phrase(a), lowest=lowest
    )
    advice = _("add a small multiple of torch.eye(n) to a matrix that is nearly so")
    return Explanation(call.symbol, (operand(a),), rule, (), advice)
