"""Registration of operators, and helpers of their functions."""

import tensh as torch
from tensh.onnx.builder import TYPES

OPERATORS = {}
"""Name of an ONNX operator, after that of its domain if it is no standard one -> its function."""


class MissingOperator(NotImplementedError):
    """An operator, or a setting of one, that tensh cannot run."""


def operator(function, domain="", name=None):
    """Register a function as the operator with its name, or another one."""
    OPERATORS[path_of(name or function.__name__, domain)] = function
    return function


def path_of(name, domain):
    """Return the name of an operator, after that of its domain if it is no standard one."""
    return name if domain in ("", "ai.onnx") else f"{domain}.{name}"


def declare(table, namespace, domain=""):
    """Declare operators in a text, one per line: a signature and an expression. Other attributes are ignored."""
    for line in table.strip().splitlines():
        signature, expression = line.replace(")", ")\0", 1).split("\0")
        name, parameters = signature.rstrip(")").split("(")
        function = eval(f"lambda {parameters}, **attributes: {expression}", namespace)
        function.__name__ = function.__qualname__ = name
        namespace[name] = operator(function, domain)


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
