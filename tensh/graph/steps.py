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
    yield [
        ("keyword", head),
        ("name", graph[step.node].title),
        ("note", "  arrives "),
        ("number", describe_gradient(step.arrived)),
    ]
    for sent in step.sent:
        name = _short(graph, sent.operand)
        made = [("margin", "     -> "), ("name", name + " " * (width - tokens.width(name)))]
        if sent.formula:
            made.append(("note", f"  {tokens.shorten(sent.formula, 48)} = "))
        else:
            made.append(("note", "  = "))
        made.append(("number", describe_gradient(sent.gradient)))
        if sent.before is not None:
            made += [
                ("note", "    adds up: "),
                (
                    "number",
                    f"{describe_gradient(sent.before)} + {describe_gradient(sent.gradient)} = {describe_gradient(sent.after)}",
                ),
            ]
        yield made


def _short(graph, number):
    return tokens.shorten(graph[number].short, 30)


def describe_gradient(gradient):
    """A gradient in a few words; one of a node with several outputs output by output."""
    if type(gradient) is Parts:
        return ", ".join(f"output {i}: {tokens.values(g)}" for i, g in sorted(gradient.items()))
    return tokens.values(gradient)


ROWS = 24  # nodes around the one at its turn that a picture shows


def picture(graph, made, done):
    """The graph after ``done`` of the steps: every node with what has arrived, the one at its turn marked, what it sends.

    Newest first, as a backward pass goes. Lines of (kind, text) pairs.
    """
    step = made[done - 1] if done else None
    sums = gradients_at(graph, made, done)
    sent = {each.operand: each for each in step.sent} if step else {}
    numbers = numbers_to_show(graph, made, step)
    width = max(tokens.width(_short(graph, number)) for number in numbers)
    yield [("keyword", f"step {done} of {len(made)}"), ("note", "   right: on   left: back   q: end")]
    for number in numbers:
        name = _short(graph, number)
        is_turn = step is not None and number == step.node
        line = [("mark" if is_turn else "margin", "-> " if is_turn else "   "), ("name", name.ljust(width))]
        if number in sent and sent[number].before is not None:
            each = sent[number]
            line.append(
                (
                    "number",
                    f"  {describe_gradient(each.before)} + {describe_gradient(each.gradient)} = {describe_gradient(each.after)}",
                )
            )
        elif number in sums:
            line.append(("number", f"  {describe_gradient(sums[number])}"))
        if number in sent:
            line.append(("note", f"   <- {sent[number].formula or 'g'}"))
        yield line
    if len(numbers) < len(graph):
        yield [("note", f"   ... {count(len(graph) - len(numbers), 'node')} more")]


def gradients_at(graph, made, done):
    """number -> what has arrived at a node after ``done`` steps; the root has its own gradient from the start."""
    sums = {graph.root: made[0].arrived}
    for step in made[:done]:
        for each in step.sent:
            sums[each.operand] = each.after
    return sums


def numbers_to_show(graph, made, step):
    """The nodes that a picture shows, newest first: those around the one at its turn, and those it sends to."""
    numbers = list(range(graph.root, 0, -1))
    if len(numbers) <= ROWS:
        return numbers
    at = numbers.index(step.node) if step else 0
    start = max(min(at - ROWS // 3, len(numbers) - ROWS), 0)
    near = numbers[start : start + ROWS]
    return sorted({*near, *(each.operand for each in (step.sent if step else ()))}, reverse=True)
