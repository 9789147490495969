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


class Expression(str):
    """A number of a program, in terms of the names of dynamic sizes."""

    is_symbolic = True
    __repr__ = str.__str__


def symbolic_size(sizes):
    """Return a shape with names for dynamic sizes."""
    return tuple.__new__(Size, (Expression(each) if isinstance(each, str) else each for each in sizes))


class SymbolicTensor:
    """The dtype of a value, and its shape with names for dynamic sizes; ``example`` is a tensor of such a shape.

    It passes for an instance of FakeTensor, which the notes of PyTorch's programs have.
    """

    layout, device, is_leaf, is_sparse, is_quantized, grad = strided, cpu, True, False, False, None

    def __init__(self, shape, dtype, example=None):
        sizes = tuple(shape)
        self.known = all(isinstance(each, int) for each in sizes)
        self.shape, self.dtype = Size(sizes) if self.known else symbolic_size(sizes), dtype
        self.ndim, self.requires_grad = len(sizes), example is not None and example.requires_grad and example.is_leaf
        self._strides = example.stride() if self.known and example is not None else None

    @property
    def __class__(self):
        from tensh._subclasses.fake_tensor import FakeTensor

        return FakeTensor

    def detach(self):
        """Return the value itself, which has no gradient."""
        return self

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
        """Return the number of elements, as an expression where sizes are dynamic."""
        number = prod(each for each in self.shape if not isinstance(each, str))
        names = [f"({each})" if " " in each else each for each in self.shape if isinstance(each, str)]
        return Expression("*".join([*([str(number)] if number != 1 else []), *names])) if names else number

    def element_size(self):
        """Return the number of bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """The number of bytes of all elements.  Raise RuntimeError where sizes are dynamic."""
        if not self.known:
            raise RuntimeError("Cannot call numel() on tensor with symbolic sizes/strides")
        return self.numel() * self.dtype.itemsize

    def is_contiguous(self, memory_format=None):
        """Return True unless the strides are known and are others."""
        return self._strides is None or self._strides == contiguous_strides(self.shape)

    def is_floating_point(self):
        """Return True for a dtype of floating point numbers."""
        return self.dtype.is_floating_point

    def is_complex(self):
        """Return True for a dtype of complex numbers."""
        return self.dtype.is_complex

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        sizes = f"{', '.join(map(str, self.shape))}{',' if self.ndim == 1 else ''}"
        kind = "" if self.dtype is get_default_dtype() else f", dtype={self.dtype}"
        return f"FakeTensor(..., size=({sizes}){kind}{', requires_grad=True' if self.requires_grad else ''})"


def contiguous_strides(shape):
    """Return the strides of a contiguous tensor."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


def is_tensor(value):
    """Return True for a tensor with elements."""
    return type(value) is not SymbolicTensor and isinstance(value, Tensor)


def describe(node):
    """Describe a node's value without its elements."""
    return describe_value(node.meta.get("val"), node.meta.get("sizes"))


def describe_value(value, names=None):
    """Describe a value without its elements; ``names`` is its shape where sizes are dynamic."""
    if type(value) is SymbolicTensor:
        return value
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
    if is_tensor(value) and not names:
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
        note_value(value.detach() if is_tensor(value) else value, node, sizes)
    return GraphModule(list_members(graph), graph, type(module).__name__, _late=True)
