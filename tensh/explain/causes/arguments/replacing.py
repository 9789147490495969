"""What the kinds share: the Explanation that puts other code in the place of an argument."""

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
