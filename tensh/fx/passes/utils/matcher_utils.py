"""Occurrences of a small graph, the pattern, in a larger one."""

import itertools
from dataclasses import dataclass, field, replace

from tensh.engine.core.tensor import Tensor
from tensh.fx.node import Node

__all__ = ["InternalMatch", "SubgraphMatcher"]

NOT_MATCHED = ("placeholder", "output")


@dataclass
class InternalMatch:
    """One occurrence: nodes of the pattern -> nodes of the graph, and its inputs and outputs."""

    anchors: list
    nodes_map: dict = field(default_factory=dict)
    placeholder_nodes: list = field(default_factory=list)
    returning_nodes: list = field(default_factory=list)
    name_node_map: dict = field(default_factory=dict)

    def __copy__(self):
        return replace(self, nodes_map=self.nodes_map.copy())


class SubgraphMatcher:
    """Finds a pattern in graphs, backwards from its outputs; inputs of the pattern match everything.

    With ``match_output`` and ``match_placeholder``, output and inputs must be those of the graph. Among occurrences
    that share nodes only the first is kept, unless ``remove_overlapping_matches`` is False. With ``ignore_literals``,
    numbers need not be equal. Raise ValueError for an empty pattern, AssertionError for one with unused nodes.
    """

    def __init__(
        self, pattern, match_output=False, match_placeholder=False, remove_overlapping_matches=True, ignore_literals=False
    ):  # fmt: skip
        if not len(pattern.nodes):
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        if any(not node.users and node.op != "output" and not node.is_impure() for node in pattern.nodes):
            raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        self.pattern, self.match_output, self.match_placeholder = pattern, match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_placeholder_nodes = [node for node in pattern.nodes if node.op == "placeholder"]
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors = (
            [output] if match_output else [node for node in output.all_input_nodes if len(node.users) == 1]
        )

    def match(self, graph, node_name_match=""):
        """Return all occurrences in a graph, a list of ``InternalMatch``.

        With ``node_name_match``, a pattern node matches any node of the graph whose name contains it.
        """
        candidates = {
            anchor: [node for node in graph.nodes if self._fits(anchor, node, node_name_match)]
            for anchor in self.pattern_anchors
        }
        candidates = {anchor: nodes for anchor, nodes in candidates.items() if nodes}
        found = []
        for nodes in itertools.product(*candidates.values()) if candidates else ():
            nodes_map = {}
            if all(
                self._match(anchor, node, nodes_map, node_name_match)
                for anchor, node in zip(candidates, nodes, strict=True)
            ):
                found.append(self._make_match(nodes_map))
        found = [each for each in found if self._is_contained(each.nodes_map) and not has_cycle(list_covered(each))]
        return remove_overlaps(found) if self.remove_overlapping_matches else found

    def _make_match(self, nodes_map):
        inputs = [nodes_map[node] for node in self.pattern_placeholder_nodes]
        return InternalMatch(
            self.pattern_anchors, nodes_map, inputs, [nodes_map[node] for node in self.pattern_returning_nodes]
        )

    def _fits(self, pn, gn, node_name_match=""):
        """Return True if a node of the pattern matches a node of the graph, apart from their arguments."""
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op == "get_attr":
            return self._match_attributes(pn, gn)
        return pn.op in NOT_MATCHED or pn.target == gn.target

    @staticmethod
    def _match_attributes(pn, gn):
        """Return True if two attributes have the same type.  Raise RuntimeError for values other than tensors."""
        from tensh.fx.graph_module import get_member

        ours, theirs = (get_member(each.graph.owning_module, each.target) for each in (pn, gn))
        if type(ours) is type(theirs) and not isinstance(ours, Tensor):
            raise RuntimeError(f"Unsupported type {ours} when matching attributes")
        return type(ours) is type(theirs)

    def _match(self, pn, gn, nodes_map, node_name_match=""):
        """Match a node and all nodes that it depends on; matches are added to ``nodes_map``."""
        if pn in nodes_map:
            return nodes_map[pn] is gn
        if any(each is gn for each in nodes_map.values()) or not self._fits(pn, gn, node_name_match):
            return False
        nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        same = len(pn.args) == len(gn.args) and list(pn.kwargs) == list(gn.kwargs)
        return same and self._match_values((*pn.args, *pn.kwargs.values()), (*gn.args, *gn.kwargs.values()), nodes_map)

    def _match_values(self, ours, theirs, nodes_map):
        """Match pairs of arguments."""
        if len(ours) != len(theirs):
            return False
        for a, b in zip(ours, theirs, strict=True):
            if isinstance(a, Node) and isinstance(b, Node):
                matched = self._match(a, b, nodes_map)
            elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
                matched = self._match_values(a, b, nodes_map)
            else:
                matched = self._match_literals(a, b, nodes_map) or self.ignore_literals
            if not matched:
                return False
        return True

    @staticmethod
    def _match_literals(ours, theirs, nodes_map):
        """Match a number or another literal, which an input of the pattern also matches."""
        if isinstance(ours, Node):
            return ours.op == "placeholder" and nodes_map.setdefault(ours, theirs) == theirs
        return type(ours) is type(theirs) and ours == theirs

    def _is_contained(self, nodes_map):
        """Return True if only nodes of the occurrence use its nodes, except for its outputs."""
        inside = {gn: pn for pn, gn in nodes_map.items() if pn.op != "placeholder"}
        return all(
            pn in self.pattern_returning_nodes or all(user in inside for user in gn.users) for gn, pn in inside.items()
        )


def list_covered(match):
    """Return the nodes of the graph that an occurrence covers, without its inputs."""
    return [gn for pn, gn in match.nodes_map.items() if pn.op not in NOT_MATCHED]


def has_cycle(nodes):
    """Return True if a value that leaves ``nodes`` comes back, so that they cannot be computed as one."""
    inside, seen = set(nodes), set()
    queue = [user for node in nodes for user in node.users if user not in inside]
    while queue:
        node = queue.pop()
        if node in inside:
            return True
        if node not in seen:
            seen.add(node)
            queue.extend(node.users)
    return False


def remove_overlaps(matches):
    """Return the matches that share no node with an earlier one."""
    used, found = set(), []
    for match in matches:
        nodes = list_covered(match)
        if used.isdisjoint(nodes):
            used.update(nodes)
            found.append(match)
    return found
