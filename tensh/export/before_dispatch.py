"""Graphs of ``make_fx(pre_dispatch=True)``: operators as called, before autograd and autocast take them apart."""

from tensh.amp.autocast_mode import _enter_autocast, _exit_autocast
from tensh.engine.core.tensor import Tensor
from tensh.export.constants import copy_constants
from tensh.export.conventions import write_place
from tensh.func.trees import flatten
from tensh.fx.experimental.proxy_tensor import REFUSED, read_member
from tensh.fx.graph import Graph
from tensh.fx.node import map_arg
from tensh.tracing.modes import enter_autocast, exit_autocast
from tensh.tracing.program import trace_program
from tensh.tracing.recording.numbers import UntracedValue

__all__ = ["record_before_dispatch"]


class Copy:
    """The graph of a trace as ``make_fx`` writes it: with an input for every leaf, and a read of a member for every use.

    ``members`` are the values that it reads, by their paths.
    """

    def __init__(self, program, values, names):
        self.graph, self.members, self.paths, self.made = Graph(), {}, {}, {}
        inputs = iter(program.inputs)
        for value, name in zip(values, names, strict=True):
            node = self.graph.placeholder(name)
            node.meta["val"] = value
            if isinstance(value, Tensor):
                self.made[next(inputs)] = node
        self.regions = []  # nodes that enter autocast
        for node in program.graph.nodes:
            if node.op == "output":
                self.graph.output(map_arg(node.args[0], self.find))
            elif node.op != "placeholder" and not self.is_read(node):
                self.copy(node)

    def is_read(self, node):
        return node.op == "get_attr" and isinstance(node.meta["val"], Tensor)

    def copy(self, node):
        """Add a node, after reads of the members among its operands."""
        if node.target is exit_autocast:
            self.graph.call_function(_exit_autocast, (self.regions.pop(),))
            return
        if node.op == "get_attr":
            self.members[node.target] = node.meta["val"]
        args, kwargs = map_arg((node.args, node.kwargs), self.find)
        target = _enter_autocast if node.target is enter_autocast else node.target
        name = target._opname.lower() if hasattr(target, "_opname") else node.name if node.op == "get_attr" else None
        made = self.made[node] = self.graph.create_node(node.op, target, args, kwargs, name=name)
        made.meta["val"] = node.meta.get("val")
        if target is _enter_autocast:
            self.regions.append(made)

    def find(self, node):
        """Return the node for one of the trace."""
        return self.read(node.meta["val"]) if self.is_read(node) else self.made[node]

    def read(self, value):
        """Return a new node that reads a member."""
        return read_member(self.graph, value, self.members, self.paths)


def record_before_dispatch(function, args, names):
    """Return (the copy of the graph, result) of a function on example arguments; None if a call cannot be observed.

    Raise RuntimeError if Python reads an element.
    """

    def refuse(kind, _=None):
        if kind not in ("length", "iteration", "tensor"):  # these depend on the shape alone
            raise RuntimeError(REFUSED.format("aten.item.default"))

    try:
        program = trace_program(function, args, on_read=refuse, read_item=lambda *_: refuse("number"))
    except UntracedValue:  # such as that of a transform
        return None
    copy_constants(program.graph, program.made)
    for node in program.graph.nodes:
        if hasattr(node.target, "parameters"):
            write_place(node)
    return Copy(program, flatten(args)[0], names), program.result
