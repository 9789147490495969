"""An Explanation as lines of text."""

from tensh.graph import tokens
from tensh.graph.tree import count

INDENT = " " * 10


def lines(explanation, name, times="·"):
    """The chain rule for the gradient of ``name``, as lines of (kind, text) pairs."""
    graph = explanation.graph
    root = graph[graph.root]
    target = graph[explanation.target]
    if explanation.gradient is None:
        yield [("name", f"{name}.grad"), ("plain", f": no path leads from {root.short} to {name}")]
        return
    yield headline(explanation, name, root, target)
    yield [("plain", "")]
    scalar = is_scalar(explanation)
    if explanation.is_by_use:
        yield from uses(explanation, name, times)
        return
    for number, path in enumerate(explanation.paths, 1):
        yield from scalar_path(graph, number, path, times) if scalar else tensor_path(graph, number, path)
    if scalar:
        yield from total(explanation, times)
    elif len(explanation.paths) > 1:
        yield [("keyword", "sum".ljust(10)), ("number", tokens.values(explanation.gradient))]


def uses(explanation, name, times):
    """What each use of a tensor brings, where the paths that lead to them are too many."""
    graph = explanation.graph
    yield [("note", f"too many paths to follow each: what each use of {name} brings")]
    rows = []
    for path in explanation.paths:
        step = path.steps[0]
        how = f"{tokens.values(step.arrived)} {times} {_value(step)}" if step.factor is not None else step.because
        rows.append((graph[step.node].title, how, tokens.values(step.brought)))
    widths = [max(tokens.width(tokens.shorten(row[i], 40)) for row in rows) for i in range(2)]
    for number, row in enumerate(rows, 1):
        first, second = (tokens.shorten(text, 40).ljust(width) for text, width in zip(row, widths, strict=False))
        yield [
            ("keyword", f"use {number}".ljust(10)),
            ("name", first),
            ("note", f"  {second}"),
            ("number", f"  {row[2]}"),
        ]
    yield [("keyword", "sum".ljust(10)), ("number", tokens.values(explanation.gradient))]


def is_scalar(explanation):
    """Whether every number on the way is a single one, so that local derivatives can be multiplied."""
    return all(step.factor is not None for path in explanation.paths for step in path.steps)


def headline(explanation, name, root, target):
    paths = count(explanation.path_count, "path")
    values = sorted(
        (n for n in explanation.graph if n.kind == "leaf" and n.variable and n.value is not None),
        key=lambda n: n.number,
    )
    scalars = [f"{n.variable} = {tokens.values(n.value)}" for n in values if n.shape == ()]
    at = f", at {', '.join(scalars)}," if scalars else ","
    return [
        ("name", f"{name}.grad"),
        ("plain", " = "),
        ("number", tokens.values(explanation.gradient)),
        ("plain", f"    because {root.title}{at} and {name} reaches {root.short} along {paths}"),
    ]


def scalar_path(graph, number, path, times):
    """One path: the nodes on it, each local derivative, and their product."""
    words = [graph[step.node].short for step in path.steps] + [graph[path.steps[-1].operand].short]
    yield [("keyword", f"path {number}".ljust(10)), ("plain", "  <-  ".join(words))]
    heads = [f"d {tokens.group(graph[s.node].short)} / d {tokens.group(graph[s.operand].short)}" for s in path.steps]
    width = max(map(tokens.width, heads))
    tails = [_value(step) for step in path.steps]
    reach = max(map(tokens.width, tails))
    for step, head, tail in zip(path.steps, heads, tails, strict=True):
        made = [("plain", INDENT + head + " " * (width - tokens.width(head)) + "  = "), ("number", tail)]
        if step.because:
            made.append(("note", " " * (reach - tokens.width(tail) + 4) + step.because))
        yield made
    product = f" {times} ".join(tokens.number(step.factor) for step in path.steps)
    if len(path.steps) > 1:
        yield [("plain", INDENT + " " * (width + 4)), ("number", f"{product} = {tokens.values(path.contribution)}")]


def _value(step):
    """``w + 1 = 2``: the local derivative in words and as a number."""
    number = tokens.number(step.factor)
    return number if step.local in (None, number) else f"{step.local} = {number}"


def total(explanation, times):
    """The sum over the paths: ``2 · 1 + 3 · 1 = 5``."""
    products = [f" {times} ".join(tokens.number(step.factor) for step in path.steps) for path in explanation.paths]
    yield [("keyword", "sum".ljust(10)), ("number", f"{' + '.join(products)} = {tokens.values(explanation.gradient)}")]


def tensor_path(graph, number, path):
    """One path as a flow of gradients: what arrives at each node, its shape and size."""
    first = graph[path.steps[0].node]
    rows = [(first.short, tokens.shape(first), "", "")]
    for step in path.steps:
        node, operand = graph[step.node], graph[step.operand]
        how = step.because or f"through {node.operation}"
        rows.append(
            (operand.short, tokens.shape(operand), how, tokens.values(step.brought) if step.brought is not None else "")
        )
    rows = [(tokens.shorten(row[0], 36), *row[1:]) for row in rows]
    widths = [max(tokens.width(row[i]) for row in rows) for i in range(3)]
    yield [("keyword", f"path {number}")]
    for row in rows:
        cells = [text + " " * (width - tokens.width(text)) for text, width in zip(row, widths, strict=False)]
        yield [
            ("name", "  " + cells[0]),
            ("plain", "  " + cells[1]),
            ("note", "  " + cells[2]),
            ("number", "  " + row[3]),
        ]


def check_lines(explanation, name, checked):
    """What central differences say of the gradient."""
    graph = explanation.graph
    root = graph[graph.root].short
    if graph[explanation.target].shape == ():
        _, quotient, _ = checked.entries[0]
        h = f"{checked.step:g}"
        text = f"({root}({name} + {h}) - {root}({name} - {h})) / {2 * checked.step:g} = {tokens.number(quotient)}"
        verdict = "    agrees" if checked.agrees else "    differs"
    else:
        verb = "agree with" if checked.agrees else "differ from"
        text = f"{count(len(checked.entries), 'entry', 'entries')} {verb} central differences, {bound_error(checked.worst)}"
        verdict = ""
    kind = "note" if checked.agrees else "trouble"
    yield [("keyword", "check".ljust(10)), ("number" if verdict or checked.agrees else kind, text), (kind, verdict)]


BOUNDS = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)


def bound_error(error):
    """An error as the power of ten that it is below: its digits are rounding."""
    above = next((each for each in BOUNDS if error <= each), None)
    return f"within {above:g}" if above else f"by up to {error:.2g}"
