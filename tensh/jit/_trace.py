"""Tracing: a function or module is run on examples, and what it did becomes a program without Python's decisions."""

import copy
import threading

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.fx.generated import compile_function
from tensh.jit._script import ScriptModule
from tensh.jit.ir import Graph
from tensh.jit.liveness import drop_dead_code
from tensh.jit.python_print import write_function
from tensh.jit.writing import write_trace
from tensh.nn.modules.module import Module
from tensh.tracing.program import flatten_like, trace_program
from tensh.tracing.reading import TracerWarning, warn_of_reading

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
    """A traced program does not compute what the function computes."""


class Tracing(threading.local):
    """State of a thread: the number of traces that run."""

    depth = 0


tracing = Tracing()
DEPRECATED = "`torch.jit.{}` is deprecated. Please switch to `torch.compile` or `torch.export`."


def is_tracing():
    """True while ``torch.jit.trace`` runs.

    >>> import tensh as torch
    >>> torch.jit.is_tracing()
    False
    """
    return tracing.depth > 0


class Traced:
    """A traced program that can be called: arguments are checked, and the code of the graph runs on the members of ``self``."""

    def _set_program(self, program, name="forward"):
        self.__dict__.setdefault("_programs", {})[name] = program
        code = program.graph.python_code("self")
        self.__dict__.setdefault("_calls", {})[name] = compile_function(code.src, code.globals)
        for path, value in program.constants.items():
            self.__dict__[path] = value

    def _run(self, name, args, kwargs):
        program = self._programs[name]
        return self._calls[name](self, *bind(program, name, args, kwargs))

    @property
    def _program(self):
        return self._programs["forward"]

    def save(self, f, _extra_files=None):
        """Write a file of TorchScript, which PyTorch loads as well: see :func:`torch.jit.save`."""
        write_trace(self, f, _extra_files)

    @property
    def inlined_graph(self):
        """The graph, with what modules within compute."""
        return self.graph


def bind(program, name, args, kwargs):
    """The tensors of a call in the order of the program's inputs.  RuntimeError in PyTorch's words where they do not fit."""
    names = [node.name for node in program.inputs]
    if kwargs and not program.structure[1]:
        parameters = program.names
        args = (*args, *(kwargs.pop(each) for each in parameters[len(args) :] if each in kwargs))
    if len(args) < len(program.structure[0]):
        missing = (program.names or names)[len(args)]
        raise RuntimeError(
            f"{name}() is missing value for argument '{missing}'. Declaration: {name}({', '.join(f'Tensor {each}' for each in names)})"
        )
    if len(args) > len(program.structure[0]):
        raise RuntimeError(
            f"{name}() expected at most {len(names) + 1} argument(s) but received {len(args) + 1} argument(s). Declaration: "
            f"{name}({', '.join(f'Tensor {each}' for each in names)})"
        )
    try:
        return flatten_like(program.structure, args, kwargs)
    except TypeError as error:
        raise RuntimeError(f"{name}(): {error}") from None


class TracedFunction(Traced):
    """A traced function: ``graph``, ``code``, and calls of it."""

    def __init__(self, program, name):
        self.name = self.qualified_name = self.__name__ = "_lambda" if name == "<lambda>" else name
        self._set_program(program)

    @property
    def graph(self):
        """The graph, which prints as TorchScript's do."""
        return Graph(self._program)

    @property
    def code(self):
        """The program as code of TorchScript."""
        return write_function(self._program, [], self.name)

    def __call__(self, *args, **kwargs):
        return self._run("forward", args, kwargs)

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<torch.jit.ScriptFunction {self.name}>"


class TracedModule(Traced, ScriptModule):
    """A module within a traced one: it shares the parameters of the original, and computes what that computes."""

    def __init__(self, module):
        super().__init__()
        self.__dict__["_original"] = module
        for name in ("_parameters", "_buffers", "training", "_non_persistent_buffers_set"):
            self.__dict__[name] = module.__dict__[name]
        self.__dict__["_modules"] = {
            name: TracedModule(child) if child is not None else None for name, child in module._modules.items()
        }

    @property
    def original_name(self):
        """The name of the class that was traced."""
        return type(self._original).__name__

    def _get_name(self):
        return self.original_name

    @property
    def _owner(self):
        return f"__torch__.{self.original_name}"

    def _find(self):
        if "_programs" not in self.__dict__:
            raise RuntimeError(
                f"{self.original_name} was traced as part of the module around it, whose graph has its operators"
            )
        return self._program

    @property
    def graph(self):
        """The graph, which prints as TorchScript's do."""
        return Graph(self._find(), self._owner)

    @property
    def code(self):
        """``forward`` as code of TorchScript."""
        return write_function(self._find(), [], "forward")

    def forward(self, *args, **kwargs):
        """Run the traced program."""
        if "_programs" not in self.__dict__:
            return self._original(*args, **kwargs)
        return self._run("forward", args, kwargs)

    def __getattr__(self, name):
        if name != "_programs" and name in self.__dict__.get("_programs", ()):
            return lambda *args, **kwargs: self._run(name, args, kwargs)
        try:
            return super().__getattr__(name)
        except AttributeError:
            original = self.__dict__.get("_original")
            if original is None or name.startswith("_"):
                raise
            value = getattr(original, name)
            if isinstance(value, (bool, int, float, str, Tensor)):
                return value
            raise

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        shared = ("_programs", "_calls")
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name in shared})
        made.__dict__.update(
            copy.deepcopy({n: v for n, v in self.__dict__.items() if n not in (*shared, "_original")}, memo)
        )
        made.__dict__["_original"] = self._original
        return made

    def __reduce_ex__(self, protocol):
        raise RuntimeError("ScriptModules cannot be pickled: write one with its method save")


class TopLevelTracedModule(TracedModule):
    """The traced module that ``trace`` returns."""


def trace(
    func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5, strict=True, _force_outplace=False,
    _module_class=None, _compilation_unit=None, example_kwarg_inputs=None, _store_inputs=True,
):  # fmt: skip
    """Run ``func`` on ``example_inputs``, a tensor or a tuple of arguments, and return what computes the same operators.

    The result of a function is a function, of a module a :class:`ScriptModule` with the same parameters; ``graph`` and ``code``
    show what was recorded. Sizes are followed, decisions of Python are not: TracerWarning where Python reads a tensor.
    With ``check_trace`` the trace is run beside the function, and a difference is a warning. Raise RuntimeError for
    results that are no tensors, and for dictionaries and lists unless ``strict`` is False.

    >>> import tensh as torch
    >>> traced = torch.jit.trace(lambda x: torch.relu(x) + 1, torch.randn(2, 3))
    >>> print(traced.code.strip())
    def _lambda(x: Tensor) -> Tensor:
      relu = torch.relu(x)
      add = torch.add(relu, 1)
      return add
    >>> traced(torch.tensor([-1., 1.]))
    tensor([1., 2.])
    """
    warn(DEPRECATED.format("trace"), DeprecationWarning)
    if isinstance(func, ScriptModule):
        warn("The input to trace is already a ScriptModule, tracing it is a no-op. Returning the object as is.")
        return func
    if example_kwarg_inputs is not None:
        args, kwargs = (), dict(example_kwarg_inputs)
    else:
        if example_inputs is None:
            raise RuntimeError("example_kwarg_inputs should be a dict")
        args, kwargs = as_arguments(example_inputs), {}
    options = {"strict": strict, "check": check_trace, "tolerance": check_tolerance, "inputs": check_inputs}
    if isinstance(func, Module):
        return trace_methods(func, {"forward": (args, kwargs)}, options)
    if not callable(func):
        raise RuntimeError(f"torch.jit.trace takes a function or a module, and was given {type(func).__name__}")
    owner = getattr(func, "__self__", None)
    if isinstance(owner, Module):
        name = func.__name__
        made = trace_methods(owner, {name: (args, kwargs)}, options)
        return made if name == "forward" else getattr(made, name)
    program = record(func, args, kwargs, strict)
    made = TracedFunction(program, getattr(func, "__name__", type(func).__name__))
    check(made, func, args, kwargs, options)
    return made


def trace_module(
    mod, inputs, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5, strict=True, _force_outplace=False,
    _module_class=None, _compilation_unit=None, example_inputs_is_kwarg=False, _store_inputs=True,
):  # fmt: skip
    """Trace methods of a module: ``inputs`` maps their names to examples, as :func:`trace` takes them.

    >>> import tensh as torch
    >>> made = torch.jit.trace_module(torch.nn.Linear(2, 2), {"forward": torch.ones(1, 2)})
    >>> made(torch.ones(1, 2)).shape
    torch.Size([1, 2])
    """
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    given = {
        name: ((), dict(each)) if example_inputs_is_kwarg else (as_arguments(each), {}) for name, each in inputs.items()
    }
    return trace_methods(
        mod, given, {"strict": strict, "check": check_trace, "tolerance": check_tolerance, "inputs": check_inputs}
    )


def as_arguments(examples):
    """Examples as a tuple of arguments."""
    if isinstance(examples, (Tensor, dict)):
        return (examples,)
    return tuple(examples)


def trace_methods(module, given, options):
    """The traced module with a program for each method."""
    made = TopLevelTracedModule(module)
    for name, (args, kwargs) in given.items():
        method = module if name == "forward" else getattr(module, name)
        made._set_program(record(method, args, kwargs, options["strict"], module), name)
        own = made if name == "forward" else getattr(made, name)
        check(own, method, args, kwargs, options)
    return made


def record(function, args, kwargs, strict, root=None):
    """The program of a trace, with PyTorch's warnings and refusals."""
    tracing.depth += 1
    try:
        program = trace_program(function, args, kwargs, sizes=True, on_read=warn_of_reading, root=root, lasting=True)
    finally:
        tracing.depth -= 1
    require_tensors(program.result, strict)
    drop_dead_code(program)
    program.names = list_parameters(function)
    return program


def list_parameters(function):
    """The names of the parameters of a function or a module."""
    import inspect

    try:
        return list(inspect.signature(function.forward if isinstance(function, Module) else function).parameters)
    except (TypeError, ValueError):
        return []


def require_tensors(result, strict):
    """Raise RuntimeError for results that a trace cannot have."""
    if result is None:
        raise RuntimeError(
            "The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
        )
    if isinstance(result, (dict, list)) and strict:
        kind = "dict" if isinstance(result, dict) else "list"
        text = (
            f"Encountering a {kind} at the output of the tracer might cause the trace to be incorrect, this is only valid if the "
            "container structure does not change based on the module's inputs. Consider using a constant container instead (e.g. for "
            "`list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the side "
            "effects, pass strict=False to trace() to allow this behavior."
        )
        if kind == "dict":
            raise RuntimeError(text)
        warn(text, TracerWarning)

    def are_tensors(value):
        if isinstance(value, dict):
            return all(map(are_tensors, value.values()))
        if isinstance(value, (tuple, list)):
            return all(map(are_tensors, value))
        return isinstance(value, Tensor)

    if not are_tensors(result):
        raise RuntimeError(
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"
        )


def check(made, function, args, kwargs, options):
    """Warn where the traced program computes something else than the function, on the examples and on ``check_inputs``."""
    if not options["check"]:
        return
    from tensh import no_grad
    from tensh.testing import assert_close

    for given in [args, *map(as_arguments, options["inputs"] or ())]:
        with no_grad():
            ours, expected = made(*clone(given), **clone(kwargs)), function(*clone(given), **clone(kwargs))
        for number, (a, b) in enumerate(zip(leaves(ours), leaves(expected)), 1):
            try:
                assert_close(a, b, rtol=options["tolerance"], atol=options["tolerance"], equal_nan=True)
            except AssertionError as error:
                warn(
                    f"Output nr {number}. of the traced function does not match the corresponding output of the Python function. "
                    f"Detailed error:\n{error}",
                    TracerWarning,
                )


def clone(value):
    """Copies of the tensors in arguments: a program may write into them."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: clone(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(*map(clone, value)) if hasattr(value, "_fields") else type(value)(map(clone, value))
    return value


def leaves(value):
    """The tensors in a result."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, (tuple, list)) else [value]
