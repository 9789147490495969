"""torch.fx.passes.utils.fuser_utils: nodes of a graph as a submodule in their place."""

import heapq
import operator
from collections import deque

from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule

__all__ = [
    "erase_nodes",
    "fuse_as_graphmodule",
    "fuse_by_partitions",
    "insert_subgm",
    "legalize_graph",
    "stable_topological_sort",
    "topo_sort",
    "validate_partition",
]


def topo_sort(nodes):
    """Return nodes in the order of their dependencies, and otherwise in the given order."""
    place = {node: number for number, node in enumerate(nodes)}
    missing = {node: sum(each in place for each in node.all_input_nodes) for node in nodes}
    ready, found = [place[node] for node in nodes if not missing[node]], []
    heapq.heapify(ready)
    while ready:
        node = nodes[heapq.heappop(ready)]
        found.append(node)
        for user in node.users:
            if user in place:
                missing[user] -= 1
                if not missing[user]:
                    heapq.heappush(ready, place[user])
    if len(found) < len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return found


def list_dependants(graph):
    """Return node -> the nodes that depend on it, by way of others, too."""
    found = {}
    for node in reversed(graph.nodes):
        found[node] = set(node.users).union(*(found[user] for user in node.users))
    return found


def depends_on_itself(nodes, after):
    """Return True if some of the nodes depend on others of them by way of nodes outside."""
    below = {user for node in nodes for user in node.users if user not in nodes}
    return any(not after[user].isdisjoint(nodes) for user in below)


def validate_partition(partition):
    """Return True if the nodes can be one, because no node outside depends on some of them and is needed by others."""
    return not partition or not depends_on_itself({*partition}, list_dependants(partition[0].graph))


EARLY = {getattr(operator, name) for name in "add mul sub floordiv truediv mod le lt ge gt eq ne".split()}
EARLY_OPERATORS = frozenset(
    "sym_constrain_range sym_constrain_range_for_size _assert_async scalar_tensor _assert_scalar".split()
)
"""Functions of sizes, and checks, which go before other nodes that are complete."""


def is_early(node):
    """Return True for a node that a sorted graph has as soon as it is complete."""
    return node.op == "call_function" and (
        node.target in EARLY or getattr(node.target, "_opname", None) in EARLY_OPERATORS
    )


def legalize_graph(gm):
    """Sort the nodes of a graph module so that each comes after those it depends on, in the order of completion.

    Raise RuntimeError for a cycle.
    """
    left = {node: len(node.all_input_nodes) for node in gm.graph.nodes}
    ready, ordered = deque(node for node, count in left.items() if not count), []
    while ready:
        ordered.append(ready.popleft())
        for user in ordered[-1].users:
            left[user] -= 1
            if not left[user]:
                (ready.appendleft if is_early(user) else ready.append)(user)
    if len(ordered) < len(left):
        raise RuntimeError(f"Input graph has cycles, unable to add {[node for node, count in left.items() if count]}")
    return put_in_order(gm, ordered)


def stable_topological_sort(gm):
    """Sort the nodes of a graph module so that operands come first, and otherwise stay in order; return the module.

    Raise AssertionError for a cycle.
    """
    nodes = list(gm.graph.nodes)
    places = {node: place for place, node in enumerate(nodes)}
    left = {node: len(node.all_input_nodes) for node in nodes}
    ready, ordered = [place for place, node in enumerate(nodes) if not left[node]], []
    while ready:
        ordered.append(nodes[heapq.heappop(ready)])
        for user in ordered[-1].users:
            left[user] -= 1
            if not left[user]:
                heapq.heappush(ready, places[user])
    if len(ordered) < len(nodes):
        raise AssertionError(f"Input graph has cycles, unable to add {[node for node in nodes if left[node]]}")
    return put_in_order(gm, ordered)


def put_in_order(gm, ordered):
    """Move the nodes of a graph module into an order, the output last; return the module."""
    output = next(node for node in ordered if node.op == "output")
    for node in ordered:
        if node is not output:
            output.prepend(node)
    gm.recompile()
    return gm


def fuse_as_graphmodule(gm, nodes, module_name, partition_lookup_table=None, *, always_return_tuple=False):
    """Return (module of the nodes, the nodes that are its inputs, the nodes that are its results)."""
    graph, made, inputs = Graph(), {}, {}
    for node in nodes:
        for each in node.all_input_nodes:
            if each not in nodes and each not in inputs:
                inputs[each] = graph.placeholder(each.name, type_expr=each.type)
                inputs[each].meta = dict(each.meta)
    made |= inputs
    for node in nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
    results = [node for node in nodes if any(user not in nodes for user in node.users)]
    copies = tuple(made[each] for each in results)
    graph.output(copies[0] if len(copies) == 1 and not always_return_tuple else copies)
    graph.lint()
    return GraphModule(gm, graph, module_name), tuple(inputs), tuple(results)


def insert_subgm(gm, sub_gm, orig_inputs, orig_outputs, insertion_point=None):
    """Add a call of a submodule, whose results replace the nodes ``orig_outputs``; return the graph module."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    place = insertion_point or (orig_outputs[-1] if orig_outputs else list(gm.graph.nodes)[-1].prev)
    with gm.graph.inserting_after(place):
        call = gm.graph.call_module(name, tuple(orig_inputs))
    packed = isinstance(sub_gm.graph.output_node().args[0], tuple)
    if not packed:
        orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        return gm
    after = call
    for number, node in enumerate(orig_outputs):
        with gm.graph.inserting_after(after):
            after = gm.graph.call_function(operator.getitem, (call, number))
        node.replace_all_uses_with(after, propagate_meta=True)
    call.meta["val"] = tuple(each.meta.get("val") for each in orig_outputs)
    return gm


def erase_nodes(gm, nodes):
    """Erase nodes that no others use."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(gm, partitions, prefix="fused_", always_return_tuple=False):
    """Make each partition, a dictionary with nodes as keys, a submodule of the graph module, and return that."""
    order = {node: place for place, node in enumerate(gm.graph.nodes)}
    for number, part in enumerate(partitions):
        nodes = sorted(part, key=order.get)
        made, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{number}", always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, made, inputs, outputs, nodes[-1])
        erase_nodes(gm, nodes)
    stable_topological_sort(gm)
    gm.graph.lint()
    gm.recompile()
    return gm
