"""Common subexpression elimination."""

from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import Node, map_aggregate
from tensh.fx.passes.infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]

DRAWING = frozenset(
    """dropout _fused_dropout _standard_gamma bernoulli multinomial native_dropout normal poisson binomial rrelu rand_like randn_like
    randint_like rand randint randn randperm""".split()
)
"""Names of operators and functions that return different numbers in every call."""
ONCE = ("placeholder", "output", "get_attr")


def get_CSE_banned_ops():
    """Return the names of functions whose calls are never merged, besides those that write into an argument.

    >>> from tensh.fx.passes.dialect.common.cse_pass import get_CSE_banned_ops
    >>> "dropout" in get_CSE_banned_ops()
    True
    """
    return set(DRAWING)


def name_of(node):
    """Return the name of the target of a node."""
    target = node.target
    return getattr(target, "_opname", None) or getattr(target, "__name__", None) or str(target).rpartition(".")[2]


def writes(node):
    """Return True if a node writes into an argument, judged by its name or its arguments."""
    name = name_of(node)
    own = name.endswith("_") and not name.endswith("__") or name in ("setitem", "iadd", "isub", "imul", "itruediv")
    return own or "out" in node.kwargs or node.kwargs.get("inplace") is True


class CSEPass(PassBase):
    """Merge nodes that call the same target with the same arguments, except targets or names in ``banned_ops``.

    Calls of modules are not merged, because modules may have a state.  Reads are not merged across writes.

    >>> import tensh as torch
    >>> from tensh.fx.passes.dialect.common.cse_pass import CSEPass
    >>> result = CSEPass()(torch.fx.symbolic_trace(lambda x: (x + 1) * (x + 1)))
    >>> result.modified, [node.name for node in result.graph_module.graph.nodes]
    (True, ['x', 'add', 'mul', 'output'])
    """

    def __init__(self, banned_ops=None):
        self.banned_ops = get_CSE_banned_ops() if banned_ops is None else set(banned_ops)
        super().__init__()

    def call(self, graph_module):
        """Merge common nodes of the module; return a ``PassResult``."""
        graph, known, seen, modified = Graph(), {}, {}, False
        for node in graph_module.graph.nodes:
            if writes(node):
                seen.clear()
            if node.op in ONCE or node.op == "call_module" or self.is_kept(node):
                known[node] = graph.node_copy(node, known.__getitem__)
                continue
            args, kwargs = map_aggregate(
                (node.args, node.kwargs), lambda each: known[each] if isinstance(each, Node) else each
            )
            key = node.op, node.target, describe(args), describe(kwargs)
            if key in seen:
                known[node], modified = seen[key], True
                continue
            known[node] = seen[key] = graph.node_copy(node, known.__getitem__)
        made = GraphModule(graph_module, graph) if modified else graph_module
        return PassResult(made, modified)

    def is_kept(self, node):
        banned = node.target in self.banned_ops or name_of(node) in self.banned_ops
        return banned or writes(node) or node.is_impure()


def describe(part):
    """Return a key for comparing arguments: nodes by identity, numbers with their type."""
    if isinstance(part, Node):
        return "node", id(part)
    if isinstance(part, slice):
        return "slice", *map(describe, (part.start, part.stop, part.step))
    if isinstance(part, dict):
        return "dict", *((key, describe(each)) for key, each in part.items())
    if isinstance(part, (tuple, list)):
        return type(part).__name__, *map(describe, part)
    return type(part).__name__, repr(part)
