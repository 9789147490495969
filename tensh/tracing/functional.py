"""A graph without in-place writes: a write produces a new value, and views of the old one are recomputed.

Note [Values for writes]
A value that is not a view is a root. A write gives it a new node. A view knows its base and its operator: a write into a view
puts the new part into the base (``slice_scatter``, ``select_scatter``, or the inverse view), up to the root. A view used after
its root has changed is recomputed.
"""

import operator

from tensh.engine.core.tensor import Tensor
from tensh.fx.graph import Graph
from tensh.fx.node import map_arg
from tensh.tracing import translation

VIEWS = frozenset(
    """select slice view reshape unsqueeze squeeze transpose t permute alias detach expand expand_as view_as flatten unflatten narrow movedim
    numpy_T mT mH matrix_H diagonal ravel contiguous to""".split()
)
"""Operators whose results may share memory with their input."""
SHAPES = frozenset("view reshape unsqueeze squeeze flatten unflatten view_as ravel".split())
"""Views that are undone by reshaping to the original shape."""


class Unwritable(RuntimeError):
    """Raised for a write into a view that cannot be put back into its base."""


class Cell:
    """A value that may be written: its current node; for a view also its base and operator."""

    def __init__(self, node, base=None, taken=None):
        self.node, self.base, self.taken, self.version, self.seen = node, base, taken, 0, base.current() if base else 0

    def current(self):
        """Return the number of writes to the root."""
        return self.base.current() if self.base else self.version


class Functional:
    """Copies a graph node by node to ``graph``.

    ``buffers`` (path -> node) are the members that were written, ``arguments`` (name -> node) the inputs.
    """

    def __init__(self, graph):
        self.source, self.graph = graph, Graph()
        self.cells, self.buffers, self.arguments = {}, {}, {}

    def convert(self, clean=True):
        """Return the graph without writes; with ``clean``, also without what nothing reads."""
        for node in self.source.nodes:
            if node.op == "output":
                made = self.graph.output(map_arg(node.args[0], self.read))
                made.meta = dict(node.meta)
            else:
                self.cells[node] = self.convert_node(node)
        for node, cell in self.cells.items():
            if node.op in ("get_attr", "placeholder") and cell.base is None and cell.version:
                (self.buffers if node.op == "get_attr" else self.arguments)[node.target] = cell.node
        if clean:
            self.graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))
        return self.graph

    def read(self, node):
        """Return the current node of a value."""
        cell = self.cells[node]
        return self.value(cell)

    def value(self, cell):
        if cell.base is not None and cell.seen != cell.current():
            target, args, kwargs, meta = cell.taken
            cell.node = self.graph.call_function(target, (self.value(cell.base), *args[1:]), kwargs)
            cell.node.meta = dict(meta)
            cell.seen = cell.current()
        return cell.node

    def convert_node(self, node):
        name = getattr(node.target, "_opname", node.target if node.op == "call_method" else "")
        if name.endswith("_") and not name.startswith("__"):
            return self.convert_write(node, name)
        args, kwargs = map_arg(node.args, self.read), map_arg(node.kwargs, self.read)
        made = self.graph.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = dict(node.meta)
        if name in VIEWS and isinstance(node.meta.get("val"), Tensor):
            return Cell(made, self.cells[node.args[0]], (node.target, args, kwargs, node.meta))
        if node.target is operator.getitem and getattr(node.args[0].target, "_opname", "") in (
            "chunk",
            "split",
            "unbind",
            "split_with_sizes",
        ):
            return self.part(node, made)
        return Cell(made)

    def part(self, node, made):
        """Return the cell of a part of a split: a slice, or for ``unbind`` a row."""
        whole, place = node.args
        source = self.cells[whole.args[0]]
        bound = dict(zip((p.name for p in whole.target.parameters), whole.args)) | whole.kwargs
        dim = bound.get("dim", 0)
        if whole.target._opname == "unbind":
            overload, args, kwargs = translation.choose("select", (source.node.meta["val"], dim, place), {})
        else:
            sizes = [each.shape[dim] for each in whole.meta["val"]]
            start = sum(sizes[:place])
            overload, args, kwargs = translation.choose(
                "slice", (source.node.meta["val"], dim, start, start + sizes[place]), {}
            )
        return Cell(made, source, (overload, (None, *args[1:]), kwargs, node.meta))

    def convert_write(self, node, name):
        """Convert a write to the operator that returns the new value."""
        cell, value = self.cells[node.args[0]], node.meta["val"]
        args, kwargs = map_arg(node.args, self.read), map_arg(node.kwargs, self.read)
        own = {"normal_": "normal_functional"}.get(name, name[:-1])
        if name == "copy_":
            new = self.convert_copy(args[1], value, cell)
        else:
            new = self.call(own, args, node, kwargs)
            if isinstance(new.meta.get("val"), Tensor) and new.meta["val"].dtype is not value.dtype:
                new = self.call("to", (new, value.dtype), node)
        new.meta = dict(node.meta)
        self.write(cell, new)
        return cell

    def convert_copy(self, source, value, cell):
        """Convert a copied value to the shape and dtype of its target."""
        known = source.meta["val"]
        if known.dtype is not value.dtype:
            source = self.call("to", (source, value.dtype), None)
            source.meta["val"] = value
        if known.shape != value.shape:
            source = self.call("expand_as", (source, self.value(cell)), None)
        return source

    def call(self, name, args, node, kwargs=None):
        """Add an operator call."""
        examples = map_arg(args, lambda each: each.meta["val"])
        found = translation.choose(name, examples, map_arg(kwargs or {}, lambda each: each.meta["val"]))
        if found is None:
            raise Unwritable(f"aten::{name}_ has no out-of-place form")
        made = self.graph.call_function(found[0], args, kwargs or {})
        if node is not None:
            made.meta = dict(node.meta)
        return made

    def write(self, cell, new):
        """Set the value of a cell to ``new``, and put it into its base."""
        if cell.base is None:
            cell.node, cell.version = new, cell.version + 1
            return
        base = self.value(cell.base)
        self.write(cell.base, self.put_back(cell, base, new))
        cell.node, cell.seen = new, cell.current()

    def put_back(self, cell, base, new):
        """Return ``base`` with a new part."""
        target, args, kwargs, meta = cell.taken
        name, example = target._opname, base.meta["val"]
        given = dict(zip([p.name for p in target.parameters], args)) | kwargs
        if name in ("alias", "detach", "contiguous", "to", "view_as") and example.shape == new.meta["val"].shape:
            return new
        if name == "select":
            made = self.call("select_scatter", (base, new, given["dim"], given["index"]), None)
        elif name == "slice":
            bounds = given.get("dim", 0), given.get("start"), given.get("end"), given.get("step", 1)
            made = self.call("slice_scatter", (base, new, *bounds), None)
        elif name in SHAPES:
            made = self.call("reshape", (new, list(example.shape)), None)
        elif name == "t":
            made = self.call("t", (new,), None)
        elif name in ("transpose", "mT", "numpy_T", "mH", "matrix_H"):
            dims = (given["dim0"], given["dim1"]) if name == "transpose" else (-2, -1)
            made = self.call("transpose", (new, *dims), None) if example.dim() > 1 else new
        elif name == "permute":
            order = [dim % example.dim() for dim in given["dims"]]
            made = self.call("permute", (new, [order.index(dim) for dim in range(len(order))]), None)
        else:
            raise Unwritable(f"a write into the result of aten::{name} cannot be carried over to its base")
        made.meta.update(meta | {"val": example})
        return made


def without_writes(graph):
    """Return (a copy of a graph without writes, path -> node of the members that were written)."""
    functional = Functional(graph)
    return functional.convert(), functional.buffers
