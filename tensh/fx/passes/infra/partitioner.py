"""torch.fx.passes.infra.partitioner: parts of a graph that a backend can take, as large as their dependencies allow."""

import itertools
import operator

from tensh.fx.passes.operator_support import get_node_target
from tensh.fx.passes.utils.fuser_utils import depends_on_itself, fuse_by_partitions, list_dependants

__all__ = ["CapabilityBasedPartitioner", "Partition"]


class Partition:
    """Nodes of a graph that belong together, in ``nodes``, and the number of the partition."""

    def __init__(self, id=None, nodes=None, node_orders=None):
        self.id = id
        self.nodes = dict(zip(nodes, node_orders)) if node_orders is not None else dict.fromkeys(nodes or ())

    def __repr__(self):
        return str(self.nodes)

    def add_node(self, node, node_order=None):
        """Add a node."""
        self.nodes[node] = node_order

    def remove_node(self, node):
        """Remove a node."""
        del self.nodes[node]

    def size(self):
        """Return the number of nodes."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Partitions a graph by what a backend supports.

    ``operator_support`` says which nodes it takes. Partitions of one node are left out unless
    ``allows_single_node_partition``, or the node's target is in ``allowed_single_node_partition_ops``;
    ``non_compute_ops`` do not count. With ``skip_horizontal_fusion``, nodes that do not use each other stay apart.

    >>> import tensh as torch
    >>> from tensh.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    >>> from tensh.fx.passes.operator_support import create_op_support
    >>> graph = torch.fx.symbolic_trace(lambda x: (x.sin() + 1) * 2)
    >>> arithmetic = create_op_support(lambda modules, node: node.op == "call_function")
    >>> print(CapabilityBasedPartitioner(graph, arithmetic).partition_and_fuse().code.strip())
    def forward(self, x):
        sin = x.sin();  x = None
        fused_0 = self.fused_0(sin);  sin = None
        return fused_0
    """

    def __init__(
        self, graph_module, operator_support, allows_single_node_partition=False, non_compute_ops=None,
        allowed_single_node_partition_ops=None, skip_horizontal_fusion=False,
    ):  # fmt: skip
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = tuple(non_compute_ops or ())
        self.allowed = tuple(allowed_single_node_partition_ops or ())
        self.skip_horizontal_fusion = skip_horizontal_fusion
        self.modules = dict(graph_module.named_modules())

    def propose_partitions(self):
        """Return the partitions, from the last of the graph to the first."""
        found, home, count = {}, {}, itertools.count()  # number -> nodes of a partition, node -> its number
        after = list_dependants(self.graph_module.graph)
        for node in reversed(self.graph_module.graph.nodes):
            if not self.operator_support.is_node_supported(self.modules, node) or node.op in ("placeholder", "output"):
                continue
            number = next(count)
            home[node], found[number] = number, [node]
            others = list(dict.fromkeys(home[user] for user in node.users if user in home))
            if not self.skip_horizontal_fusion:
                others += [each for each in found if each not in others]
            for each in others:
                if each != number and each in found and not depends_on_itself({*found[number], *found[each]}, after):
                    number, smaller = (number, each) if len(found[number]) >= len(found[each]) else (each, number)
                    found[number] += found.pop(smaller)
                    home.update(dict.fromkeys(found[number], number))
        order = {node: place for place, node in enumerate(self.graph_module.graph.nodes)}
        move_items(found, home)
        partitions = [(number, sorted(nodes, key=order.get)) for number, nodes in found.items() if nodes]
        return [
            Partition(number, nodes, [len(order) - 1 - order[node] for node in nodes])  # counted from the end
            for number, nodes in partitions
            if self._is_worthwhile(nodes)
        ]

    def _is_worthwhile(self, nodes):
        """Return True for a partition that is large enough."""
        names = [get_node_target(self.modules, each) for each in nodes if each.op.startswith("call")]
        names = [each for each in names if each not in (*self.non_compute_ops, "_operator.getitem")]
        return self.allows_single_node_partition or len(names) > 1 or any(each in self.allowed for each in names)

    def fuse_partitions(self, partitions, prefix="fused_"):
        """Make each partition a submodule of the graph module, which changes, and return it."""
        return fuse_by_partitions(self.graph_module, [each.nodes for each in partitions], prefix)

    def remove_bookend_non_compute_ops(self, partitions):
        """Take nodes that compute nothing off the beginnings and the ends of partitions."""
        for part in partitions:
            for neighbours in (lambda node: node.all_input_nodes, lambda node: node.users):
                while taken := self._find_bookends(part, neighbours):
                    for node in taken:
                        part.remove_node(node)

    def _find_bookends(self, part, neighbours):
        """Return the nodes that compute nothing and have no neighbours in their partition on one side."""
        return [node for node in part.nodes if self._is_idle(node) and part.nodes.keys().isdisjoint(neighbours(node))]

    def _is_idle(self, node):
        """Return True for a node that computes nothing."""
        return node.op.startswith("call") and get_node_target(self.modules, node) in self.non_compute_ops

    def partition_and_fuse(self, prefix="fused_"):
        """Make all partitions submodules, and return the graph module."""
        return self.fuse_partitions(self.propose_partitions(), prefix)


def move_items(found, home):
    """Move the items of a node's result into the node's partition, or out of all where it has none."""
    for node in [each for each in home if each.target is operator.getitem]:
        number = home.get(node.args[0])
        if number != home[node]:
            found[home.pop(node)].remove(node)
            if number is not None:
                home[node] = number
                found[number].append(node)
