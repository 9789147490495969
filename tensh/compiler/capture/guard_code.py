"""The function that checks guards, and that finds the tensors of a call."""

from tensh.engine.arrays.owners import memory_of
from tensh.engine.codegen.source import compile_source, indent_lines
from tensh.engine.core.views import refresh_node

__all__ = ["compile_guards"]


def compile_guards(guards, inputs, grad, objects=(), distinct=False):
    """Write ``guard(args, kwargs)`` for the tensors ``inputs``; ``grad`` is True if gradients are recorded.

    The function returns the tensors, and behind them the containers with the contents ``objects``; None if a guard fails.
    """
    grad = grad or guards.needs_history
    guards.add_absent()
    body, names = [f"if not ({check}): return None" for check in guards.checks], []
    for number, (path, tensor) in enumerate(inputs):
        name = f"t{number}"
        names.append(name)
        body += write_checks(guards, name, path, tensor, grad)
    tensors = ", ".join(names)
    if distinct and len(names) > 1:
        body.append(f"if len({{id(memory_of(t.array)) for t in ({tensors},)}}) < {len(names)}: return None")
    names += [each.path for each in objects]
    body.append(f"return ({', '.join(names)}{',' * (len(names) == 1)})")
    lines = ["def guard(args, kwargs):", "try:", *(f"    {line}" for line in body)]
    lines.append("except (LookupError, AttributeError, TypeError, ValueError, RuntimeError): return None")
    guards.namespace.update(refresh_node=refresh_node, memory_of=memory_of)
    compile_source(indent_lines(lines), f"guards of {guards.title}", guards.namespace)
    return guards.namespace["guard"]


def write_checks(guards, name, path, tensor, grad):
    """Return the lines that find a tensor and compare its kind, shape and history."""
    array = tensor.array
    facts = [
        f"type({name}) is not {guards.constant(type(tensor))}",
        f"a.shape != {array.shape}",
        f"a.dtype is not {guards.constant(array.dtype)}",
        *([f"a.strides != {array.strides}"] if array.ndim else []),
    ]
    lines = [f"{name} = {path}; a = {name}.array", f"if {' or '.join(facts)}: return None"]
    if grad and array.dtype.kind in "fVcW":
        node = f"({name}.node if {name}._base is None else refresh_node({name}))"
        lines.append(f"if ({node} is None) is {tensor.node is not None}: return None")
    return lines
