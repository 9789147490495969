"""Tracing: a function or module is run on examples, and its operations become a program without Python's branches."""

from functools import partial

from tensh.engine.errors.warnings import warn, warn_quietly
from tensh.jit._script import ScriptModule
from tensh.jit.graphs.ir import Graph
from tensh.jit.traced import TopLevelTracedModule, TracedFunction, TracedModule
from tensh.jit.traces.checks import as_arguments, as_tensors, check, require_tensors, separate, without_names
from tensh.jit.traces.liveness import drop_dead_code
from tensh.nn.modules.module import Module
from tensh.support.temporary import temporarily
from tensh.tracing.program import trace_program
from tensh.tracing.reading import TracerWarning, warn_of_reading
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt
from tensh.tracing.state import TracingState, is_tracing, running

__all__ = [
    "TopLevelTracedModule",
    "TracedModule",
    "TracerWarning",
    "TracingCheckError",
    "is_tracing",
    "trace",
    "trace_module",
]


class TracingCheckError(Exception):
    """A traced program whose results differ from those of the function."""


DEPRECATED = "`torch.jit.{}` is deprecated. Please switch to `torch.compile` or `torch.export`."


def trace(
    func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5, strict=True, _force_outplace=False,
    _module_class=None, _compilation_unit=None, example_kwarg_inputs=None, _store_inputs=True,
):  # fmt: skip
    """Run ``func`` on ``example_inputs``, a tensor or a tuple, and return a program that computes the same operators.

    The result of a function is a function, of a module a ``ScriptModule`` with the same parameters; ``graph`` and
    ``code`` show what was recorded. Sizes are traced, Python's branches are not: a TracerWarning is given where Python
    reads a tensor. With ``check_trace`` the results of the trace are compared with those of the function, and
    differences raise a warning. Raise RuntimeError for results that are not tensors, and for dictionaries and lists
    unless ``strict`` is False.

    >>> import tensh as torch
    >>> traced = torch.jit.trace(lambda x: torch.relu(x) + 1, torch.randn(2, 3))
    >>> print(traced.code.strip())
    def _lambda(x: Tensor) -> Tensor:
      _0 = torch.add(torch.relu(x), CONSTANTS.c0)
      return _0
    >>> traced(torch.tensor([-1., 1.]))
    tensor([1., 2.])
    """
    warn_quietly(DEPRECATED.format("trace"))
    if isinstance(func, ScriptModule):
        warn("The input to trace is already a ScriptModule, tracing it is a no-op. Returning the object as is.")
        return func
    if example_kwarg_inputs is not None:
        args, kwargs = (), dict(example_kwarg_inputs)
    else:
        if example_inputs is None:
            raise TypeError("'NoneType' object is not iterable")
        args, kwargs = as_arguments(example_inputs), {}
    checked = [args] if check_inputs is None else [as_arguments(each) for each in check_inputs]
    options = {"strict": strict, "check": check_trace, "tolerance": check_tolerance}
    if isinstance(func, Module):
        return trace_methods(func, {"forward": (args, kwargs)}, options, {"forward": checked})
    if not callable(func):
        raise RuntimeError(f"torch.jit.trace expects a function or a module, not {type(func).__name__}")
    owner = getattr(func, "__self__", None)
    if isinstance(owner, Module):
        name = func.__name__
        made = trace_methods(owner, {name: (args, kwargs)}, options, {name: checked})
        return made if name == "forward" else getattr(made, name)
    made = trace_function(func, args, kwargs, strict)
    check(made, func, checked, kwargs, options, partial(trace_function, func, strict=strict))
    return made


def trace_function(func, args, kwargs, strict):
    """Return a traced function."""
    made = TracedFunction(record(func, args, kwargs, strict), getattr(func, "__name__", type(func).__name__))
    made.__module__ = getattr(func, "__module__", None) or "__main__"
    return made


def trace_module(
    mod, inputs, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5, strict=True, _force_outplace=False,
    _module_class=None, _compilation_unit=None, example_inputs_is_kwarg=False, _store_inputs=True,
):  # fmt: skip
    """Trace methods of a module: ``inputs`` maps their names to examples, as for ``trace``.

    Each of ``check_inputs`` maps the names to the examples of one comparison.

    >>> import tensh as torch
    >>> made = torch.jit.trace_module(torch.nn.Linear(2, 2), {"forward": torch.ones(1, 2)})
    >>> made(torch.ones(1, 2)).shape
    torch.Size([1, 2])
    """
    warn_quietly(DEPRECATED.format("trace_method"))
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    given = {
        name: ((), dict(each)) if example_inputs_is_kwarg else (as_arguments(each), {}) for name, each in inputs.items()
    }
    checked = {
        name: [args] if check_inputs is None else [as_arguments(each[name]) for each in check_inputs]
        for name, (args, _) in given.items()
    }
    return trace_methods(mod, given, {"strict": strict, "check": check_trace, "tolerance": check_tolerance}, checked)


def trace_methods(module, given, options, checked):
    """Return the traced module with a program for each method, compared on the examples that ``checked`` has for its name."""
    made = TopLevelTracedModule(module)
    for name, (args, kwargs) in given.items():
        method = module if name == "forward" else getattr(module, name)
        made._set_program(record(method, args, kwargs, options["strict"], module), name)
        own = made if name == "forward" else getattr(made, name)
        if name == "forward":
            for path, child in made.named_modules():
                if path and isinstance(child, TracedModule):
                    child.__dict__["_within"] = made, path
        check(own, method, checked[name], kwargs, options, partial(repeat_method, module, given, name, options))
    return made


def repeat_method(module, given, name, options, args, kwargs):
    """Trace a module again, with other examples for one of the methods; return that method."""
    made = trace_methods(module, given | {name: (args, kwargs)}, options | {"check": False}, dict.fromkeys(given, ()))
    return made if name == "forward" else getattr(made, name)


def record(function, args, kwargs, strict, root=None):
    """Return the program of a trace, with PyTorch's warnings and refusals."""
    owner = root if root is not None else function
    known = {id(each) for each in owner.state_dict(keep_vars=True).values()} if isinstance(owner, Module) else set()
    names = list_parameters(function)
    args, kwargs = separate(args, known), sort_by_parameters(separate(kwargs, known), names)
    with temporarily(running, states=(*running.states, TracingState())):
        program = trace_program(function, args, kwargs, sizes=True, on_read=warn_of_reading, root=root, lasting=True)
    program.result = without_names(program.result)
    output = program.graph.output_node()
    output.args = (without_names(output.args[0]),)
    given, program.result = program.result, as_tensors(program.result, (TracedInt, TracedFloat))
    program.gives_sizes = program.result is not given
    require_tensors(program.result, strict)
    drop_dead_code(program)
    program.names = names
    return program


def sort_by_parameters(kwargs, names):
    """Return keyword arguments in the order of the parameters, in which a trace also takes them by position."""
    return {
        name: kwargs[name]
        for name in sorted(kwargs, key=lambda name: names.index(name) if name in names else len(names))
    }


def list_parameters(function):
    """Return the parameter names of a function or of a module's forward."""
    import inspect

    try:
        return list(inspect.signature(function.forward if isinstance(function, Module) else function).parameters)
    except (TypeError, ValueError):
        return []


def _get_trace_graph(
    f, args=(), kwargs=None, strict=True, _force_outplace=False, return_inputs=False, _return_inputs_states=False
):  # fmt: skip
    """Return (graph, result) of a run, where parameters and buffers of a module are inputs of the graph, after the examples.

    With ``return_inputs`` a third value is the list of all inputs, with ``_return_inputs_states`` the pair of examples
    and result.

    >>> import tensh as torch
    >>> graph, _ = torch.jit._get_trace_graph(torch.nn.Linear(2, 3), (torch.ones(1, 2),))
    >>> [node.kind() for node in graph.nodes()], len(list(graph.inputs()))
    (['aten::linear'], 3)
    """
    args, kwargs = args if isinstance(args, tuple) else (args,), kwargs or {}
    program = record(f, args, kwargs, strict)
    members = f.state_dict(keep_vars=True) if isinstance(f, Module) else {}
    found = Graph(program, members=members), program.result
    if return_inputs:
        unique = {id(each): each for each in members.values()}
        return *found, [*(node.meta["val"] for node in program.inputs), *unique.values()]
    return (*found, (args, program.result)) if _return_inputs_states else found
