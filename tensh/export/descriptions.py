"""Program values without elements: dtypes, and shapes with names for dynamic sizes."""

from collections import OrderedDict
from math import prod

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import cpu, strided
from tensh.engine.dtypes.dtype import get_default_dtype
from tensh.engine.dtypes.size import Size
from tensh.fx.branches import copy_graph, list_members
from tensh.fx.graph_module import GraphModule
from tensh.fx.passes.shape_prop import _extract_tensor_metadata

LISTS = frozenset("""unbind split split_with_sizes chunk tensor_split unsafe_split unsafe_split_with_sizes unsafe_chunk hsplit vsplit
    dsplit meshgrid broadcast_tensors align_tensors atleast_1d atleast_2d atleast_3d nonzero_numpy""".split())  # fmt: skip
"""Operators of ``aten`` whose result is a list of tensors."""


class SymbolicTensor:
    """The dtype of a value, and its shape with names for dynamic sizes; ``example`` is a tensor of such a shape."""

    layout, device = strided, cpu

    def __init__(self, shape, dtype, example=None):
        sizes = tuple(shape)
        self.shape, self.dtype = Size(sizes) if all(isinstance(each, int) for each in sizes) else sizes, dtype
        self.ndim, self.requires_grad = len(sizes), example is not None and example.requires_grad and example.is_leaf
        self._strides = example.stride() if isinstance(self.shape, Size) and example is not None else None

    def dim(self):
        """Return the number of dimensions."""
        return self.ndim

    def size(self, dim=None):
        """Return the shape, or the size of a dimension."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self):
        """Return the strides; None where sizes are dynamic."""
        return self._strides

    def numel(self):
        """Return the number of elements; None where sizes are dynamic."""
        return prod(self.shape) if isinstance(self.shape, Size) else None

    def __repr__(self):
        sizes = f"{', '.join(map(str, self.shape))}{',' if self.ndim == 1 else ''}"
        kind = "" if self.dtype is get_default_dtype() else f", dtype={self.dtype}"
        return f"FakeTensor(..., size=({sizes}){kind}{', requires_grad=True' if self.requires_grad else ''})"


class Expression(str):
    """A number of a program, in terms of the names of dynamic sizes."""

    is_symbolic = True


def describe(node):
    """Describe a node's value without its elements."""
    return describe_value(node.meta.get("val"), node.meta.get("sizes"))


def describe_value(value, names=None):
    """Describe a value without its elements; ``names`` is its shape where sizes are dynamic."""
    if isinstance(value, Tensor):
        return SymbolicTensor(names or value.shape, value.dtype, value)
    if isinstance(value, GraphModule):
        return describe_branch(value)
    if isinstance(value, (tuple, list)) and not names and any(isinstance(each, Tensor) for each in value):
        return tuple(map(describe_value, value))
    return Expression(names) if names and isinstance(names, str) else value


def note_value(value, node, names=None):
    """Describe a value in the notes of a node, with strides and memory format unless sizes are dynamic."""
    described = describe_value(value, names)
    several = isinstance(described, tuple) and getattr(node.target, "_opname", None) in LISTS
    node.meta["val"] = [*described] if several else described
    if isinstance(value, Tensor) and not names:
        node.meta["tensor_meta"] = _extract_tensor_metadata(value)


def describe_branch(module):
    """Return a copy of the graph module of a branch, with PyTorch's notes; constants stay."""
    graph = copy_graph(module.graph, {each: each.target for each in module.graph.find_nodes(op="placeholder")})
    for node in graph.nodes:
        if node.op == "get_attr" and not isinstance(node.meta["val"], GraphModule):
            continue
        if node.op == "output":
            node.meta = {}
            continue
        value, sizes = node.meta.get("val"), node.meta.get("sizes")
        node.meta = {key: node.meta[key] for key in ("stack_trace", "torch_fn") if key in node.meta}
        if node.op.startswith("call"):
            node.meta["nn_module_stack"] = OrderedDict()
        note_value(value.detach() if isinstance(value, Tensor) else value, node, sizes)
    return GraphModule(list_members(graph), graph, type(module).__name__, _late=True)
