"""A backward pass one node at a time: what arrives, what each operand receives, and its sum so far."""

import re
from typing import NamedTuple

from tensh.engine.core.nodes import Parts
from tensh.graph import tokens
from tensh.graph.counting import count_leaves, count_nodes, count_steps
from tensh.graph.formulas import Gradient, gradient
from tensh.graph.reverse import Pass, together
from tensh.graph.textbook.facts import WORDS
from tensh.support.language import _

BELOW = " " * 6  # before a formula that goes below its operand
BETWEEN = " " * 3  # between the keys of a heading


class Sent(NamedTuple):
    """The gradient that a node sends to one operand, its formula, and the sum there so far."""

    operand: int
    formula: Gradient | None
    gradient: object
    before: object
    after: object


class BackwardStep(NamedTuple):
    """The step of one node, with others of the same call: gradients that have arrived, and gradients sent."""

    node: int
    arrived: object
    sent: tuple[Sent, ...]


def steps(graph, seed=None):
    """Yield the BackwardSteps of the graph, in the order in which a backward pass runs its nodes: newest first.

    The nodes of a call with known formulas are one step.
    """
    whole = Pass(graph, seed)
    sofar = {}
    for number in range(graph.root, 0, -1):
        node = graph[number]
        if node.kind == "leaf" or number not in whole.arrived or is_inner(graph, number):
            continue
        yield BackwardStep(number, whole.arrived[number], tuple(_send(graph, number, whole, sofar)))


def is_inner(graph, number):
    """Return True if a node is a step within a call that is treated as one."""
    nodes = graph.call_nodes(number)
    return nodes[-1] is not graph.order[number - 1] and graph.call(nodes) is not None


def _send(graph, number, whole, sofar):
    """Yield the gradients that the step of a node sends, operand by operand."""
    nodes = graph.call_nodes(number)
    numbers = [graph.numbers[node] for node in reversed(nodes)] if graph.call(nodes) is not None else [number]
    totals = {}
    edges = [(each, i, edge) for each in numbers for i, edge in enumerate(graph[each].edges)]
    for each, i, edge in edges:
        if (each, i) not in whole.brought or edge.number in numbers:
            continue
        # a call of several nodes is shown with one sum for an operand
        key = edge.number, i if len(numbers) == 1 else None
        formula, total = totals.get(key) or (gradient(graph, graph[each], edge), None)
        totals[key] = formula, together(total, whole.brought[each, i])
    for (operand, _i), (formula, g) in totals.items():
        before = sofar.get(operand)
        sofar[operand] = together(before, g)
        yield Sent(operand, formula, g, before, sofar[operand])


def lines(graph, seed=None):
    """Yield all steps as lines of (kind, text) pairs."""
    made = list(steps(graph, seed))
    width = max((tokens.width(_short(graph, s.operand)) for step in made for s in step.sent), default=0)
    for number, step in enumerate(made, 1):
        yield from step_lines(graph, number, step, width)
    leaves = [n for n in graph if n.kind == "leaf"]
    yield [("plain", "")]
    yield [
        (
            "note",
            _("{steps}: each operation once, and the gradients of {leaves}").format(
                steps=count_steps(len(made)), leaves=count_leaves(len(leaves))
            ),
        )
    ]
    for word in words_in(sent.formula.line for step in made for sent in step.sent if sent.formula):
        yield [("note", _(WORDS[word]))]


def words_in(formulas):
    """Return the words in formulas that need an explanation, each once."""
    return dict.fromkeys(word for text in formulas for word in re.findall(r"\b(\w+)\(", text) if word in WORDS)


def step_lines(graph, number, step, width):
    """Describe one step: the node, and a line for each of its operands."""
    head = tokens.pad(_("step {number}").format(number=number), 8)
    yield [
        ("keyword", head),
        ("name", graph[step.node].title),
        ("note", f"  {_('arrives')} "),
        ("number", describe_gradient(step.arrived)),
    ]
    for sent in step.sent:
        name = _short(graph, sent.operand)
        made = [("margin", "     -> "), ("name", name + " " * (width - tokens.width(name)))]
        if sent.formula:
            made.append(("note", f"  {tokens.shorten(sent.formula.text, 48)} = "))
        else:
            made.append(("note", "  = "))
        made.append(("number", describe_gradient(sent.gradient)))
        if sent.before is not None:
            made += [
                ("note", f"    {_('accumulates')}: "),
                (
                    "number",
                    f"{describe_gradient(sent.before)} + {describe_gradient(sent.gradient)} = {describe_gradient(sent.after)}",
                ),
            ]
        yield made
    for part in dict.fromkeys(part for sent in step.sent if sent.formula for part in sent.formula.parts):
        yield [("margin", " " * 8), ("note", _("with {part}").format(part=part))]


def _short(graph, number):
    return tokens.shorten(graph[number].short, 30)


def describe_gradient(gradient):
    """Describe a gradient briefly; for several outputs, output by output."""
    if type(gradient) is Parts:
        return ", ".join(
            _("output {number}").format(number=i) + f": {tokens.values(g)}" for i, g in sorted(gradient.items())
        )
    return tokens.values(gradient)


ROWS = 24  # number of nodes around the current one in a picture


def picture(graph, made, done, columns=None):
    """Draw the graph after ``done`` steps: every node with what has arrived, the current one marked, and what it sends.

    Newest first, as a backward pass goes. Lines of (kind, text) pairs, none wider than ``columns``.
    """
    for line in picture_lines(graph, made, done):
        yield from [line] if columns is None else cut_line(line, columns)


def cut_line(line, columns):
    """Return a line as lines of some columns: keys go below the heading, a formula below its operand; names are cut."""
    if sum(tokens.width(text) for _kind, text in line) <= columns:
        return [line]
    *front, (kind, last) = line
    if front and front[0][0] == "keyword":
        keys = last.lstrip()
        below = [keys] if tokens.width(keys) <= columns else keys.split(BETWEEN)
        return [front, *([(kind, tokens.cut(each, columns))] for each in below)]
    if front and kind == "note":
        return [*cut_line(front, columns), [(kind, tokens.cut(BELOW + last.lstrip(), columns))]]
    kept, room = [], columns
    for kind, text in line:
        if room > 0:
            kept.append((kind, tokens.cut(text, room)))
            room -= tokens.width(text)
    return [kept]


def picture_lines(graph, made, done):
    """Draw the graph as lines of any width."""
    step = made[done - 1] if done else None
    sums = gradients_at(graph, made, done)
    sent = {each.operand: each for each in step.sent} if step else {}
    numbers = numbers_to_show(graph, made, step)
    width = max(tokens.width(_short(graph, number)) for number in numbers)
    yield [
        ("keyword", _("step {number} of {total}").format(number=done, total=len(made))),
        ("note", f"   {_('right: next   left: back   q: quit')}"),
    ]
    for number in numbers:
        name = _short(graph, number)
        is_turn = step is not None and number == step.node
        line = [("mark" if is_turn else "margin", "-> " if is_turn else "   "), ("name", tokens.pad(name, width))]
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
            formula = sent[number].formula
            line.append(("note", f"   <- {formula.line if formula else 'g'}"))
        yield line
    shown = sum(1 for number in range(1, len(graph) + 1) if not is_inner(graph, number))
    if len(numbers) < shown:
        yield [
            (
                "note",
                "   " + _("... {nodes} more").format(nodes=count_nodes(shown - len(numbers))),
            )
        ]


def gradients_at(graph, made, done):
    """Return number -> what has arrived at a node after ``done`` steps; the root has its gradient from the start."""
    sums = {graph.root: made[0].arrived}
    for step in made[:done]:
        for each in step.sent:
            sums[each.operand] = each.after
    return sums


def numbers_to_show(graph, made, step):
    """Return the nodes in a picture, newest first: those around the current one, and those that it sends to."""
    numbers = [number for number in range(graph.root, 0, -1) if not is_inner(graph, number)]
    if len(numbers) <= ROWS:
        return numbers
    at = numbers.index(step.node) if step else 0
    start = max(min(at - ROWS // 3, len(numbers) - ROWS), 0)
    near = numbers[start : start + ROWS]
    return sorted({*near, *(each.operand for each in (step.sent if step else ()))}, reverse=True)
