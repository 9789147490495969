"""What the kinds share: the tensor that an argument is, and the Explanation that puts other code in its place."""

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import replace_node
from tensh.explain.model import Explanation


def explain_replacement(situation, operation, rule, node, new, advice=None, operands=()):
    """The Explanation with one piece of code replaced; None if it cannot be, and there is no advice."""
    fit = replace_node(situation.place, node, new) if new else None
    return (
        Explanation(operation, operands, rule, (fit,) if fit else (), None if fit else advice)
        if fit or advice
        else None
    )


def tensor_of(situation, node):
    """The tensor that an expression is, on shapes only; None of anything else."""
    value = situation.look_up(node)
    value = situation.evaluate(node) if value is None else value
    return value if isinstance(value, Tensor) else None
