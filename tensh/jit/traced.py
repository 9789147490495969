"""Traced programs: functions and modules that check their arguments and run the code of a graph."""

import copy
from functools import partial

from tensh.engine.core.tensor import Tensor
from tensh.fx.generated import compile_function
from tensh.jit._script import RecursiveScriptModule, ScriptFunction, ScriptModule
from tensh.jit.graphs.code_text import write_code
from tensh.jit.graphs.ir import Graph
from tensh.jit.graphs.method_lines import InlinedLines, MethodLines, count_calls
from tensh.jit.graphs.python_print import result_type
from tensh.jit.language.type_names import take_name
from tensh.jit.scripting.files.saving import write_trace_file
from tensh.jit.traces.checks import as_tensors
from tensh.tracing.program import flatten_like


class TracedProgram:
    """A traced program that can be called: it checks arguments, and runs the graph on the members of ``self``."""

    def _set_program(self, program, name="forward"):
        self.__dict__.setdefault("_programs", {})[name] = program
        code = program.graph.python_code("self")
        self.__dict__.setdefault("_calls", {})[name] = compile_function(code.src, code.globals)
        for path, value in program.constants.items():
            self.__dict__[path] = value

    def _run(self, name, args, kwargs):
        program = self._programs[name]
        result = self._calls[name](self, *bind(program, name, args, kwargs))
        return as_tensors(result) if program.gives_sizes else result

    @property
    def _program(self):
        return self._programs["forward"]

    def save(self, f, _extra_files=None):
        """Write a TorchScript file, which PyTorch can also load: see ``torch.jit.save``."""
        write_trace_file(self, f, _extra_files)

    @property
    def inlined_graph(self):
        """The graph, including the computations of submodules."""
        return self.graph


def bind(program, name, args, kwargs):
    """Return the tensors of a call in the order of inputs.  Raise PyTorch's RuntimeError if they do not fit."""
    names = [node.name for node in program.inputs]
    positional, keyed = program.structure
    if kwargs and not keyed:
        parameters = program.names
        args = (*args, *(kwargs.pop(each) for each in parameters[len(args) :] if each in kwargs))
    if len(args) < len(positional):
        missing = (program.names or names)[len(args)]
        raise RuntimeError(
            f"{name}() is missing value for argument '{missing}'. Declaration: {name}({', '.join(f'Tensor {each}' for each in names)})"
        )
    if len(args) > len(positional) + len(keyed):
        raise RuntimeError(
            f"{name}() expected at most {len(names) + 1} argument(s) but received {len(args) + 1} argument(s). Declaration: "
            f"{name}({', '.join(f'Tensor {each}' for each in names)})"
        )
    kwargs = dict(zip(keyed, args[len(positional) :])) | kwargs
    try:
        return flatten_like(program.structure, args[: len(positional)], kwargs)
    except TypeError as error:
        raise RuntimeError(f"{name}(): {error}") from None


class TracedFunction(TracedProgram, ScriptFunction):
    """A traced function with ``graph`` and ``code``, which can be called."""

    def __init__(self, program, name):
        self.name = self.qualified_name = self.__name__ = "_lambda" if name == "<lambda>" else name
        self._set_program(program)

    @property
    def graph(self):
        """The graph, printed like TorchScript's."""
        return Graph(self._program)

    @property
    def code(self):
        """The program as TorchScript code."""
        return write_code(self.graph._lines, self.name, result_type(self._program.result), owned=False)

    def __call__(self, *args, **kwargs):
        return self._run("forward", args, kwargs)

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<torch.jit.ScriptFunction {self.name}>"


class TracedModule(TracedProgram, ScriptModule):
    """A submodule of a traced module: it shares the parameters of the original; only its code can be seen."""

    def __init__(self, module):
        super().__init__()
        self.__dict__["_original"] = module
        for name in ("_parameters", "_buffers", "training", "_non_persistent_buffers_set"):
            self.__dict__[name] = module.__dict__[name]
        self.__dict__["_modules"] = {
            name: child if child is None or isinstance(child, RecursiveScriptModule) else TracedModule(child)
            for name, child in module._modules.items()
        }
        self.__dict__["_type_name"] = take_name(module)

    @property
    def original_name(self):
        """The name of the traced class."""
        return type(self._original).__name__

    def _get_name(self):
        return self.original_name

    def _find(self):
        if "_programs" not in self.__dict__:
            raise RuntimeError(
                f"{self.original_name} was traced as part of the enclosing module: see the graph of that module"
            )
        return self._program

    @property
    def graph(self):
        """The graph, printed like TorchScript's: a submodule is one line."""
        if "_programs" not in self.__dict__ and "_within" in self.__dict__:
            root, path = self._within
            return Graph(root._program, self._type_name, make_lines=partial(MethodLines, root, path=path))
        self._find()
        return self._graph_of("forward")

    def _graph_of(self, method):
        """Return the graph of a traced method."""
        before = {}
        for name, program in self._programs.items():
            if name == method:
                return Graph(program, self._type_name, make_lines=partial(MethodLines, self, before=before))
            for path, count in count_calls(program.graph).items():
                before[path] = before.get(path, 0) + count

    @property
    def inlined_graph(self):
        """The graph, including the computations of submodules."""
        return Graph(self._find(), self._type_name, make_lines=partial(InlinedLines, self))

    @property
    def code(self):
        """``forward`` as TorchScript code."""
        lines = self.graph._lines
        return write_code(lines, "forward", result_type(lines.result), owned=True)

    def forward(self, *args, **kwargs):
        """Run the traced program."""
        if "_programs" not in self.__dict__:
            raise RuntimeError("Trace submodules cannot be called.")
        return self._run("forward", args, kwargs)

    def __getattr__(self, name):
        if name != "_programs" and name in self.__dict__.get("_programs", ()):
            return TracedMethod(self, name)
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
        shared = ("_programs", "_calls", "_within")
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name in shared})
        made.__dict__.update(
            copy.deepcopy({n: v for n, v in self.__dict__.items() if n not in (*shared, "_original")}, memo)
        )
        made.__dict__["_original"] = self._original
        return made

    def __reduce_ex__(self, protocol):
        raise RuntimeError("ScriptModules cannot be pickled: call save() on the module")


class TracedMethod:
    """A method of a traced module other than ``forward``: it can be called, and has ``graph`` and ``code``."""

    def __init__(self, owner, name):
        self.owner, self.name = owner, name

    def __call__(self, *args, **kwargs):
        return self.owner._run(self.name, args, kwargs)

    @property
    def graph(self):
        """The graph, printed like TorchScript's: a submodule is one line."""
        return self.owner._graph_of(self.name)

    @property
    def code(self):
        """The method as TorchScript code."""
        lines = self.graph._lines
        return write_code(lines, self.name, result_type(lines.result), owned=True)

    def __repr__(self):
        return f"<torch.ScriptMethod {self.name}>"


class TopLevelTracedModule(TracedModule):
    """The traced module that ``trace`` returns."""
