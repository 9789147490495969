"""The names of backends of ``torch.compile``: PyTorch's, and those that programs register."""

from collections import Counter, defaultdict

BUILT_IN = ("inductor", "eager", "aot_eager", "cudagraphs", "openxla", "tvm")
"""PyTorch's names; all except "eager" select tensh's graphs."""
registered: dict = {}
"""Name -> function of a graph and example inputs, as registered."""
counters: defaultdict = defaultdict(Counter)
"""``torch._dynamo.utils.counters``: those of graphs for back ends of the program are counted."""


def count_graph(graph):
    """Count a graph, and the calls in it."""
    counters["frames"].update(total=1, ok=1)
    counters["stats"].update(calls_captured=sum("call" in node.op for node in graph.nodes), unique_graphs=1)


class InvalidBackend(RuntimeError):
    """The name of an unknown backend."""

    __module__ = "torch._dynamo.exc"


def register_backend(compiler_fn=None, name=None, tags=()):
    """Register a function for ``torch.compile(backend=name)``; its own name is the default.  Also a decorator.

    >>> import tensh as torch
    >>> @torch._dynamo.register_backend
    ... def shown(graph_module, example_inputs):
    ...     print([node.op for node in graph_module.graph.nodes])
    ...     return graph_module
    >>> torch.compile(lambda x: x + 1, backend="shown")(torch.ones(2))
    ['placeholder', 'call_function', 'output']
    tensor([2., 2.])
    """
    if compiler_fn is None:
        return lambda function: register_backend(function, name, tags)
    registered[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def run_graph(graph_module, example_inputs):
    """Return the graph's own ``forward``, as the backend "eager"."""
    return graph_module.forward


def lookup_backend(compiler_fn):
    """Return the function of a backend by its name; a function is returned unchanged.

    Raise InvalidBackend, which is a RuntimeError, for an unknown name.

    >>> import tensh as torch
    >>> graph = torch.fx.symbolic_trace(lambda x: x + 1)
    >>> torch._dynamo.lookup_backend("eager")(graph, [])(torch.ones(2))
    tensor([2., 2.])
    """
    found = check_backend(compiler_fn)
    return run_graph if isinstance(found, str) else found


def list_backends(exclude_tags=("debug", "experimental")):
    """Return the names of backends: tensh's own, and registered ones.

    >>> import tensh as torch
    >>> "inductor" in torch.compiler.list_backends()
    True
    """
    return sorted({"inductor", *registered})


def check_backend(backend):
    """Return a backend: the function of a registered name.  Raise InvalidBackend for an unknown name."""
    if not isinstance(backend, str) or backend in BUILT_IN:
        return backend
    if backend not in registered:
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."
        )
    return registered[backend]


class CompileCounter:
    """A backend that counts its graphs (``frame_count``) and their calls (``op_count``), and runs them unchanged.

    >>> import tensh as torch
    >>> from tensh.compiler.registry import CompileCounter
    >>> counter = CompileCounter()
    >>> torch.compile(lambda x: x.sin() + 1, backend=counter)(torch.zeros(1))
    tensor([1.])
    >>> counter.frame_count, counter.op_count
    (1, 2)
    """

    __module__ = "torch._dynamo.testing"

    def __init__(self):
        self.clear()

    def clear(self):
        """Reset the counts."""
        self.frame_count, self.op_count, self.graphs = 0, 0, []

    def __call__(self, graph_module, example_inputs):
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in graph_module.graph.nodes)
        self.graphs.append(graph_module)
        return graph_module.forward


class CompileCounterWithBackend(CompileCounter):
    """A ``CompileCounter`` that passes its graphs to another backend, given by name."""

    __module__ = "torch._dynamo.testing"

    def __init__(self, backend):
        super().__init__()
        self.backend = backend

    def __call__(self, graph_module, example_inputs):
        super().__call__(graph_module, example_inputs)
        return lookup_backend(self.backend)(graph_module, example_inputs)
