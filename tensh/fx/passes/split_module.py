"""Splitting of a graph module into submodules and a main module that calls them."""

import operator

from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule, get_member
from tensh.fx.node import map_arg
from tensh.nn.modules.module import Module

__all__ = ["split_module"]


class Partition:
    """The nodes of one part, with its input and output values."""

    def __init__(self, name):
        self.name, self.nodes, self.inputs, self.outputs, self.before = name, [], {}, {}, {}


def split_module(
    m,
    root_m,
    split_callback,
    qualname_map=None,
    keep_original_order=False,
    keep_original_node_name=False,
    keep_original_input_name=True,
    *,
    partition_affix=None,
):
    """Return a module that calls the parts of graph module ``m``; ``split_callback(node)`` gives the part of a node.

    ``qualname_map`` receives path of a module that a part calls -> its path in ``m``. A part is a number or a name.
    Parts become submodules ``submod_0`` and so on; values from one part to another become arguments and results. Raise
    RuntimeError if parts depend on each other.

    >>> import tensh as torch
    >>> from tensh.fx.passes.split_module import split_module
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> made = split_module(gm, gm, lambda node: int(node.name == "add"))
    >>> [name for name, _ in made.named_children()]
    ['submod_0', 'submod_1']
    >>> made(torch.tensor([-1., 1.]))
    tensor([1., 2.])
    """
    root_m = m if root_m is None else root_m
    affix = f"submod_{partition_affix}_" if partition_affix else "submod_"
    parts, home = divide(m.graph, split_callback, affix)
    graph, made, members = Graph(), {}, {}
    for node in m.graph.nodes:
        if node not in home and node.op != "output":
            made[node] = graph.node_copy(node)
            if node.op == "get_attr":
                members[node.target] = get_member(root_m, node.target)
    for part in order_parts(parts):
        members[part.name] = build_part(part, root_m, keep_original_node_name)
        if qualname_map is not None:
            paths = (node.target for node in part.nodes if node.op == "call_module")
            qualname_map |= {f"{part.name}.{path}": path for path in paths}
        made |= call_part(graph, part, made)
    graph.output(map_arg(m.graph.output_node().args[0], lambda each: made[each]))
    return GraphModule(members, graph)


def divide(graph, split_callback, affix):
    """Return (parts, node -> its part), where parts know the values that go from one to another."""
    parts, home = {}, {}
    for node in graph.nodes:
        if node.op.startswith("call"):
            key = split_callback(node)
            home[node] = parts.setdefault(key, Partition(f"{affix}{key}"))
            home[node].nodes.append(node)
    for node, part in home.items():
        for source in node.all_input_nodes:
            if home.get(source) is not part:
                part.inputs.setdefault(source)
                if source in home:
                    home[source].outputs.setdefault(source)
                    part.before.setdefault(home[source])
    for source in graph.output_node().all_input_nodes:
        if source in home:
            home[source].outputs.setdefault(source)
    return list(parts.values()), home


def call_part(graph, part, made):
    """Call a part in a graph; return node -> its value there, for the nodes that are read outside of the part."""
    call = graph.call_module(part.name, tuple(made[each] for each in part.inputs))
    results = list(part.outputs)
    if len(results) == 1:
        return {results[0]: call}
    return {each: graph.call_function(operator.getitem, (call, place)) for place, each in enumerate(results)}


def order_parts(parts):
    """Sort the parts by their dependencies.  Raise RuntimeError if parts depend on each other."""
    ordered, left = [], list(parts)
    while left:
        first = next(
            (each for each in left if not any(before in left for before in each.before if before is not each)), None
        )
        if first is None:
            raise RuntimeError("cycle exists between partitions!")
        left.remove(first)
        ordered.append(first)
    return ordered


def build_part(part, root, keep_names):
    """Make the submodule of a part."""
    graph, made, members = Graph(), {}, {}
    for each in part.inputs:
        made[each] = graph.placeholder(each.name, type_expr=each.type)
    for node in part.nodes:
        args, kwargs = (map_arg(each, lambda value: made[value]) for each in (node.args, node.kwargs))
        name = node.name if keep_names else None
        made[node] = graph.create_node(node.op, node.target, args, kwargs, name, node.type)
        made[node].meta = dict(node.meta)
        if node.op == "call_module":
            members[node.target] = get_member(root, node.target)
    results = tuple(made[each] for each in part.outputs)
    graph.output(results[0] if len(results) == 1 else results)
    return GraphModule(members or Module(), graph)
