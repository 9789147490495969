"""A graph without in-place writes: a write produces a new value, and views of the old one are recomputed.

Note [Values for writes]
A value that is not a view is a root. A write gives it a new node. A view knows its base and its operator: what is
written into a view is put into the base (``slice_scatter``, ``select_scatter``, or the inverse view), up to the root.
As in PyTorch, a view is computed again from the root where it is used after a write, also if it was taken after that.
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
    """A value that may be written: its current node; for a view also its base and operator.

    A root counts its writes; a view has ``seen`` those before it was computed from its root.
    """

    def __init__(self, node, base=None, taken=None):
        self.node, self.base, self.taken, self.seen = node, base, taken, 0
        self.root = base.root if base else self
        self.version = 0

    def path(self):
        """Return the views from the root to this one."""
        return [*self.base.path(), self] if self.base else []


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
        return self.value(self.cells[node])

    def value(self, cell):
        """Return the current node of a cell, after all writes to its root."""
        root = cell.root
        if cell is not root and cell.seen != root.version:
            cell.node, cell.seen = self.take_views(root, cell.path())[-1], root.version
        return cell.node

    def take_views(self, root, path):
        """Compute a view of a root again, and return all values from the root to it."""
        values = [root.node]
        for each in path:
            target, args, kwargs, meta = each.taken
            made = self.graph.call_function(target, (values[-1], *args[1:]), kwargs)
            made.meta = dict(meta)
            values.append(made)
        return values

    def put_into_root(self, cell, new):
        """Return the root's value with a new value of one of its views."""
        path = cell.path()
        for each, base in zip(reversed(path), reversed(self.take_views(cell.root, path[:-1]))):
            new = self.put_back(each, base, new)
        return new

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
        if name == "copy_" and not node.meta.get("copies", True):
            new = args[1]
        elif name == "copy_":
            new = self.call("copy", (self.value(cell), *args[1:]), node, kwargs)
        else:
            new = self.call(own, args, node, kwargs)
            if isinstance(new.meta.get("val"), Tensor) and new.meta["val"].dtype is not value.dtype:
                new = self.call("to", (new, value.dtype), node)
        if new is not args[-1]:
            new.meta = dict(node.meta)
        self.write(cell, new)
        return cell

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
        """Set the value of a cell to ``new``, which belongs into its root."""
        cell.root.version += 1
        cell.root.node = new if cell is cell.root else self.put_into_root(cell, new)
        self.value(cell)

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
        elif name == "unsqueeze":
            made = self.call("squeeze", (new, given["dim"] % new.meta["val"].dim()), None)
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
