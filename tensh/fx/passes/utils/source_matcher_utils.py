"""The nodes that come from one call of a function or a layer."""

from dataclasses import dataclass, field
from typing import Any

from tensh.fx.node import Node

__all__ = ["SourcePartition", "check_subgraphs_connected", "get_source_partitions"]


@dataclass
class SourcePartition:
    """The nodes of one call, its source, and the nodes that lead in and out."""

    nodes: list
    source: Any
    input_nodes: list = field(default_factory=list)
    output_nodes: list = field(default_factory=list)
    params: list = field(default_factory=list)


def get_source_partitions(graph, wanted_sources, filter_fn=None):
    """Return source -> ``SourcePartition`` of each of its calls, of the wanted functions and classes of layers.

    Calls with a node for which ``filter_fn`` is false are left out.

    >>> import tensh as torch
    >>> from tensh.fx.passes.utils.source_matcher_utils import get_source_partitions
    >>> program = torch.export.export(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), (torch.ones(1, 2),))
    >>> [part.nodes for part in get_source_partitions(program.graph, [torch.nn.ReLU])[torch.nn.ReLU]]
    [[relu]]
    """
    found = {}
    for node in graph.nodes:
        source, call = find_source(node, wanted_sources)
        if call is not None:
            found.setdefault(source, {}).setdefault(call, []).append(node)
    keep = filter_fn or (lambda node: True)
    return {
        source: [make_partition(nodes, source) for nodes in calls.values() if all(map(keep, nodes))]
        for source, calls in found.items()
    }


def find_source(node, wanted):
    """Return (source, its call) of a node: the stack of functions, the function, or the innermost layer it came from."""
    stack = node.meta.get("source_fn_stack")
    if stack is not None:
        call, source = stack[-1]
        return (source, call) if source in wanted else (None, None)
    if (called := node.meta.get("torch_fn")) is not None and (name := called[1].split(".")[1]) in wanted:
        return name, called[0]
    modules = node.meta.get("nn_module_stack")
    if node.op == "call_function" and modules:
        path, cls = list(modules.values())[-1]
        for source in wanted:
            if is_class(cls, source):
                return source, path
    return None, None


def is_class(found, wanted):
    """Return True for a class, or its name, that is the wanted one."""
    if isinstance(wanted, type) and isinstance(found, type):
        return issubclass(found, wanted)
    return found == (f"{wanted.__module__}.{wanted.__qualname__}" if isinstance(wanted, type) else wanted)


def make_partition(nodes, source):
    """Return the partition of nodes."""
    inputs = [
        each
        for node in nodes
        for each in node.args
        if isinstance(each, Node) and each not in nodes and each.op != "get_attr"
    ]
    params = [node for node in nodes if node.op == "get_attr"]
    outputs = [node for node in nodes if node not in params and any(user not in nodes for user in node.users)]
    return SourcePartition(nodes, source, list(dict.fromkeys(inputs)), outputs, params)


def check_subgraphs_connected(subgraph1, subgraph2):
    """Return True if a node of the second partition uses one of the first."""
    return any(user in subgraph2.nodes for node in subgraph1.nodes for user in node.users)
