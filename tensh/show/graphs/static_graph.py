"""The steps of a captured program as a graph of nodes and edges."""

from dataclasses import replace

from tensh.compiler.programs.notes import words_of
from tensh.compiler.programs.passes import FUSED
from tensh.compiler.programs.steps import Var
from tensh.engine.dispatch.capture.lines import map_parts
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.graph.model import Edge, GraphNode


class StaticGraph:
    """The steps of a program that lead to its first result, as a graph for trees and drawings."""

    def __init__(self, program, optimized=False):
        steps = program.after[0] if optimized else program.before[0]
        ends = list(program.results)
        makers = {out: step for step in steps for out in step.outs}
        needed, waiting = set(), ends[:1]
        while waiting:
            each = waiting.pop()
            if each not in needed:
                needed.add(each)
                waiting += makers[each].inputs if each in makers else ()
        leaves = [
            each
            for each in dict.fromkeys(v for step in steps for v in step.inputs)
            if each in needed and each not in makers
        ]
        order = [*leaves, *(step for step in steps if any(out in needed for out in step.outs))]
        self.numbers = {}
        for number, each in enumerate(order, 1):
            self.numbers.update((out, number) for out in ([each] if isinstance(each, Var) else each.outs))
        self.nodes = [self.describe(each, number) for number, each in enumerate(order, 1)]
        uses = [0] * (len(order) + 1)
        for node in self.nodes:
            for edge in node.edges:
                uses[edge.number] += 1
        self.nodes = [replace(node, uses=uses[node.number]) for node in self.nodes]
        self.edge_count, self.root = sum(uses), self.numbers.get(ends[0], len(order))
        self.shared = [number for number, times in enumerate(uses) if times > 1]

    def describe(self, each, number):
        if isinstance(each, Var):
            return GraphNode(number, "leaf", "input", None, each.label, each.shape, dtype_of(each))
        given = each.inputs if each.kind == FUSED else list_variables((each.args, each.options))
        edges = tuple(Edge(self.numbers[v]) for v in given if v in self.numbers)
        out = each.outs[0] if each.outs else None
        name = " + ".join(step.name for step in each.steps) if each.kind == FUSED else each.name
        text = None if each.kind == FUSED else words_of(each)
        return GraphNode(
            number, "operation", name, text, None, out and out.shape, out and dtype_of(out), edges=edges
        )  # fmt: skip

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __getitem__(self, number):
        return self.nodes[number - 1]


def dtype_of(var):
    return str(BY_NUMPY[var.dtype]).removeprefix("torch.")


def list_variables(structure):
    """Return the variables in a structure, once per occurrence."""
    found = []
    map_parts(found.append, Var, structure)
    return found
