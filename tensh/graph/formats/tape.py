"""A graph as a tape: every node once, in the order of recording, with the numbers of its operands.

The lines are generated one by one, so that a graph of a million nodes can be streamed.
"""

import textwrap
from itertools import islice

from tensh.graph import tokens
from tensh.graph.formats.folding import folds
from tensh.graph.formats.tree import Shown
from tensh.graph.formulas import describe_edge, operand_texts
from tensh.support.language import _, count

SAMPLE = 1000  # number of lines that determine the column widths
WIDEST = 40  # maximum width of a column
NARROWEST = 12  # width that a column keeps in a narrow window


def lines(graph, shown=None):
    """Yield the tape as lines of (kind, text) pairs."""
    shown = shown or Shown()
    hidden = folds(graph) if shown.fold else {}
    rows = _rows(graph, shown, hidden)
    sample = list(islice(rows, SAMPLE))
    widths = [
        min(max((tokens.width(row[i]) for row in sample if len(row) > 1), default=0), WIDEST)
        for i in range(3 + shown.types)
    ]
    digits, is_below = len(str(len(graph))) + 1, False
    if shown.width is not None:
        tail = max((tokens.width(row[-2]) for row in sample if len(row) > 1), default=0)
        room = shown.width - digits - 3
        least = min(NARROWEST, shown.width // 5)
        is_below = sum(each + 2 for each in shrink(widths, 0, NARROWEST)) + tail > room  # there is no room for tails
        widths = shrink(widths, room, least) if is_below else shrink(widths, room - tail, NARROWEST)
    for row in (*sample, *rows) if len(sample) < SAMPLE else _chain_rule(sample, rows):
        if len(row) == 1 or not is_below:
            yield _line(row, widths, digits)
            continue
        *columns, tail, number = row
        yield _line((*columns, "", number), widths, digits)
        indent = " " * (digits + 5)
        for line in textwrap.wrap(tail, max(shown.width - len(indent), NARROWEST)):
            yield [("margin", indent), ("number", line)]
    yield [("plain", "")]
    yield [("note", f"{count(len(graph), 'node')}, {count(graph.edge_count, 'edge')}")]


def shrink(widths, room, least):
    """Return the widths of the columns, with names and operations cut until all columns fit the room, or are least."""
    widths = list(widths)
    while sum(each + 2 for each in widths) > room:
        widest = max((0, 1), key=widths.__getitem__)
        if widths[widest] <= least:
            break
        widths[widest] -= 1
    return widths


def _chain_rule(sample, rows):
    yield from sample
    yield from rows


def _rows(graph, shown, hidden):
    told = set()
    for number in range(1, len(graph) + 1):
        fold = hidden.get(number)
        if fold is not None:
            if fold not in told:
                told.add(fold)
                first, last = fold.hidden[0], fold.hidden[-1]
                yield (
                    _("the same {count} {times} times: %{first} to %{last}").format(
                        times=fold.times - 1, count=count(fold.length, "operation"), first=first, last=last
                    ),
                )
            continue
        node = graph.describe(graph.order[number - 1])
        row = [f"%{number}", node.short, f"= {call(graph, node)}", tokens.shape(node)]
        if shown.types:
            row.append(node.dtype or "")
        tail = [tokens.values(node.value)] if shown.values else []
        tail += (
            [_("grad {values}").format(values=tokens.values(node.grad))]
            if shown.grads and node.grad is not None
            else []
        )
        tail += [formulas(graph, node)] if shown.formulas else []
        tail += ["<- " + _("root")] if number == graph.root else []
        yield (*row[1:], "  ".join(each for each in tail if each), row[0])


def call(graph, node):
    """Return the operation with its operands: ``mul(%3, 2)``."""
    if node.kind == "leaf":
        return _("leaf")
    texts = operand_texts(graph, node)
    operands = [f"%{edge.number}" if edge.number else text or "_" for edge, text in zip(node.edges, texts, strict=True)]
    return f"{node.operation}({', '.join(operands)})"


def formulas(graph, node):
    """Return what each operand receives: ``d %1 = g * w``."""
    found = [(edge.number, describe_edge(graph, node, edge)) for edge in node.edges if edge.number]
    return ", ".join(f"d %{number} = {text}" for number, text in found if text)


def _line(row, widths, digits):
    if len(row) == 1:
        return [("note", " " * digits + "... " + row[0])]
    *columns, tail, number = row
    made = [("margin", number.rjust(digits + 1) + "  ")]
    for text, width, kind in zip(columns, widths, ("name", "keyword", "plain", "plain"), strict=False):
        text = tokens.cut(text, width)
        made.append((kind, text + " " * max(width - tokens.width(text) + 2, 2)))
    return [*made, ("number", tail)]
