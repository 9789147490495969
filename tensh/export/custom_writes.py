"""Operators of the program that write to their arguments, in programs without writes."""

import operator

from tensh._higher_order_ops.functionalized import auto_functionalized_v2
from tensh.fx.node import Node, map_arg
from tensh.tracing.functional import Cell, Functional

__all__ = ["FunctionalProgram"]


class FunctionalProgram(Functional):
    """Copies a graph without writes, also without those of operators of the program."""

    def convert_node(self, node):
        """Convert a node; return its cell."""
        written = getattr(getattr(node.target, "_definition", None), "_written", ())
        return self.convert_custom(node, written) if written else super().convert_node(node)

    def convert_custom(self, node, written):
        """Convert an operator of the program that writes to arguments; ``written`` are their places."""
        names = [each.name for each in node.target._definition._parameters]
        given = dict(zip(names, node.args)) | node.kwargs
        bases = [self.cells[given.pop(names[place])] for place in written if isinstance(given.get(names[place]), Node)]
        kwargs = {name: map_arg(value, self.read) for name, value in given.items()}
        kwargs |= {f"_{names[place]}_base_index": number for number, place in enumerate(written)}
        kwargs["_all_bases"] = [self.value(each) for each in bases]
        call = self.graph.call_function(auto_functionalized_v2, (node.target,), kwargs, name="auto_functionalized_v2")
        value = node.meta.get("val")
        values = [*value] if isinstance(value, tuple) else [value]
        call.meta = node.meta | {"val": (*values, *(each.node.meta["val"] for each in bases))}
        for place, each in enumerate(bases, len(values)):
            made = self.graph.call_function(operator.getitem, (call, place))
            made.meta = node.meta | {"val": each.node.meta["val"]}
            self.write(each, made)
        if value is None or isinstance(value, tuple):
            return Cell(call)
        result = self.graph.call_function(operator.getitem, (call, 0))
        result.meta = dict(node.meta)
        return Cell(result)
