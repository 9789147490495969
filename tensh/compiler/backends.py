"""Back ends of the user: functions that get a graph of ``torch.fx`` and return the function to run in its place."""

from tensh.compiler.guards import Guards
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn


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
        from tensh.fx import GraphModule, Tracer

        tracer = Tracer()
        try:
            graph = tracer.trace(self.function)
        except Exception as error:
            if self.fullgraph:
                raise
            self.off = True
            warn(f"torch.compile runs a function as it is: torch.fx cannot trace it: {error}")
            return self.function(*args)
        module = GraphModule(tracer.root, graph)
        run, guards = self.backend(module, list(args)), Guards("a function for a back end")
        guards.require(f"len(args) == {len(args)} and not kwargs")
        for number, each in enumerate(args):
            guards.add(f"args[{number}]", each)
        self.made.append((guards.compile(list(guards.tensors.values()), True), run))
        return run(*args)
