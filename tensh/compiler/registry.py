"""The names of backends of ``torch.compile``: PyTorch's, and those that programs register."""

from collections import Counter, defaultdict

COMMON = ("cudagraphs", "inductor", "openxla", "tvm")
TAGGED = {
    "debug": """aot_eager aot_eager_decomp_partition aot_eager_decomp_partition_crossref aot_eager_decomp_partition_with_mode
        aot_eager_default_partitioner aot_ts dynamo_accuracy_minifier_backend dynamo_minifier_backend eager eager_debug
        eager_noexcept invoke_subgraph non_leaf_compile_error_TESTING_ONLY pre_dispatch_eager
        relu_accuracy_error_TESTING_ONLY relu_compile_error_TESTING_ONLY relu_runtime_error_TESTING_ONLY ts""",
    "experimental": "openxla_eval",
}
"""Tag -> the names of PyTorch's other back ends with it."""
BUILT_IN = (*COMMON, "eager", "aot_eager")
"""The names of PyTorch that are known here; all except "eager" select tensh's graphs."""
registered: dict = {}
"""Name -> function of a graph and example inputs, as registered."""
tags_of: dict = {}
"""Name -> the tags with which it was registered."""
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
    tags_of[name or compiler_fn.__name__] = set(tags)
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
    """Return PyTorch's names of back ends and registered ones, without those that have one of the tags.

    >>> import tensh as torch
    >>> "inductor" in torch.compiler.list_backends()
    True
    """
    excluded = set(exclude_tags or ())
    names = {name for tag, names in TAGGED.items() if tag not in excluded for name in names.split()}
    own = {name for name in registered if not excluded & tags_of.get(name, set())}
    return sorted({*COMMON, *names, *own})


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
