"""The rules by the names of their operators, and the tensors that rules make."""

import tensh as torch
from tensh._aten.calls import aten

RULES, VIEWS = {}, {}
"""Name of an operator, or of one overload -> its rule; ``VIEWS`` has those of composed functions that may return a view."""


def rule(*names, table=RULES):
    """Decorate the rule of operators (``t``) or of single overloads (``squeeze.dim``)."""

    def register(function):
        table.update(dict.fromkeys(names, function))
        return function

    return register


def view_rule(*names):
    """Decorate the rule of a function that programs without writes never keep, because its result may be a view."""
    return rule(*names, table=VIEWS)


STRIDED = {"layout": torch.strided}
PLACE = {"device": torch.device("cpu")}


def full(size, value, dtype):
    """Make a tensor of one number."""
    value = bool(value) if dtype is torch.bool else value
    return aten("full", list(size), value, dtype=dtype, **STRIDED, **PLACE, pin_memory=False)


def scalar(value, dtype):
    """Make a number a tensor."""
    made = torch.ops.aten.scalar_tensor.default
    return made(value, dtype=dtype, **STRIDED, **PLACE)


def count(size, dtype=None):
    """Make the numbers from 0 below ``size``."""
    kind = {} if dtype is None else {"dtype": dtype}
    return aten("arange", 0, size, 1, **kind, **STRIDED, **PLACE, pin_memory=False)


def convert(input, dtype):
    """Convert a tensor to another dtype."""
    return input if input.dtype == dtype else aten("_to_copy", input, dtype=dtype)


def reduce(loss, reduction):
    """Reduce a loss: 0 leaves it, 1 is the mean, 2 the sum."""
    return aten(("", "mean", "sum")[reduction], loss) if reduction else loss
