"""Forward and reverse accumulation compared: the same derivatives, the order of work, and the cost."""

from typing import NamedTuple

import numpy as np

from tensh.engine.autograd.jvp import jvp
from tensh.graph import tokens
from tensh.graph.reverse import Pass, lend_values
from tensh.support.language import _, count


class ForwardPass(NamedTuple):
    """A pass from a leaf: the tangent of every node that depends on it, by number, in the order of work."""

    leaf: int
    tangents: dict


def forward(graph, leaf):
    """Propagate a change of 1 in all elements of a leaf through the graph, oldest node first."""
    node = graph.order[leaf - 1]
    tangents = {leaf: np.ones(node.shape, node.dtype)}
    for number in range(leaf + 1, graph.root + 1):
        node = graph.order[number - 1]
        inputs = [None if n is None else _tangent(graph, tangents, n) for n in node.inputs]
        if any(t is not None for t in inputs):
            tangents[number] = borrow_tangent(node, inputs)
    return ForwardPass(leaf, tangents)


def _tangent(graph, tangents, node):
    number = graph.numbers.get(node)
    if number is None and getattr(node, "index", None) is not None:  # one of several outputs
        several = tangents.get(graph.numbers.get(node.inputs[0]))
        return None if several is None else several[node.index]
    return tangents.get(number)


def borrow_tangent(node, inputs):
    """Return the tangent of a node, whose values a backward pass may have released."""
    with lend_values(node):
        return jvp(node, inputs, False, False)


def lines(graph, mode):
    """Show the path of one mode through the graph, as lines of (kind, text) pairs, and the cost of both modes."""
    leaves = [node for node in graph if node.kind == "leaf"]
    work = sum(node.kind != "leaf" for node in graph)
    if mode == "forward":
        for leaf in leaves:
            yield from forward_lines(graph, forward(graph, leaf.number))
    else:
        yield from reverse_lines(graph)
    yield [("plain", "")]
    elements = sum(int(np.prod(leaf.shape)) for leaf in leaves)
    results = int(np.prod(graph[graph.root].shape or (1,)))
    yield [
        (
            "note",
            _("forward: one pass for each element of the inputs, {elements:,} of up to {count}").format(
                elements=elements, count=count(work, "operation")
            ),
        )
    ]
    yield [
        (
            "note",
            _(
                "reverse: one pass for each element of the result, {results:,} of {count}; it keeps what the derivatives need"
            ).format(results=results, count=count(work, "operation")),
        )
    ]


def forward_lines(graph, done):
    """Describe one forward pass: from the leaf to the root, each node with its tangent."""
    leaf = graph[done.leaf]
    yield [
        ("keyword", _("from {short}").format(short=leaf.short)),
        ("note", _("  every change below is per change of it")),
    ]
    rows = [
        (
            f"d {tokens.group(tokens.shorten(graph[n].short, 40))}",
            tokens.values(t) if type(t) is not list else _("several"),
        )
        for n, t in done.tangents.items()
    ]
    width = max(tokens.width(name) for name, _value in rows)
    for number, (name, value) in zip(done.tangents, rows, strict=True):
        yield [
            ("name", "  " + name + " " * (width - tokens.width(name))),
            ("plain", "  = "),
            ("number", value),
            ("note", "    <- " + _("root") if number == graph.root else ""),
        ]


def reverse_lines(graph):
    """Describe the single backward pass: from the root to the leaves, each node with its gradient."""
    whole = Pass(graph)
    root = graph[graph.root].short
    yield [
        ("keyword", _("from {root}").format(root=root)),
        ("note", _("  every number is the change of {root} per change of it").format(root=root)),
    ]
    numbers = sorted(whole.arrived, reverse=True)
    names = [f"d {root} / d {tokens.group(tokens.shorten(graph[n].short, 40))}" for n in numbers]
    width = max(map(tokens.width, names))
    for number, name in zip(numbers, names, strict=True):
        g = whole.arrived[number]
        value = _("several") if isinstance(g, dict) else tokens.values(g)
        yield [
            ("name", "  " + name + " " * (width - tokens.width(name))),
            ("plain", "  = "),
            ("number", value),
            ("note", "    <- " + _("leaf") if graph[number].kind == "leaf" else ""),
        ]
