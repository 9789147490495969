"""Program values without elements: dtypes, and shapes with names for dynamic sizes."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.fx.branches import copy_graph, list_members
from tensh.fx.graph_module import GraphModule


class SymbolicTensor:
    """The dtype of a value, and its shape with names for dynamic sizes."""

    def __init__(self, shape, dtype):
        sizes = tuple(shape)
        self.shape, self.dtype = Size(sizes) if all(isinstance(each, int) for each in sizes) else sizes, dtype

    def __repr__(self):
        return f"FakeTensor(..., size=({', '.join(map(str, self.shape))}{',' if len(self.shape) == 1 else ''}))"


def describe(node):
    """Describe a node's value without its elements."""
    value, names = node.meta.get("val"), node.meta.get("sizes")
    if isinstance(value, Tensor):
        return SymbolicTensor(names or value.shape, value.dtype)
    if isinstance(value, GraphModule):
        return describe_branch(value)
    return names if names and isinstance(names, str) else value


def describe_branch(module):
    """Return a copy of the graph module of a branch, whose values are described; constants stay."""
    graph = copy_graph(module.graph, {each: each.target for each in module.graph.find_nodes(op="placeholder")})
    for node in graph.nodes:
        if node.op != "get_attr" or isinstance(node.meta["val"], GraphModule):
            node.meta["val"] = describe(node)
    return GraphModule(list_members(graph), graph, type(module).__name__, _late=True)
