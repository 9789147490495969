"""Declaration of forms: an expression in the operators of ONNX, a function of the builder, or a program of other operators."""

from dataclasses import dataclass
from typing import Any

END = 2**63 - 1
"""The end of a slice that ends with the dimension."""
FORMS = {}
"""Name of an operator of ``aten``, or of a public function that no operator stands for -> its Form."""


@dataclass
class Form:
    """``compute`` is compiled text or a function ``(builder, node, **arguments)``; ``operands`` says how they are converted.

    "result": operands get the dtype of the result; "common": the dtype that they promote to; "as they are": none changes.
    """

    name: str
    compute: Any
    operands: str = "as they are"
    text: str = ""


def declare(table, operands):
    """Declare forms from a text: a line each, the names of the operators (with commas between), then the expression."""
    for line in table.strip().splitlines():
        names, expression = line.strip().split(maxsplit=1)
        code = compile(expression, f"<ONNX form of {names}>", "eval")
        for name in names.split(","):
            FORMS[name] = Form(name, code, operands, expression)


def form(names, operands="as they are"):
    """Decorate a function of the builder, the node and the operator's arguments by name."""

    def register(function):
        for name in names.split():
            FORMS[name] = Form(name, function, operands)
        return function

    return register


def compose(names):
    """Decorate a program in public functions that computes the same: it is traced, and its operators are converted."""

    def register(function):
        for name in names.split():
            FORMS[name] = Form(name, function, "composed")
        return function

    return register


def operator_name(node):
    """The name of a node's operator, or of the public function that stands for it."""
    target = node.target
    return getattr(target, "_opname", None) or (target if isinstance(target, str) else target.__name__)


def along(dim, rank):
    """The shape that lays a vector along one of ``rank`` dimensions: ``[1, -1, 1]``."""
    sides = [1] * rank
    sides[dim] = -1
    return sides
