"""Warnings and errors when Python reads the elements of a traced tensor."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.override.state import state
from tensh.engine.errors.warnings import warn
from tensh.tracing.deciding import decide
from tensh.tracing.places import describe_place


class TracerWarning(Warning):
    """Warning: a trace depends on a value that Python has read."""

    __module__ = "torch.jit"


class GuardOnDataDependentSymNode(RuntimeError):
    """Raised if a program branches on elements of a tensor, which an exported program cannot."""

    __module__ = "torch.fx.experimental.symbolic_shapes"


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


def watch_iteration(recorder):
    """Return the ``__iter__`` of tensors that reports loops of the program over traced tensors."""
    original = Tensor.__iter__

    def __iter__(self):
        if recorder.on_read and self.array.ndim and recorder in state.modes and recorder.knows(self):
            recorder.on_read("iteration", "__iter__")
        return original(self)

    return __iter__


def refuse_reading(kind, function):
    """Raise GuardOnDataDependentSymNode with the line that reads elements."""
    if kind in ("length", "iteration", "tensor"):  # properties of the shape, which are checked when the program runs
        return
    known = "Eq(u0, 1)" if kind == "boolean" else "u0"
    decide(known, None, lambda: describe_refusal(kind, known))


def describe_refusal(kind, known):
    """Return the error of a program that reads elements."""
    article = "an" if kind[0] in "aeiou" else "a"
    if kind in ("integer", "index"):
        what = "Could not extract specialized integer from data-dependent expression u0 (unhinted: u0)."
    else:
        what = f"Could not guard on data-dependent expression {known} (unhinted: {known})."
    return GuardOnDataDependentSymNode(
        f"{what}  (Size-like symbols: none)\n\nPython reads a tensor as {article} {kind}.\n{describe_reading()}"
    )


def describe_reading():
    """Describe the user's line, and what to do instead."""
    found, _ = find_place()
    text, place = describe_place(found) if found is not None else ("", ())
    where = f"Caused by: ({place[0]}:{place[1]} in {place[2]})\n{text}\n" if place else ""
    return (
        f"{where}An exported program cannot contain Python branches: choose between functions with torch.cond, between results with "
        "torch.where, or make the value an argument"
    )
