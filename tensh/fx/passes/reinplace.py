"""Operators that may write into their first operand, in graphs of ``aten`` operators."""

from tensh._aten.overloads import Overload, schemas
from tensh.engine.core.tensor import Tensor
from tensh.func.trees import leaves_of
from tensh.fx.interpreter import Interpreter
from tensh.fx.node import Node

__all__ = ["reinplace"]


class Memory(Interpreter):
    """Runs a graph and notes the memory, shape and dtype of each value."""

    def run_node(self, n):
        """Compute a node."""
        value = super().run_node(n)
        found = [each for each in leaves_of(value) if isinstance(each, Tensor)]
        n.meta["memory"] = {each.untyped_storage()._cdata for each in found}
        n.meta["kind"] = (tuple(value.shape), value.dtype, is_dense(value)) if isinstance(value, Tensor) else None
        self.kept = [*getattr(self, "kept", ()), *found]  # so that no memory is used twice
        return value


def is_dense(value):
    """Return True unless elements of a tensor share memory."""
    return all(stride or size < 2 for size, stride in zip(value.shape, value.stride()))


def reinplace(gm, *sample_args):
    """Let operators write into operands that nothing reads afterwards; return the graph module, which is changed.

    ``sample_args`` are an example of its arguments, whose memory is never written.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.proxy_tensor import make_fx
    >>> from tensh.fx.passes.reinplace import reinplace
    >>> made = reinplace(make_fx(lambda x: (x + 1).sin())(torch.ones(2)), torch.ones(2))
    >>> [node.name for node in made.graph.nodes if node.target is torch.ops.aten.sin_.default]
    ['sin']
    """
    Memory(gm).run(*(each.clone() if isinstance(each, Tensor) else each for each in sample_args))
    order = {node: place for place, node in enumerate(gm.graph.nodes)}
    fixed = set().union(*(node.meta["memory"] for node in gm.graph.nodes if node.op in ("placeholder", "get_attr")))
    for node in gm.graph.nodes:
        written = find_inplace(node)
        if written is None or not may_write(node, fixed, order):
            continue
        operand = node.args[0]
        node.target = written
        merge(gm.graph, node.meta["memory"], operand.meta["memory"])
        for user in [each for each in node.users if order[each] > order[node]]:
            user.replace_input_with(node, operand)
    gm.recompile()
    return gm


def find_inplace(node):
    """Return the overload of an operator that writes into its first operand; None if there is none."""
    if node.op != "call_function" or not isinstance(node.target, Overload):
        return None
    if not node.args or not isinstance(node.args[0], Node) or node.meta["memory"] & node.args[0].meta["memory"]:
        return None
    return schemas().get(f"{node.target._opname}_", {}).get(node.target._overloadname)


def may_write(node, fixed, order):
    """Return True if a result may take the place of the first operand, whose memory nothing reads afterwards."""
    operand = node.args[0]
    memory = operand.meta["memory"]
    if (
        memory & fixed
        or operand.meta["kind"] is None
        or operand.meta["kind"] != node.meta["kind"]
        or not operand.meta["kind"][2]
    ):
        return False
    shared = [each for each in node.graph.nodes if each.op != "output" and each.meta["memory"] & memory]
    if any(order[user] > order[node] for each in shared for user in each.users):
        return False
    return not any(each is not operand and each in shared for each in node.all_input_nodes)


def merge(graph, made, memory):
    """Note that values in the memory ``made`` are in another now."""
    for node in graph.nodes:
        if node.meta.get("memory", set()) & made:
            node.meta["memory"] = (node.meta["memory"] - made) | memory
