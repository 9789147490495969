"""Warnings and errors when Python reads the elements of a traced tensor."""

from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.errors.warnings import warn
from tensh.tracing.recorder import describe_place


class TracerWarning(Warning):
    """Warning: a trace depends on a value that Python has read."""

    __module__ = "torch.jit"


class DataDependentError(RuntimeError):
    """Raised if a program branches on elements of a tensor, which an exported program cannot."""


CONSTANT = (
    "might cause the trace to be incorrect. We can't record the data flow of Python values, so this value will be treated as a "
    "constant in the future. This means that the trace might not generalize to other inputs!"
)
TEXTS = {
    "boolean": f"Converting a tensor to a Python boolean {CONSTANT}",
    "integer": f"Converting a tensor to a Python integer {CONSTANT}",
    "float": f"Converting a tensor to a Python float {CONSTANT}",
    "index": f"Converting a tensor to a Python index {CONSTANT}",
    "number": f"Converting a tensor to a Python number {CONSTANT}",
    "list": f"Converting a tensor to a Python list {CONSTANT}",
    "array": f"Converting a tensor to a NumPy array {CONSTANT}",
    "length": "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage would be tensor.shape[0]. Passing a "
    "tensor of different shape might lead to errors or silently give incorrect results.",
    "iteration": "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of different shape won't change the "
    "number of iterations executed (and might lead to errors or silently give incorrect results).",
    "tensor": "{} results are registered as constants in the trace. You can safely ignore this warning if you use this function "
    "to create tensors out of constant variables that would be the same every time you call this function. In any other case, this "
    "might cause the trace to be incorrect.",
}
"""Kind of value that Python reads -> warning."""


def warn_of_reading(kind, function):
    """Warn, at the user's line, that Python reads a tensor or makes one from data."""
    warn(TEXTS[kind].format(function), TracerWarning)


def refuse_reading(kind, function):
    """Raise DataDependentError with the line that reads elements."""
    if kind in ("length", "iteration", "tensor"):  # properties of the shape, which are checked when the program runs
        return
    found, _ = find_place()
    text, place = describe_place(found) if found is not None else ("", ())
    where = f" at {place[0]}:{place[1]} in {place[2]}\n{text}" if place else ""
    raise DataDependentError(
        f"Could not guard on data-dependent expression: Python reads a tensor as a {kind}{where}\n"
        "An exported program cannot contain Python branches: compute both results and choose with torch.where, or make the value an "
        "argument"
    )
