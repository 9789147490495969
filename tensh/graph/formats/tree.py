"""A graph as a tree of lines: the root first, with its operands below it.

A graph is not a tree, so a value with several uses is drawn once: a leaf is named again, an operation gets a number for
later references.
"""

import sys
import textwrap
from typing import NamedTuple

from tensh.graph import tokens
from tensh.graph.formats.folding import folds
from tensh.graph.formulas import describe_edge
from tensh.support.language import _, count

MOST = 1000  # maximum number of lines; a longer tree says no more than a tape


class Shown(NamedTuple):
    """The properties of each node that are shown."""

    values: bool = False
    grads: bool = False
    types: bool = False
    formulas: bool = False
    depth: int | None = None
    width: int | None = None
    fold: bool = True
    ascii: bool = False


GLYPHS = {False: ("├── ", "└── ", "│   ", "    "), True: ("|-- ", "`-- ", "|   ", "    ")}


class Row(NamedTuple):
    """A line of the tree: its branches, its text, and its node (None for a remark)."""

    stem: str
    text: str
    node: object
    mark: str = ""
    formula: str | None = None


def rows(graph, shown=None):
    """Yield the lines of the tree, top down."""
    shown = shown or Shown()
    tee, elbow, bar, gap = GLYPHS[shown.ascii]
    hidden = folds(graph) if shown.fold else {}
    seen, labels = set(), {}
    waiting = [(graph.root, "", "", None)]  # (number or Fold, stem of the line, stem of its children, formula)
    while waiting:
        target, stem, below, formula = waiting.pop()
        again = target in seen
        seen.add(target)
        if isinstance(target, int):
            yield row_of_node(graph[target], stem, formula, again, labels)
            children = () if again else edges_of(graph, graph[target], shown.formulas)
        else:
            yield row_of_fold(target, stem, again)
            children = () if again else edges_out_of(graph, target, shown.formulas)
        if shown.depth is not None and children and len(below) // len(bar) >= shown.depth:
            yield Row(below + elbow, "...", None)
            continue
        targets = [(hidden.get(n) or n, f) for n, f in children]
        for position, (child, formula) in reversed(list(enumerate(targets))):
            last = position == len(targets) - 1
            waiting.append((child, below + (elbow if last else tee), below + (gap if last else bar), formula))


def row_of_node(node, stem, formula, again, labels):
    """Return the line of a node; an operation with several uses gets one of the ``labels``, to which later lines refer."""
    if node.uses <= 1:
        return Row(stem, node.title, node, formula=formula)
    if node.kind == "leaf":
        return Row(stem, node.title, None if again else node, _("(*) again") if again else "(*)", formula)
    if again:
        return Row(stem, _("see #{number}").format(number=labels[node.number]), None)
    label = labels[node.number] = len(labels) + 1
    return Row(stem, f"#{label} {node.title}", node, formula=formula)


def row_of_fold(fold, stem, again):
    """Return the line in place of the repetitions of a block."""
    if again:
        return Row(stem, _("see above: the same operations"), None)
    text = _("the same {count} {times} more times")
    return Row(stem, text.format(times=fold.times - 1, count=count(fold.length, "operation")), None)


def edges_of(graph, node, formulas):
    """Return (number, formula) of the operands of a node."""
    return [
        (edge.number, describe_edge(graph, node, edge) if formulas else None)
        for edge in node.edges
        if edge.number is not None
    ]


def edges_out_of(graph, fold, formulas):
    """Describe the hidden repetitions of a block."""
    inside = set(fold.hidden)
    found = {}
    for number in fold.hidden:
        node = graph[number]
        for edge in node.edges:
            if edge.number is not None and edge.number not in inside and edge.number not in found:
                found[edge.number] = describe_edge(graph, node, edge) if formulas else None
    return list(found.items())


def lines(graph, shown=None):
    """Yield the tree as lines of (kind, text) pairs, with aligned columns and a summary line."""
    shown = shown or Shown()
    drawn, more = [], False
    for row in rows(graph, shown):
        if len(drawn) == MOST:
            more = True
            break
        drawn.append(row)
    whole, stems = [cells(row, shown) for row in drawn], [tokens.width(row.stem) for row in drawn]
    columns = [[*row] for row in whole]
    fit(columns, stems, shown.width, shown.formulas)
    widths = measure(columns)
    is_parted = shown.width is not None and sum(size + 2 for size in widths if size) - 2 > shown.width
    if is_parted and len(widths) > FIRST:  # the requested properties stand below each node
        columns = [row[:FIRST] for row in whole]
        fit(columns, stems, shown.width)
        widths = measure(columns)
    following = [*stems[1:], 0]
    for row, cell, all_cells, stem in zip(drawn, columns, whole, following, strict=True):
        yield align(row, cell, widths)
        if len(widths) < len(all_cells):
            yield from write_below(row, all_cells[FIRST:], stem > tokens.width(row.stem), shown)
    if more:
        yield [
            (
                "note",
                _("... and more: {count} in all; use --view tape to see them").format(count=count(len(graph), "node")),
            )
        ]
    yield [("plain", "")]
    for line in textwrap.wrap(summary(graph, drawn), shown.width or sys.maxsize):
        yield [("note", line)]


FIRST = 3  # columns that stand on the line of each node: title, node, shape


def measure(columns):
    """Return the width of each column."""
    return [max(tokens.width(row[i]) for row in columns) for i in range(len(columns[0]))]


def write_below(row, texts, has_operands, shown):
    """Yield the requested properties of a node as lines below it, between the branches to its operands."""
    tee, elbow, bar, gap = GLYPHS[shown.ascii]
    stem = row.stem[: -len(tee)] + (bar if row.stem.endswith(tee) else gap) if row.stem else ""
    stem += bar if has_operands else gap
    room = max(shown.width - tokens.width(stem), LEAST)
    for line in textwrap.wrap("  ".join(filter(None, texts)), room):
        yield [("margin", stem), ("number", line)]


def cells(row, shown):
    """Return the columns of a line: title, node, shape, and the requested ones."""
    node = row.node
    first = row.stem + row.text + (f"  {row.mark}" if row.mark else "")
    gets = "" if row.formula is None else _("gets {formula}").format(formula=row.formula)
    if node is None:
        return [first] + [""] * (2 + shown.types + shown.values + shown.grads) + [gets] * shown.formulas
    made = [first, _("leaf") if node.kind == "leaf" else node.name, tokens.shape(node)]
    if shown.types:
        made.append(node.dtype or "")
    if shown.values:
        made.append(tokens.values(node.value))
    if shown.grads:
        made.append("" if node.grad is None else _("grad {values}").format(values=tokens.values(node.grad)))
    if shown.formulas:
        made.append(gets)
    return made


LEAST = 16  # cells of a title that are worth more than the names of nodes


def fit(columns, stems, width, has_formulas=False):
    """Shorten the first column until a line fits into the width, but not to less than a third of it.

    Names of nodes are left out where there is no room for a third, or for the beginning of a title after its branches,
    which are `stems` cells wide. If formulas are shown, the names of nodes are left out first, then the formulas are
    shortened.
    """
    if width is None:
        return
    sizes = [max(map(tokens.width, texts)) + 2 for texts in zip(*columns, strict=True)]
    least = max(min(tokens.width(row[0]), stem + LEAST) for row, stem in zip(columns, stems, strict=True))
    # there is more in the user's names
    if has_formulas and sum(sizes) - 2 > width or sum(sizes[1:4]) + max(width // 3, least) > width:
        sizes[1] = 0
        for row in columns:
            row[1] = ""
    others = sum(sizes[1:] if has_formulas else sizes[1:4])
    room = max(width - others, width // 3)
    for row in columns:
        row[0] = tokens.shorten(row[0], room)
    if has_formulas:
        room = max(width - sum(sizes[1:-1]) - max(tokens.width(row[0]) for row in columns) - 2, width // 4)
        for row in columns:
            row[-1] = tokens.shorten(row[-1], room)


KINDS = ("name", "keyword", "plain", "plain", "number", "number", "note")


def align(row, cell, widths):
    """Align a line of pairs: the stem is dimmed, the columns are padded."""
    made = [("margin", row.stem), ("name" if row.node else "note", cell[0][len(row.stem) :])]
    pad = widths[0] - tokens.width(cell[0])
    for text, size, kind in zip(cell[1:], widths[1:], KINDS[1:], strict=False):
        if text:
            made.append(("plain", " " * (pad + 2)))
            made.append((kind, text))
            pad = size - tokens.width(text)
        elif size:
            pad += size + 2
    return made


def summary(graph, drawn):
    text = f"{count(len(graph), 'node')}, {count(graph.edge_count, 'edge')}"
    shared = [row for row in drawn if row.mark == "(*)"]
    if not graph.shared:
        return text
    text += _("; a DAG drawn as a tree.")
    uses = shared[0].node.uses if shared else 0
    if len(shared) > 1:
        text += _(" (*) a tensor used more than once: its gradient is the sum over all uses.")
    elif uses == 2:
        text += _(" (*) a tensor used 2 times: its gradient is the sum over both uses.")
    elif uses:
        text += _(" (*) a tensor used {uses} times: its gradient is the sum over all uses.").format(uses=uses)
    return text
