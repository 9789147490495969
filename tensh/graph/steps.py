"""A backward pass one node at a time: what arrives, what each operand receives, and what it has so far."""

from typing import NamedTuple

from tensh.graph import tokens
from tensh.graph.formulas import in_words
from tensh.graph.reverse import Parts, Pass, together
from tensh.graph.tree import count


class Sent(NamedTuple):
    """What a node sends to one operand, and what has arrived there by then."""

    operand: int
    formula: str | None
    gradient: object
    before: object
    after: object


class BackwardStep(NamedTuple):
    """One node at its turn: what has arrived, and what it sends."""

    node: int
    arrived: object
    sent: tuple[Sent, ...]


def steps(graph, seed=None):
    """The BackwardSteps of the graph, in the order in which a backward pass runs its nodes: newest first."""
    whole = Pass(graph, seed)
    sofar = {}
    for number in range(graph.root, 0, -1):
        node = graph[number]
        if node.kind == "leaf" or number not in whole.arrived:
            continue
        sent = []
        for i, edge in enumerate(node.edges):
            if (number, i) in whole.brought:
                g, before = whole.brought[number, i], sofar.get(edge.number)
                sofar[edge.number] = together(before, g)
                sent.append(Sent(edge.number, in_words(graph, node, edge), g, before, sofar[edge.number]))
        yield BackwardStep(number, whole.arrived[number], tuple(sent))


def lines(graph, seed=None):
    """All steps as lines of (kind, text) pairs."""
    made = list(steps(graph, seed))
    width = max((tokens.width(_short(graph, s.operand)) for step in made for s in step.sent), default=0)
    for number, step in enumerate(made, 1):
        yield from step_lines(graph, number, step, width)
    leaves = [n for n in graph if n.kind == "leaf"]
    yield [("plain", "")]
    yield [
        (
            "note",
            f"{count(len(made), 'step')}: every node once, and the gradient of {count(len(leaves), 'leaf', 'leaves')}",
        )
    ]


def step_lines(graph, number, step, width):
    """One step: the node, and a line for each of its operands."""
    head = f"step {number}".ljust(8)
    yield [("keyword", head), ("name", graph[step.node].title), ("note", "  arrives "), ("number", said(step.arrived))]
    for sent in step.sent:
        name = _short(graph, sent.operand)
        made = [("margin", "     -> "), ("name", name + " " * (width - tokens.width(name)))]
        if sent.formula:
            made.append(("note", f"  {tokens.cut(sent.formula, 48)} = "))
        else:
            made.append(("note", "  = "))
        made.append(("number", said(sent.gradient)))
        if sent.before is not None:
            made += [
                ("note", "    adds up: "),
                ("number", f"{said(sent.before)} + {said(sent.gradient)} = {said(sent.after)}"),
            ]
        yield made


def _short(graph, number):
    return tokens.cut(graph[number].short, 30)


def said(gradient):
    """A gradient in a few words; one of a node with several outputs output by output."""
    if type(gradient) is Parts:
        return ", ".join(f"output {i}: {tokens.values(g)}" for i, g in sorted(gradient.items()))
    return tokens.values(gradient)
