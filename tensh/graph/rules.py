"""The rules of differentiation as learners know them: what the derivative of an operation is called, and how it reads.

``{input}``, ``{other}`` and so on stand for the operands, ``{out}`` for the result.  What has no line here is explained by the
operator table's own derivative.
"""

from typing import NamedTuple


class Rule(NamedTuple):
    """How a local derivative reads, and why it is that; either may be missing."""

    text: str | None = None
    because: str = ""


SAME = Rule("1")
RULES = {
    ("add", "input"): SAME, ("add", "other"): SAME, ("sub", "input"): SAME, ("sub", "other"): Rule("-1"),
    ("mul", "input"): Rule("{other}", "product rule: the other factor"),
    ("mul", "other"): Rule("{input}", "product rule: the other factor"),
    ("div", "input"): Rule("1 / {other}", "a quotient is linear in its numerator"),
    ("div", "other"): Rule("-{input} / {other} ** 2", "quotient rule"),
    ("pow", "input"): Rule("{exponent} * {input} ** ({exponent} - 1)", "power rule"),
    ("pow", "exponent"): Rule("{out} * log({input})", "a power is e ** (exponent * log(base))"),
    ("neg", "input"): Rule("-1"),
    ("exp", "input"): Rule("{out}", "exp is its own derivative"),
    ("log", "input"): Rule("1 / {input}"),
    ("sqrt", "input"): Rule("1 / (2 * {out})", "power rule with exponent 1/2"),
    ("sin", "input"): Rule("cos({input})"), ("cos", "input"): Rule("-sin({input})"),
    ("tanh", "input"): Rule("1 - {out} ** 2"),
    ("sigmoid", "input"): Rule("{out} * (1 - {out})"),
    ("relu", "input"): Rule(None, "1 where the input is positive, 0 elsewhere"),
    ("abs", "input"): Rule(None, "the sign of the input"),
    ("sum", "input"): Rule(None, "every element counts once"),
    ("mean", "input"): Rule(None, "every element counts one part of their number"),
    ("mm", "input"): Rule(None, "rows of the other matrix: g @ other.T"),
    ("mm", "mat2"): Rule(None, "the other matrix first: input.T @ g"),
    ("expand", "input"): Rule(None, "each copy brings its own: they are summed"),
    ("view", "input"): Rule(None, "the same elements in another shape"),
    ("t", "input"): Rule(None, "the same elements, transposed"),
}  # fmt: skip


def rule(node, edge):
    """The rule for an operand of a node."""
    return RULES.get((node.operation, edge.parameter), Rule())
