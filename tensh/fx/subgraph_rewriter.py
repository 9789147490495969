"""Replacement of subgraphs: a pattern and its replacement are functions, traced to graphs."""

import copy
from dataclasses import dataclass
from typing import NamedTuple

from tensh.fx._symbolic_trace import symbolic_trace
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import Node
from tensh.fx.passes.utils.matcher_utils import SubgraphMatcher
from tensh.nn.modules.module import Module

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """An occurrence: the pattern's last node, and a dict from nodes of the pattern to nodes of the graph."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """An occurrence, and the nodes that replaced it."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(gm, pattern, replacement):
    """Replace each occurrence of ``pattern`` in a graph module by ``replacement``, both functions or modules.

    Occurrences do the same operations on the same values; inputs of the pattern match everything. Return a list of
    ``Match``, and recompile the module.

    >>> import tensh as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.neg(torch.sigmoid(x)))
    >>> matches = torch.fx.replace_pattern(gm, lambda x: torch.neg(torch.sigmoid(x)), lambda x: torch.tanh(x))
    >>> len(matches), [node.name for node in gm.graph.nodes]
    (1, ['x', 'tanh', 'output'])
    """
    return [Match(each.anchor, each.nodes_map) for each in _replace(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm, pattern, replacement=None, match_filters=None, ignore_literals=False, replacement_callback=None, node_name_match=""
):  # fmt: skip
    """Replace the occurrences of ``pattern`` that all ``match_filters`` accept; return ``ReplacedPatterns``.

    A filter is called with the match, the graph and the pattern's graph; so is ``replacement_callback``, which returns
    the graph to use instead of ``replacement``. With ``ignore_literals``, numbers need not be equal.
    """
    return _replace(
        gm, pattern, replacement, match_filters or (), ignore_literals, replacement_callback, node_name_match
    )


def graph_of(value):
    """Return the graph of a graph module or of a traced function, or a graph itself."""
    if isinstance(value, Graph):
        return value
    return value.graph if isinstance(value, GraphModule) else symbolic_trace(value).graph


def _replace(gm, pattern, replacement, filters=(), ignore_literals=False, callback=None, node_name_match=""):
    graph, pattern = gm.graph, graph_of(pattern)
    matcher = SubgraphMatcher(pattern, ignore_literals=ignore_literals)
    matches = [
        match
        for match in matcher.match(graph, node_name_match=node_name_match)
        if all(accept(match, graph, pattern) for accept in filters)
    ]
    if replacement is None and callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    made = graph_of(replacement) if callback is None else None
    changed, found = {}, []
    for match in matches:
        nodes = replace_match(graph, pattern, match, callback(match, graph, pattern) if callback else made, changed)
        found.append(ReplacedPatterns(match.anchors[0], match.nodes_map, nodes))
    gm.recompile()
    if isinstance(replacement, Module):
        add_members(gm, replacement)
    return found


def replace_match(graph, pattern, match, replacement, changed):
    """Replace one occurrence, and return the new nodes; ``changed`` maps results of earlier ones to new nodes."""
    inputs = [node for node in replacement.nodes if node.op == "placeholder"]
    if len(match.placeholder_nodes) != len(inputs):
        raise AssertionError(f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(inputs)}")
    match.placeholder_nodes = [changed.get(node, node) for node in match.placeholder_nodes]
    match.nodes_map.update(
        {node: changed.get(each, each) for node, each in match.nodes_map.items() if node.op == "placeholder"}
    )
    values = dict(zip(inputs, match.placeholder_nodes, strict=True))
    with graph.inserting_before(find_place(graph, match.returning_nodes)):
        results = graph.graph_copy(replacement, values)
    results = (results,) if isinstance(results, Node) else results
    if len(match.returning_nodes) != len(results):
        raise AssertionError(f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}")
    for before, after in zip(match.returning_nodes, results, strict=True):
        before.replace_all_uses_with(after)
        changed[before] = after
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    return [node for node in values.values() if node not in match.placeholder_nodes]


def find_place(graph, results):
    """Return the node before which a replacement goes: the first user of ``results``, or their successor."""
    users = {user for node in results for user in node.users}
    if users:
        return next(node for node in graph.nodes if node in users)
    return next(node for node in reversed(graph.nodes) if node in results).next


def add_members(gm, replacement):
    """Give a graph module the members to which the replacement refers, and remove unused ones."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or find_member(gm, node.target) is not None:
            continue
        value = copy.deepcopy(find_member(replacement, node.target))
        if value is None:
            raise RuntimeError(
                'Attempted to create a "', node.op, f'" node during subgraph rewriting with target {node.target}, but the referenced '
                "attribute does not exist in the replacement GraphModule",
            )  # fmt: skip
        if isinstance(value, Module):
            gm.add_submodule(node.target, value)
        else:
            setattr(gm, node.target, value)
    gm.graph.lint()


def find_member(module, path):
    """Return the attribute at a path, or None."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return module
