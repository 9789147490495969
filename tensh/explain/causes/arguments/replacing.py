"""The Explanation with a replaced argument, shared by all kinds."""

from tensh.explain.causes.situation import replace_node
from tensh.explain.model import Explanation


def explain_replacement(situation, operation, rule, node, new, advice=None, operands=()):
    """Return the Explanation with a piece of code replaced; None if that is impossible and there is no advice."""
    fit = replace_node(situation.place, node, new) if new else None
    return (
        Explanation(operation, operands, rule, (fit,) if fit else (), None if fit else advice)
        if fit or advice
        else None
    )
