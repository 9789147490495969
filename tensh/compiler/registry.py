"""The names of back ends of ``torch.compile``: PyTorch's own, and those that programs register."""

from collections import Counter, defaultdict

BUILT_IN = ("inductor", "eager", "aot_eager", "cudagraphs", "openxla", "tvm")
"""Names that PyTorch has; all but "eager" mean tensh's own graphs."""
registered: dict = {}
"""Name -> function of a graph and example inputs, as programs registered them."""
counters: defaultdict = defaultdict(Counter)
"""``torch._dynamo.utils.counters``, in which nothing is counted."""


class InvalidBackend(RuntimeError):
    """A name of a back end that there is not."""

    __module__ = "torch._dynamo.exc"


def register_backend(compiler_fn=None, name=None, tags=()):
    """Let ``torch.compile(backend=name)`` find a function; the name is that of the function if none is given.  A decorator.

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
    """Return the graph's own ``forward``: the back end "eager"."""
    return graph_module.forward


def lookup_backend(compiler_fn):
    """The function of a back end by its name; a function stays as it is.

    Raise InvalidBackend, which is a RuntimeError, for an unknown name.

    >>> import tensh as torch
    >>> graph = torch.fx.symbolic_trace(lambda x: x + 1)
    >>> torch._dynamo.lookup_backend("eager")(graph, [])(torch.ones(2))
    tensor([2., 2.])
    """
    found = check_backend(compiler_fn)
    return run_graph if isinstance(found, str) else found


def list_backends(exclude_tags=("debug", "experimental")):
    """The names of back ends: tensh's own, and those that were registered.

    >>> import tensh as torch
    >>> "inductor" in torch.compiler.list_backends()
    True
    """
    return sorted({"inductor", *registered})


def check_backend(backend):
    """Return a back end: of a registered name its function.  Raise InvalidBackend for an unknown name."""
    if not isinstance(backend, str) or backend in BUILT_IN:
        return backend
    if backend not in registered:
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."
        )
    return registered[backend]


class CompileCounter:
    """A back end that counts the graphs that it gets, ``frame_count``, and their calls, ``op_count``, and runs them as they are.

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
        """Count from zero again."""
        self.frame_count, self.op_count, self.graphs = 0, 0, []

    def __call__(self, graph_module, example_inputs):
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in graph_module.graph.nodes)
        self.graphs.append(graph_module)
        return graph_module.forward


class CompileCounterWithBackend(CompileCounter):
    """A ``CompileCounter`` that hands its graphs on to another back end, by name."""

    __module__ = "torch._dynamo.testing"

    def __init__(self, backend):
        super().__init__()
        self.backend = backend

    def __call__(self, graph_module, example_inputs):
        super().__call__(graph_module, example_inputs)
        return lookup_backend(self.backend)(graph_module, example_inputs)
