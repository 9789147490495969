"""Registration of operators, and helpers of their functions."""

import tensh as torch
from tensh.onnx.builder import TYPES

OPERATORS = {}
"""Name of an operator of ONNX -> the function."""


class MissingOperator(NotImplementedError):
    """An operator, or a setting of one, that tensh does not run."""


def operator(function):
    """Register a function as the operator of its name."""
    OPERATORS[function.__name__] = function
    return function


def declare(table, namespace):
    """Make the operators of a text in a namespace: a line each, a signature and an expression. Other attributes are ignored."""
    for line in table.strip().splitlines():
        signature, expression = line.replace(")", ")\0", 1).split("\0")
        name, parameters = signature.rstrip(")").split("(")
        function = eval(f"lambda {parameters}, **attributes: {expression}", namespace)
        function.__name__ = function.__qualname__ = name
        namespace[name] = operator(function)


def ints(value):
    """Convert a vector of whole numbers to a list."""
    return [int(each) for each in value.tolist()] if isinstance(value, torch.Tensor) else list(value)


def axes_of(given, attribute):
    """The axes of a node as a list: an input in newer opsets, an attribute in older ones; None without either."""
    return ints(given) if given is not None else attribute


def dtype_of(number):
    """The dtype of a number of ONNX."""
    name = next((name for name, known in TYPES.items() if known == number), None)
    if name is None:
        raise MissingOperator(f"tensh has no dtype for the type {number} of ONNX")
    return getattr(torch, name)
