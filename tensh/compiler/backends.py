"""Back ends of the user: functions that get a graph of ``torch.fx`` and return the function to run in its place."""

from tensh.compiler.compiling import surroundings
from tensh.compiler.guards import Guards
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.engine.random.generator import default_generator


class BackendFunction:
    """A function that a back end compiles: ``backend(graph_module, example_inputs)`` for every kind of arguments.

    The graph is that of ``torch.fx.symbolic_trace``.  A function that cannot be traced runs as it is, with one warning.
    """

    def __init__(self, function, backend, fullgraph=False):
        self.function, self.backend, self.fullgraph = function, backend, fullgraph
        self.made, self.off = [], False

    def forget(self):
        self.made, self.off = [], False

    def __call__(self, args, kwargs):
        if self.off or kwargs or not all(isinstance(each, Tensor) for each in args):
            return self.function(*args, **kwargs)
        for guard, run in self.made:
            if guard(args, kwargs) is not None:
                return run(*args)
        return self.compile_graph(args)

    def compile_graph(self, args):
        try:
            module = trace_function(self.function)
        except Exception as error:
            if self.fullgraph:
                raise
            self.off = True
            warn(f"torch.compile runs a function as it is: torch.fx cannot trace it: {error}")
            return self.function(*args)
        run, guards = self.backend(module, list(args)), Guards("a function for a back end")
        guards.require(f"len(args) == {len(args)} and not kwargs")
        for number, each in enumerate(args):
            guards.add(f"args[{number}]", each)
        self.made.append((guards.compile(list(guards.tensors.values()), True), run))
        return run(*args)


def trace_function(function):
    """The module of a function's graph.  Raise ValueError for what such a graph leaves out: regions of other settings, randomness."""
    from tensh.fx import GraphModule, Tracer

    around, state = surroundings(), default_generator.get_state()

    class Watching(Tracer):
        def create_node(self, *args, **kwargs):
            if surroundings() != around:
                raise ValueError("a graph has no regions such as that of no_grad")
            return super().create_node(*args, **kwargs)

    tracer = Watching()
    graph = tracer.trace(function)
    if not default_generator.get_state().equal(state):
        default_generator.set_state(state)
        raise ValueError("a graph would have the same random numbers in each call")
    return GraphModule(tracer.root, graph)
