"""Arguments that do not fit the declaration of an overload: PyTorch's errors, raised after a call has failed."""

import numpy as np

from tensh.engine.core.ports import Port
from tensh.engine.core.tensor import wrap

ONLY_TENSORS = frozenset("add sub mul div floor_divide true_divide divide multiply subtract".split())
"""Operators whose overload for tensors takes numbers, too, in Python."""
NUMBER = wrap(np.zeros(()))

bind_arguments, read_parameters = (Port("_library.schema", name) for name in ("bind_arguments", "read_parameters"))
"""Arguments of a call against a declaration, and the parameters of one."""


def require_fitting(overload, args, kwargs):
    """Raise PyTorch's error for arguments that do not fit the declaration; asked after a failure only."""
    declared = overload._schema
    if overload._opname.removesuffix("_") in ONLY_TENSORS:
        args = [
            NUMBER
            if isinstance(value, (int, float, complex)) and place < 2 and takes_tensor(declared, place)
            else value
            for place, value in enumerate(args)
        ]
    for place, (argument, value) in enumerate(zip(declared.arguments, args)):
        if value is None and argument.type == "Tensor":
            raise RuntimeError(
                f"Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #{place} '{argument.name}'"
            )
    bind_arguments(f"{overload.namespace}::{overload._opname}", declared, read_parameters(declared), args, kwargs)


def takes_tensor(declared, place):
    """Return True if the argument at a place is a tensor, which a number may stand for."""
    return place < len(declared.arguments) and declared.arguments[place].type == "Tensor"


def describe_misfits(
    overloads, args, kwargs, first="Overloaded torch operator invoked from Python failed to match any schema:\n"
):
    """Return the error for arguments that no overload takes: why each does not."""
    lines = [first]
    for overload in overloads:
        try:
            require_fitting(overload, args, kwargs)
        except RuntimeError as error:
            lines.append(f"{error}\n\n")
    return "".join(lines)
