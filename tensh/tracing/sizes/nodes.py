"""The nodes of dynamic sizes in exported programs, at PyTorch's places and with its names.

Note [Sizes at the top]
PyTorch reads the size of each dynamic dimension once, after the inputs. Sizes of intermediate values are computed from
these, where they were read. A name counts the sizes that the program has read, then the dynamic dimensions before its
own.
"""

import operator

from tensh._aten.overloads import schemas
from tensh.fx.node import Node
from tensh.tracing.sizes.decisions import Unexpressed, list_names, parse
from tensh.tracing.sizes.numbers import ARITHMETIC

NAME = "sym_size_int"


def place_sizes(program, dynamic):
    """Move the nodes of sizes to the top of a program; ``dynamic`` maps inputs by index to {dimension: symbol}."""
    graph = program.graph
    inputs = graph.find_nodes(op="placeholder")
    read = [node for node in graph.nodes if is_size(node) and is_known(node.meta.get("sizes"))]
    texts = list(dict.fromkeys([*program.compared, *(node.meta["sizes"] for node in read)]))
    program.counted = len(texts) + sum(map(len, dynamic.values()))
    if not read:
        return
    known = make_sizes(graph, inputs, dynamic, len(texts))
    symbols, named = {*known}, {node: node.name for node in known.values()}
    for node in [each for each in graph.nodes if each not in named]:
        text = node.meta.get("sizes")
        if not is_known(text) or not (is_size(node) or is_arithmetic(node)):
            continue
        if text not in known and is_size(node) and node.args[0].op != "placeholder":
            build(graph, node, known, symbols)
        if known.setdefault(text, node) is not node:
            node.replace_all_uses_with(known[text])
            graph.erase_node(node)
        elif is_size(node) and node.args[0].op == "placeholder":
            number = texts.index(text)
            named[node] = f"{NAME}_{number}" if number else NAME
    for node, name in list(named.items()):
        if not node.users:
            graph.erase_node(node)
            del named[node]
        else:
            node.name = name
    taken = {*named.values()}
    for node in graph.nodes:
        while node not in named and node.name in taken:
            node.name = graph._graph_namespace.create_name(NAME, None)


def make_sizes(graph, inputs, dynamic, read):
    """Add a node for each symbol after the inputs; return symbol -> node."""
    dims = [(place, dim) for place in sorted(dynamic) for dim in sorted(dynamic[place])]
    homes = {}
    for place, dim in dims:
        name = dynamic[place][dim]
        if str(name).isidentifier() and getattr(name, "home", (place, dim)) == (place, dim):
            homes.setdefault(str(name), (place, dim))
    known, last = {}, inputs[-1]
    for name, (place, dim) in sorted(homes.items(), key=lambda each: each[1]):
        with graph.inserting_after(last):
            last = graph.call_function(schemas()["sym_size"]["int"], (inputs[place], dim))
        last.meta = {"val": inputs[place].meta["val"].shape[dim], "sizes": name}
        last.name = f"{NAME}_{read + dims.index((place, dim))}"
        known[name] = last
    return known


def build(graph, node, known, symbols):
    """Compute the size of an intermediate value from sizes of inputs, before the node that reads the size."""
    try:
        expression = parse(node.meta["sizes"])
    except Unexpressed:
        return
    if not list_names(expression) <= symbols or "floordiv" in str(expression):  # quotients are guesses
        return
    with graph.inserting_before(node):
        known[node.meta["sizes"]] = compute(graph, expression, known, node)


def compute(graph, expression, known, near):
    """Return the node, or the number, of an expression; as PyTorch does, constants come first."""
    if not isinstance(expression, tuple):
        return known[expression] if isinstance(expression, str) else expression
    name, first, second = expression
    if name == "sub" and isinstance(second, int):
        name, second = "add", -second
    if name in ("add", "mul") and isinstance(second, int):
        first, second = second, first
    operands = [compute(graph, each, known, near) for each in (first, second)]
    made = graph.call_function(getattr(operator, name), tuple(operands))
    values = [each.meta["val"] if isinstance(each, Node) else each for each in operands]
    made.meta = {**near.meta, "val": made.target(*values), "sizes": write(expression)}
    return made


def write(expression):
    """Return the text of a part of a size, as ``size_names`` writes it."""
    if not isinstance(expression, tuple):
        return str(expression)
    name, first, second = expression
    symbol = {"add": " + ", "sub": " - ", "mul": "*", "floordiv": "//"}[name]
    return f"{write(first)}{symbol}{write(second)}"


def is_known(text):
    """Return True for the text of a dynamic size, unless that depends on elements."""
    return isinstance(text, str) and "?" not in text


def is_size(node):
    return getattr(node.target, "_opname", "") == "sym_size"


def is_arithmetic(node):
    return node.op == "call_function" and node.target in ARITHMETIC
