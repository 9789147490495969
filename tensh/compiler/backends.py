"""User-defined backends: functions that take a ``torch.fx`` graph and return the function to run in its place."""

import itertools

from tensh.compiler.breaks import BackendCompilerFailed, Break
from tensh.compiler.compiling import CompiledFunction, wrap_function
from tensh.compiler.function_graph import FunctionRecorder, name_inputs
from tensh.compiler.results import Result
from tensh.compiler.settings import read_setting
from tensh.engine.core.tensor import Tensor
from tensh.engine.random.generator import default_generator
from tensh.fx.graph_module import GraphModule
from tensh.nn.modules.module import Module


class BackendFunction(CompiledFunction):
    """A function whose graphs are compiled by ``backend(graph_module, example_inputs)``.

    Its graphs contain calls of PyTorch's functions; guards, breaks and parts are those of every compiled function.
    """

    def __init__(self, function, backend, fullgraph=False, dynamic=None, owner=None):
        self.backend = backend
        super().__init__(function, fullgraph, dynamic, owner)

    def start_part(self, function):
        part = BackendFunction(function, self.backend, dynamic=self.dynamic, owner=self.owner or self)
        self.members.append(part)
        return wrap_function(part, function)

    def capture(self, args, kwargs, around):
        """Run the function under a recorder, then the backend's version of its graph, whose result is returned.

        Written elements and the state of the generator are restored between the two.
        """
        state = default_generator.get_state()
        result = super().capture(args, kwargs, around)
        made, self.fresh = getattr(self, "fresh", None), None
        if made is None:
            return result
        graph, tensors, recorder = made
        written = recorder.written()
        if any(tensor.requires_grad for tensor, _, _ in written):
            return result  # its history must stay
        for _, array, before in written:
            array[...] = before
        default_generator.set_state(state)
        return graph.call(tensors)

    # ── recording, and making the graph ──────────────────────────────────────
    def start_recorder(self):
        root = getattr(self.function, "__self__", getattr(self.function, "module", self.function))
        return FunctionRecorder([*root.parameters(), *root.buffers()] if isinstance(root, Module) else ())

    def add_inputs(self, recorder, given, around):
        """Return nothing: a tensor becomes an input of the graph on first use."""
        return []

    def make_graph(self, recorder, guards, result, args, kwargs, around, entries):
        given = [Given(path, tensor) for path, tensor in guards.tensors.values()]
        known = {id(each.tensor): number for number, each in enumerate(given)}
        if any(id(tensor) not in known for tensor in recorder.used):
            raise Break("the function reads a tensor that no torch function created")
        structure = BackendResult(result, recorder, given)
        recorder.finish([node for node, _ in structure.outputs])
        structure.outputs = structure.views = None
        name_used(recorder, name_inputs(guards, self.function))
        guard = guards.compile([(each.path, each.tensor) for each in given], around[0])
        if (tensors := guard(args, kwargs)) is None or any(a is not b.tensor for a, b in zip(tensors, given)):
            raise Break("the function changes a value that it reads")
        places = [known[id(tensor)] for tensor in recorder.used]
        kind = around, guards.kind, tuple((each.path, each.tensor.dim(), each.tensor.dtype) for each in given)
        made = BackendGraph(self.compile_graph(recorder), guard, around, places, structure, kind)
        self.fresh = made, tensors, recorder
        return made

    def compile_graph(self, recorder):
        """Return the backend's function for a graph; None for a graph without calls."""
        if all(node.op in ("placeholder", "output") for node in recorder.graph.nodes):
            return None
        module = GraphModule(Module(), recorder.graph)
        try:
            made = self.backend(module, list(recorder.used))
            if not callable(made):
                raise AssertionError("compiler_fn did not return callable")
            return made
        except Exception as error:
            if read_setting("suppress_errors"):
                return module.forward
            name = getattr(self.backend, "__name__", type(self.backend).__name__)
            raise BackendCompilerFailed(f"backend={name!r} raised:\n{type(error).__name__}: {error}") from error


class Given:
    """A tensor from outside, and the path to it."""

    def __init__(self, path, tensor):
        self.path, self.tensor = path, tensor


class BackendResult(Result):
    """The structure of a result whose new tensors are outputs, including views."""

    def add_bases(self, tensors, found):
        """Add nothing: a graph of functions returns views as they are."""

    def place(self, t, found):
        node = self.recorder.find(t)
        if node is None:
            raise Break(f"the result contains a {type(t).__name__} that no function created")
        if not any(each is t for _, each in self.outputs):
            self.outputs.append((node, t))


class BackendGraph:
    """The backend's function for a graph, with its guard."""

    decision = program = None  # reading elements in Python ends a graph

    def __init__(self, run, guard, around, places, rebuild, kind):
        self.run = run
        self.guard = guard
        self.around = around
        self.places = places
        self.rebuild = rebuild
        self.kind = kind

    def call(self, tensors):
        """Return the result for the tensors found by the guard."""
        made = () if self.run is None else self.run(*[tensors[place] for place in self.places])
        return self.rebuild(tensors, [made] if isinstance(made, Tensor) else made)


def name_used(recorder, names):
    """Give the inputs their names, now that it is known where each tensor came from; a second one of a name gets a number."""
    used = set()
    for tensor, node in zip(recorder.used, recorder.inputs, strict=True):
        if name := names.get(id(tensor)):
            several = (f"{name}{number}_" for number in itertools.count(1))
            name = next(each for each in itertools.chain([name], several) if each not in used)
            used.add(name)
            node.target = name
            node._rename(name.lower())
