"""The notes of a recorder about each node: its value, the user's line, the modules, and the public function being called."""

from contextlib import contextmanager
from operator import getitem

from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.override.points import PYTHON
from tensh.tracing.places import describe_place, interpreted
from tensh.tracing.state import running

METHODS_IN_PYTHON = frozenset("Tensor.split pow_operator rpow_operator".split())
"""Methods of Tensor that PyTorch writes in Python, although tensh does not mark them so."""
SLOTS = {"__getitem__": "wrapper_descriptor", "__setitem__": "wrapper_descriptor", "__get__": "method-wrapper"}
"""Special method -> the type of that of PyTorch."""


@contextmanager
def calling(recorder, func, args, kwargs):
    """Note the public function that is being called; count it unless another one calls it."""
    recorder.called, outer = (func, args, kwargs), recorder.outer
    if outer is None:
        recorder.outer = func
        recorder.counts[func] = recorder.counts.get(func, 0) + 1
    try:
        yield
    finally:
        recorder.outer = outer


def describe(recorder, node, value):
    """Note what is known about a node when it is made."""
    node.meta["val"] = value
    place, modules = find_place()
    if place is not None or interpreted.place is not None:
        node.meta["stack_trace"], node.meta["place"] = describe_place(place)
    if recorder.apart:
        if recorder.entered:
            node.meta["nn_module_stack"] = {key: (path, cls) for key, path, cls, _ in recorder.entered}
    elif called := [(recorder.paths[each], type(each)) for each in modules if each in recorder.paths]:
        node.meta["nn_module_stack"] = {path: (path, cls) for path, cls in called}
    if recorder.calls:
        node.meta["calls"] = recorder.calls
    if running.states:
        node.meta["scope"] = running.states[-1].current_scope()
    if (func := recorder.outer) is not None:
        node.meta["torch_fn"] = f"{func.__name__}_{recorder.counts[func]}", f"{kind_of(func)}.{func.__name__}"
    elif node.op == "call_function" and (name := getattr(node.target, "_opname", None)):  # a module calls an operator
        recorder.counts[name] = recorder.counts.get(name, 0) + 1
        node.meta["torch_fn"] = f"{name}_{recorder.counts[name]}", f"builtin_function_or_method.{name}"
    elif node.target is getitem and "torch_fn" in node.args[0].meta:
        node.meta["torch_fn"] = node.args[0].meta["torch_fn"]


def kind_of(func):
    """Return the name of PyTorch's type of a public function."""
    name, path = func.__name__, getattr(func, "__qualname__", "")
    if getattr(func, "written_in_python", False) or name in PYTHON or path in METHODS_IN_PYTHON:
        return "function"
    if name in SLOTS:
        return SLOTS[name]
    return "method_descriptor" if path.startswith("Tensor.") or name.startswith("__") else "builtin_function_or_method"
