"""Several numbers where a function takes one: Python's max of tensors, the gradient of a non-scalar tensor."""

import ast

from tensh.explain.situation import explain_replacement, operand_of
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

PAIRWISE = {"max": "maximum", "min": "minimum"}  # Python's functions -> torch's


def explain_extreme_by_python(situation, node):
    """Explain `max(a, b)` of tensors: Python's function compares them with `if`."""
    name = ast.unparse(node.func)
    if name not in PAIRWISE or len(node.args) != 2 or not situation.says("Boolean value of Tensor"):
        return None
    tensors = [situation.tensor_of(each) for each in node.args]
    if None in tensors:
        return None
    if name == "max":
        rule = _("Python's max compares once; to compare element by element, use torch.{function}")
    else:
        rule = _("Python's min compares once; to compare element by element, use torch.{function}")
    rule = rule.format(function=PAIRWISE[name])
    given = [ast.unparse(each) for each in node.args]
    operands = tuple(operand_of(text, t) for text, t in zip(given, tensors, strict=True))
    return explain_replacement(
        situation, name, rule, node, f"torch.{PAIRWISE[name]}({', '.join(given)})", operands=operands
    )


def explain_many_for_gradient(situation, node):
    """Explain `torch.autograd.grad(y, x)` of a tensor with several elements."""
    if not situation.says("grad can be implicitly created only for scalar outputs") or not node.args:
        return None
    t = situation.tensor_of(node.args[0])
    if t is None or not ast.unparse(node.func).endswith("grad"):
        return None
    text = ast.unparse(node.args[0])
    rule = _("a gradient is the derivative of one number, but {text} has {count}: which one is meant?").format(
        text=text, count=t.numel()
    )
    return explain_replacement(
        situation, "grad", rule, node.args[0], append_to_expression(text, ".sum()"), operands=(operand_of(text, t),)
    )


KINDS = (
    explain_extreme_by_python,
    explain_many_for_gradient,
)
