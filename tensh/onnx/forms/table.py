"""Declaration of forms: an expression in ONNX operators, a function of the builder, or a composed function."""

from dataclasses import dataclass
from typing import Any

END = 2**63 - 1
"""The end of a slice that extends to the end of a dimension."""
FORMS = {}
"""Name of an operator of ``aten``, or of a public function without an operator -> its Form."""


@dataclass
class Form:
    """``compute`` is text or a function ``(builder, node, **arguments)``; ``operands`` determines their conversion.

    "result": operands get the dtype of the result; "common": the dtype to which they promote; "as they are": no
    conversion.
    """

    name: str
    compute: Any
    operands: str = "as they are"
    text: str = ""


def declare(table, operands):
    """Declare forms in a text, one per line: the names of the operators, separated by commas, then the expression."""
    for line in table.strip().splitlines():
        names, expression = line.strip().split(maxsplit=1)
        code = compile(expression, f"<ONNX form of {names}>", "eval")
        for name in names.split(","):
            FORMS[name] = Form(name, code, operands, expression)


def form(names, operands="as they are"):
    """Decorate a function of the builder, the node, and the operator's arguments by name."""

    def register(function):
        for name in names.split():
            FORMS[name] = Form(name, function, operands)
        return function

    return register


def compose(names):
    """Decorate an equivalent function of public functions: it is traced, and its operators are converted."""

    def register(function):
        for name in names.split():
            FORMS[name] = Form(name, function, "composed")
        return function

    return register


def operator_name(node):
    """Return the name of a node's operator, or of a public function without one."""
    target = node.target
    return getattr(target, "_opname", None) or (target if isinstance(target, str) else target.__name__)


def along(dim, rank):
    """Return the shape in which a vector extends along one of ``rank`` dimensions: ``[1, -1, 1]``."""
    sides = [1] * rank
    sides[dim] = -1
    return sides
