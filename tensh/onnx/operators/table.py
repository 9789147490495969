"""Registration of operators, and helpers of their functions."""

import tensh as torch
from tensh.onnx.builder import TYPES

OPERATORS = {}
"""Name of an ONNX operator -> its function."""


class MissingOperator(NotImplementedError):
    """An operator, or a setting of one, that tensh cannot run."""


def operator(function):
    """Register a function as the operator with its name."""
    OPERATORS[function.__name__] = function
    return function


def declare(table, namespace):
    """Declare operators in a text, one per line: a signature and an expression. Other attributes are ignored."""
    for line in table.strip().splitlines():
        signature, expression = line.replace(")", ")\0", 1).split("\0")
        name, parameters = signature.rstrip(")").split("(")
        function = eval(f"lambda {parameters}, **attributes: {expression}", namespace)
        function.__name__ = function.__qualname__ = name
        namespace[name] = operator(function)


def ints(value):
    """Convert a vector of integers to a list."""
    return [int(each) for each in value.tolist()] if isinstance(value, torch.Tensor) else list(value)


def axes_of(given, attribute):
    """Return the axes of a node as a list, from an input (newer opsets) or an attribute; None without either."""
    return ints(given) if given is not None else attribute


def dtype_of(number):
    """Return the dtype for an ONNX number."""
    name = next((name for name, known in TYPES.items() if known == number), None)
    if name is None:
        raise MissingOperator(f"tensh has no dtype for ONNX type {number}")
    return getattr(torch, name)
