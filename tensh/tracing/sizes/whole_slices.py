"""Slices of whole dimensions in programs with dynamic sizes, which PyTorch leaves out where no size can be larger."""

from math import inf

from tensh._aten.overloads import schemas
from tensh.fx.branches import walk_nodes
from tensh.fx.data_dependent import dimension_of
from tensh.tracing.sizes.decisions import Unexpressed, as_linear, least_of, parse

WRITES = "fill_", "copy_"


def leave_out_slices(program, limits):
    """Remove the marked slices of a program that take all elements whatever the sizes are.

    ``limits`` maps each name of a dimension to its smallest and largest size.
    A subscript of which no slice stays becomes an alias. A write through a removed slice is a write into the tensor.
    PyTorch reads the sizes that it compares with the ends of slices: ``program.compared`` has the texts of all that it reads.
    """
    removed, nodes = [], list(walk_nodes(program.graph))
    program.compared = list_read(nodes)
    names = {graph: names_of(graph, "slice") for graph in dict.fromkeys(node.graph for node in nodes)}
    for node in nodes:
        if "whole" not in node.meta:
            continue
        chain, source = node.meta.pop("whole"), node.args[0]
        source.meta.setdefault("compared", set()).add(node.args[1])
        if not takes_all(node, limits):
            continue
        removed.append(node)
        if chain and all(each in removed for each in chain):
            node.target, node.args = schemas()["alias"]["default"], (source,)
            node.name = node.graph._graph_namespace.create_name("alias", None)
            continue
        writes = [each for each in node.users if getattr(each.target, "_opname", "") in WRITES and each.args[0] is node]
        node.replace_all_uses_with(source)
        for each in writes:
            read_after(each, source)
        node.graph.erase_node(node)
    for graph in {node.graph for node in removed}:
        rename(graph, "slice", names[graph])
        rename(graph, "alias", sorted(names_of(graph, "alias"), key=lambda name: (len(name), name)))


def list_read(nodes):
    """Return the texts of the dynamic sizes that are read, or compared with the end of a slice, in order."""
    found = []
    for node in nodes:
        if "whole" in node.meta:
            found.append((node.args[0].meta.get("sizes") or node.meta["val"].shape)[node.args[1]])
        elif getattr(node.target, "_opname", "") == "sym_size":
            found.append(node.meta.get("sizes"))
    return [text for text in dict.fromkeys(found) if isinstance(text, str) and "?" not in text]


def takes_all(node, limits):
    """Return True if a slice is never shorter than its dimension."""
    source, dim, _, stop = node.args[:4]
    if dimension_of(source) == dim:
        return True
    size = (source.meta.get("sizes") or source.meta["val"].shape)[dim]
    if not isinstance(size, str):
        return size <= stop
    try:
        linear = as_linear(parse(size))
    except Unexpressed:
        return True
    if linear is None or any(name not in limits for name in linear if name is not None):
        return True
    bounds = {name: (low or 0, inf if high is None else high) for name, (low, high) in limits.items()}
    return -least_of({name: -factor for name, factor in linear.items()}, bounds) <= stop


def read_after(write, source):
    """Let the nodes after a write read its result in place of the tensor that it writes to."""
    node = write.next
    while node.op != "root":
        node.replace_input_with(source, write)
        node = node.next


def names_of(graph, name):
    """Return the names of the nodes of an operator, in order."""
    return [node.name for node in graph.nodes if getattr(node.target, "_opname", "") == name]


def rename(graph, name, names):
    """Give the nodes of an operator these names, in order."""
    for node, each in zip([node for node in graph.nodes if getattr(node.target, "_opname", "") == name], names):
        node.name = each
