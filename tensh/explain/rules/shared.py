"""What rules share: operands as data, what to call them, the operation as a function."""

import operator

from tensh.engine import named
from tensh.explain.model import Operand

FUNCTIONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "@": operator.matmul, "**": operator.pow,
    "//": operator.floordiv, "%": operator.mod, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def operand(argument, marked=()):
    value = argument.value
    return Operand(argument.text, tuple(value.shape), str(value.dtype).removeprefix("torch."), frozenset(marked))


def said(argument, otherwise="it"):
    return argument.text if argument.text and len(argument.text) <= 30 else otherwise


def function_of(call):
    """The operation as a function of its arguments."""
    if call.symbol.rstrip("=") in FUNCTIONS and call.symbol != "[]":
        return FUNCTIONS[call.symbol if call.symbol in FUNCTIONS else call.symbol.rstrip("=")]
    name = call.name.rstrip("_")
    try:
        return named(name)
    except AttributeError:
        from tensh.nn import functional

        return getattr(functional, name)


def tensors_of(call):
    """The tensors of a call, also those in its lists."""
    for argument in call.arguments:
        if hasattr(argument.value, "requires_grad"):
            yield argument.value
        elif isinstance(argument.value, list | tuple):
            yield from (each for each in argument.value if hasattr(each, "requires_grad"))


def grouped(text):
    """An expression that something can stand behind."""
    return (
        text if text.isidentifier() or text.endswith((")", "]")) and text[0] != "(" and " " not in text else f"({text})"
    )


def each(argument, *changes):
    return [{argument: change} for change in changes]
