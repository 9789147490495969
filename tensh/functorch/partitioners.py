"""The division of a graph of both passes: the values that the forward pass saves, and those that are recomputed."""

import math
from collections import deque

from tensh.engine.core.tensor import Tensor
from tensh.fx.branches import list_members
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule

__all__ = ["default_partition", "min_cut_rematerialization_partition"]

RECOMPUTED = frozenset(
    """add sub mul div atan2 max maximum min minimum fmod remainder __and__ __or__ __xor__ __lshift__ __rshift__ eq ne ge gt le lt abs
    bitwise_not ceil floor frac neg relu round silu trunc log log10 log1p log2 lgamma exp expm1 erf erfc cos acos cosh sin asin sinh tan
    atan tanh atanh sqrt rsqrt reciprocal sigmoid softplus threshold threshold_backward clamp where lerp addcmul gelu gelu_backward
    _softmax_backward_data pow leaky_relu square alias view select slice squeeze unsqueeze expand t transpose permute split
    detach sum mean to zeros_like ones_like full_like _to_copy sign log_softmax softmax amax amin cat""".split()
)
"""Operators whose results a backward pass may compute again."""


def default_partition(joint_module, _joint_inputs, *, num_fwd_outputs, static_lifetime_input_indices=None):
    """Return the modules of both passes; everything that the backward pass reads is saved."""
    parts = Parts(joint_module.graph, num_fwd_outputs)
    first = find_needed(parts.results)
    for node in joint_module.graph.nodes:  # what operators keep of their results
        if getattr(node.target, "_opname", "") == "detach" and "in_forward" in node.meta and node.args[0] in first:
            first.add(node)
    later = find_needed(parts.gradients) - first
    read = {each for node in later for each in node.all_input_nodes} | set(parts.gradients)
    return parts.divide([node for node in joint_module.graph.nodes if node in first and node in read], first)


def min_cut_rematerialization_partition(
    joint_module, _joint_inputs, compiler="inductor", *, num_fwd_outputs, **_options
):
    """Return the modules of both passes; what is saved has as few bytes as possible, and the rest is computed again."""
    parts = Parts(joint_module.graph, num_fwd_outputs)
    return parts.divide(find_cut(parts))


class Parts:
    """A joint graph: which nodes the results need (``forward``), and which need a gradient of the results (``backward``)."""

    def __init__(self, graph, count):
        self.graph = graph
        outputs = graph.output_node().args[0]
        self.results, self.gradients = outputs[:count], outputs[count:]
        self.inputs = [each for each in graph.find_nodes(op="placeholder") if not each.target.startswith("tangents")]
        self.tangents = [each for each in graph.find_nodes(op="placeholder") if each.target.startswith("tangents")]
        self.backward = set(self.tangents)
        for node in graph.nodes:
            if node.op != "output" and any(each in self.backward for each in node.all_input_nodes):
                self.backward.add(node)
        self.forward = {each for each in graph.nodes if each.op != "output" and each not in self.backward}

    def read_backward(self, node):
        """Return True if the backward pass reads a node."""
        return any(each in self.backward for each in node.users) or any(node is each for each in self.gradients)

    def divide(self, saved, first_nodes=()):
        """Return the modules of both passes, for what the first one saves."""
        saved = [each for each in saved if each.op != "get_attr"]
        first = extract(self.graph, self.inputs, (*self.results, *saved))
        order = [each for each in self.graph.nodes if each in self.backward or first_nodes and each not in first_nodes]
        second = extract(self.graph, [*saved, *self.tangents], tuple(self.gradients), order)
        return [GraphModule(list_members(each), each, "GraphModule") for each in (first, second)]


def find_needed(outputs):
    """Return the nodes that outputs are computed from, with themselves."""
    needed, stack = set(), [each for each in outputs if hasattr(each, "all_input_nodes")]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += node.all_input_nodes
    return needed


def extract(graph, inputs, outputs, order=None):
    """Return the graph that computes outputs from inputs; nodes of ``order`` stand in it, each after what it needs."""
    made, copies = Graph(), {}
    for each in inputs:
        copies[each] = made.placeholder(each.name)
        copies[each].meta = dict(each.meta)

    def add(node):
        stack = [node]
        while stack:
            top = stack[-1]
            missing = [each for each in top.all_input_nodes if each not in copies]
            if top in copies or not missing:
                stack.pop()
                if top not in copies:
                    copies[top] = made.node_copy(top, copies.__getitem__)
            else:
                stack += missing[::-1]

    needed = set()
    stack = [each for each in outputs if hasattr(each, "all_input_nodes")]
    while stack:
        node = stack.pop()
        if node not in needed and node not in copies:
            needed.add(node)
            stack += node.all_input_nodes
    for node in order if order is not None else graph.nodes:
        if node in needed:
            add(node)
    for node in outputs:
        if hasattr(node, "all_input_nodes"):
            add(node)
    made.output(tuple(copies.get(each, each) if hasattr(each, "all_input_nodes") else each for each in outputs))
    return made


# ── the smallest cut ─────────────────────────────────────────────────────────
def find_cut(parts):
    """Return the nodes to save: the cheapest that separate what is given from what the backward pass reads.

    Every node is an edge whose capacity is its size, twice for what is not an input; an edge between nodes cannot be cut.
    """
    flow = Flow()
    for node in parts.graph.nodes:
        if node not in parts.forward or node.op == "get_attr":
            continue
        flow.add((node, 0), (node, 1), weight_of(node, any(node is each for each in parts.results)))
        if node.op == "placeholder" or getattr(node.target, "_opname", "getitem") not in RECOMPUTED | {"getitem"}:
            flow.add("source", (node, 0), math.inf)
        for user in node.users:
            if user in parts.forward:
                flow.add((node, 1), (user, 0), math.inf)
        if parts.read_backward(node):
            flow.add((node, 1), "sink", math.inf)
    reached = flow.run("source", "sink")
    return [each for each in parts.graph.nodes if (each, 0) in reached and (each, 1) not in reached]


def weight_of(node, kept):
    """Return what saving a node costs; ``kept`` is True for a result, which is kept anyway."""
    value = node.meta.get("val")
    if not isinstance(value, Tensor):
        return math.inf
    size = max(value.numel() * value.element_size(), 1)
    return size if node.op == "placeholder" or kept else 2 * size + 1


class Flow:
    """A network with capacities."""

    def __init__(self):
        self.edges = {}

    def add(self, one, other, capacity):
        self.edges.setdefault(one, {})[other] = self.edges.get(one, {}).get(other, 0) + capacity
        self.edges.setdefault(other, {}).setdefault(one, 0)

    def run(self, source, sink):
        """Send as much as possible; return what can be reached from the source then."""
        while sink in (before := self.search(source, sink)):
            path, here = [], sink
            while before[here] is not None:
                path.append((before[here], here))
                here = before[here]
            amount = min(self.edges[one][other] for one, other in path)
            if amount == math.inf:
                raise RuntimeError("what the backward pass reads cannot be saved")
            for one, other in path:
                self.edges[one][other] -= amount
                self.edges[other][one] += amount
        return set(before)

    def search(self, source, sink):
        """Return node -> the node before it on a shortest path from the source, for all that are nearer than the sink."""
        before, queue = {source: None}, deque([source])
        while queue and sink not in before:
            here = queue.popleft()
            for there, capacity in self.edges.get(here, {}).items():
                if capacity > 0 and there not in before:
                    before[there] = here
                    queue.append(there)
        return before
