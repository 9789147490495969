"""An Explanation as lines of text."""

from tensh.engine.core.nodes import AccumulateGrad
from tensh.graph import tokens
from tensh.graph.counting import count_entries, count_paths
from tensh.graph.formulas import gradient
from tensh.graph.provenance import layer
from tensh.graph.steps import describe_gradient, is_inner
from tensh.graph.textbook.table import entries
from tensh.support.language import _

INDENT = " " * 10
LONGEST = 40  # maximum width of a formula in a table
MOST_FACTORS = 6  # a longer product is not written out: its value stands alone
MOST_NAMED = 20  # nodes of a path that its first line names
MOST_SCALARS = 8  # leaves that the headline names with their values
MOST_OF_A_NAME, LEAST = 36, 12  # widths of a name in a table, and of what is shortened in a narrow window


def lines(explanation, name, times="·", room=None):
    """Yield the chain rule for the gradient of ``name``, as lines of (kind, text) pairs.

    ``room``: the columns that the tables may take; by default any number.
    """
    graph = explanation.graph
    root = graph[graph.root]
    target = graph[explanation.target]
    if explanation.gradient is None:
        yield [
            ("name", f"{name}.grad"),
            ("plain", ": " + _("no path leads from {root} to {name}").format(root=root.short, name=name)),
        ]
        return
    yield write_headline(explanation, name, root, target)
    yield [("plain", "")]
    scalar = is_scalar(explanation)
    if explanation.is_by_use:
        yield from uses(explanation, name, times)
        return
    for number, path in enumerate(explanation.paths, 1):
        yield from scalar_path(graph, number, path, times, room) if scalar else tensor_path(graph, number, path, room)
    if scalar:
        yield from total(explanation, times)
    elif len(explanation.paths) > 1:
        yield [("keyword", tokens.pad(_("sum"), 10)), ("number", tokens.values(explanation.gradient))]


def uses(explanation, name, times):
    """Yield the contribution of each use of a tensor, if there are too many paths to it."""
    graph = explanation.graph
    yield [("note", _("too many paths to list; the contribution of each use of {name}:").format(name=name))]
    rows = []
    for path in explanation.paths:
        step = path.steps[0]
        how = f"{describe_gradient(step.arrived)} {times} {_value(step)}" if step.factor is not None else step.because
        rows.append((graph[step.node].title, how, describe_gradient(step.brought)))
    widths = [max(tokens.width(tokens.shorten(row[i], 40)) for row in rows) for i in range(2)]
    half = len(rows) // 2 if explanation.omitted else None
    for number, row in enumerate(rows, 1):
        if number - 1 == half:
            yield tell_omitted(explanation.omitted, INDENT)
        number += explanation.omitted if half is not None and number > half else 0
        first, second = (tokens.pad(tokens.shorten(text, 40), width) for text, width in zip(row, widths, strict=False))
        yield [
            ("keyword", tokens.pad(_("use {number}").format(number=number), 10)),
            ("name", first),
            ("note", f"  {second}"),
            ("number", f"  {row[2]}"),
        ]
    yield [("keyword", tokens.pad(_("sum"), 10)), ("number", tokens.values(explanation.gradient))]


def is_scalar(explanation):
    """Return True if every value on the path is a scalar, so that local derivatives can be multiplied."""
    return all(step.factor is not None for path in explanation.paths for step in path.steps)


def write_headline(explanation, name, root, target):
    paths = count_paths(explanation.path_count)
    graph = explanation.graph
    leaves = (graph.describe(node) for node in graph.order if type(node) is AccumulateGrad and node.shape == ())
    named = [leaf for leaf in leaves if leaf.variable and leaf.value is not None]
    scalars = [f"{leaf.variable} = {tokens.values(leaf.value)}" for leaf in named[:MOST_SCALARS]]
    if len(named) > MOST_SCALARS:
        scalars.append("...")
    at = _(", at {values},").format(values=", ".join(scalars)) if scalars else ","
    because = _("because {title}{at} and {name} reaches {root} along {paths}")
    return [
        ("name", f"{name}.grad"),
        ("plain", " = "),
        ("number", tokens.values(explanation.gradient)),
        (
            "plain",
            "    " + because.format(title=root.title, at=at, name=name, root=root.short, paths=paths),
        ),
    ]


def scalar_path(graph, number, path, times, room):
    """Describe one path: its nodes, each local derivative, and their product."""
    words = [graph[step.node].short for step in path.steps] + [graph[path.steps[-1].operand].short]
    half = len(path.steps) // 2 if path.omitted else None
    if len(words) > MOST_NAMED:
        words[MOST_NAMED // 2 : -MOST_NAMED // 2] = ["..."]
    first, *rest = flow(words, "  <-  ", room)
    yield [("keyword", tokens.pad(_("path {number}").format(number=number), 10)), ("plain", first)]
    for line in rest:
        yield [("plain", INDENT + line)]
    heads = [f"d {tokens.group(graph[s.node].short)} / d {tokens.group(graph[s.operand].short)}" for s in path.steps]
    width = max(map(tokens.width, heads))
    tails = [_value(step) for step in path.steps]
    reach = max(map(tokens.width, tails))
    for place, (step, head, tail) in enumerate(zip(path.steps, heads, tails, strict=True)):
        if place == half:
            yield tell_omitted(path.omitted, INDENT)
        made = [("plain", INDENT + head + " " * (width - tokens.width(head)) + "  = "), ("number", tail)]
        if step.because:
            made.append(("note", " " * (reach - tokens.width(tail) + 4) + _(step.because)))
        yield made
    if len(path.edges) > 1:
        product = f"{write_product(path, times)} = " if is_short(path) else _("product = ")
        yield [("plain", INDENT + " " * (width + 4)), ("number", f"{product}{tokens.values(path.contribution)}")]


def is_short(path):
    """Return True if the product of a path's local derivatives is to be written out."""
    return len(path.edges) <= MOST_FACTORS


def write_product(path, times):
    """Write the product of the local derivatives of a path; of a long path, its value."""
    if not is_short(path):
        return tokens.values(path.contribution)
    return f" {times} ".join(tokens.number(step.factor) for step in path.steps)


def flow(words, between, room):
    """Return lines of words with signs between them, broken before a sign where the room after the indent is full."""
    lines = [words[0]]
    for word in words[1:]:
        if room is not None and len(INDENT) + tokens.width(lines[-1] + between + word) > room:
            lines.append(between.lstrip(" ") + word)
        else:
            lines[-1] += between + word
    return lines


def tell_omitted(number, indent="  "):
    """Return the line that stands for steps or uses that are left out."""
    return [("note", indent + _("... {number} more ...").format(number=f"{number:,}"))]


def _value(step):
    """Describe a local derivative in words and as a number: ``w + 1 = 2``."""
    number = tokens.number(step.factor)
    return number if step.local in (None, number) else f"{step.local} = {number}"


def total(explanation, times):
    """Describe the sum over the paths: ``2 · 1 + 3 · 1 = 5``."""
    if len(explanation.paths) == 1 and not is_short(explanation.paths[0]):
        return  # its product has been shown
    products = [write_product(path, times) for path in explanation.paths]
    yield [
        ("keyword", tokens.pad(_("sum"), 10)),
        ("number", f"{' + '.join(products)} = {tokens.values(explanation.gradient)}"),
    ]


def tensor_path(graph, number, path, room):
    """Describe one path as a flow of gradients: the shape and norm of each, in columns that fit into the room."""
    first = graph[path.steps[0].node]
    rows = [(first.short, tokens.shape(first), "", "")]
    gap = None
    for place, step in enumerate(path.steps):
        if path.omitted and place == len(path.steps) // 2:
            gap = len(rows)
        if not is_inner(graph, step.operand):
            operand = graph[step.operand]
            brought = describe_gradient(step.brought)
            rows.append((operand.short, tokens.shape(operand), way(graph, step), brought))
    rows = [(tokens.shorten(row[0], MOST_OF_A_NAME), *row[1:]) for row in rows]
    yield [("keyword", _("path {number}").format(number=number))]
    if room is not None:
        shrunk = shrink_column(shrink_column(rows, 0, room), 2, room)
        if sum(max(tokens.width(row[i]) for row in shrunk) + 2 for i in range(4)) > room:
            yield from in_two_lines(rows, gap, path.omitted)
            return
        rows = shrunk
    widths = [max(tokens.width(row[i]) for row in rows) for i in range(3)]
    for place, row in enumerate(rows):
        if place == gap:
            yield tell_omitted(path.omitted)
        cells = [text + " " * (width - tokens.width(text)) for text, width in zip(row, widths, strict=False)]
        yield [
            ("name", "  " + cells[0]),
            ("plain", "  " + cells[1]),
            ("note", "  " + cells[2]),
            ("number", "  " + row[3]),
        ]


def in_two_lines(rows, gap, omitted):
    """Describe the steps of a path without columns: the operand, and below it how its gradient comes about."""
    for place, (name, shape, source, brought) in enumerate(rows):
        if place == gap:
            yield tell_omitted(omitted)
        yield [("name", f"  {name}"), ("plain", f"  {shape}")]
        if source or brought:
            yield [("note", f"      {source}"), ("number", f"  {brought}")]


def shrink_column(rows, column, room):
    """Shorten the texts of a column where the rows are wider than the room, but not below LEAST."""
    widths = [max(tokens.width(row[i]) for row in rows) for i in range(len(rows[0]))]
    left = max(widths[column] - max(sum(widths) + 2 * len(widths) - room, 0), LEAST)
    return [(*row[:column], tokens.shorten(row[column], left), *row[column + 1 :]) for row in rows]


def way(graph, step):
    """Return the source of a step's gradient: the formula of `--formulas`, otherwise the layer or function."""
    found = gradient(graph, graph[step.node], graph[step.node].edges[step.edge])
    if found and found.reason and found.text in ("1", "g"):
        return _(found.reason)
    if found and tokens.width(found.text) <= LONGEST:
        return found.text
    nodes = graph.call_nodes(step.node)
    result = graph[graph.numbers[nodes[-1]]]
    call = graph.call(nodes) if len(nodes) > 1 else None
    if layer(nodes[-1]) is not None and result.label:
        return _("through {name}").format(name=result.label)
    if call is not None:
        via = next((entry.through for entry in entries(call.function) if entry.through), "")
        return _("through {name}").format(name=call.function + f" ({via})" * bool(via))
    return tokens.shorten(found.text, LONGEST) if found else _("through {name}").format(name=graph[step.node].operation)


def check_lines(explanation, name, checked):
    """Describe the gradient by central differences."""
    graph = explanation.graph
    root = graph[graph.root].short
    if graph[explanation.target].shape == ():
        quotient = checked.entries[0][1]
        h = f"{checked.step:g}"
        text = f"({root}({name} + {h}) - {root}({name} - {h})) / {2 * checked.step:g} = {tokens.number(quotient)}"
        verdict = "    " + (_("agrees") if checked.agrees else _("differs"))
    else:
        sentence = (
            _("{entries} agree with central differences")
            if checked.agrees
            else _("{entries} differ from central differences")
        )
        text = sentence.format(entries=count_entries(len(checked.entries))) + ", " + bound_error(checked.worst)
        verdict = ""
    kind = "note" if checked.agrees else "trouble"
    yield [
        ("keyword", tokens.pad(_("check"), 10)),
        ("number" if verdict or checked.agrees else kind, text),
        (kind, verdict),
    ]


BOUNDS = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)


def bound_error(error):
    """Return the power of ten that bounds an error, whose digits are only rounding."""
    above = next((each for each in BOUNDS if error <= each), None)
    return (
        _("within {bound}").format(bound=f"{above:g}") if above else _("by up to {bound}").format(bound=f"{error:.2g}")
    )
