"""Sizes of the inputs in graphs of ``make_fx``: numbers that differ between traces with other sizes become nodes."""

import ast
import contextlib
import operator
from itertools import chain

from tensh._aten.overloads import schemas
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.symbols import sym_float
from tensh.engine.methods.creation.ranges import arange
from tensh.engine.operators.random.composites.drawing import get_rng_state, set_rng_state
from tensh.fx.data_dependent import dimension_of
from tensh.fx.experimental.size_names import changes, list_expressions, list_quotients
from tensh.fx.node import Node

__all__ = ["free_input_sizes"]

OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv,
}  # fmt: skip


class Differs(Exception):
    """Raised for two traces that are not one program with other sizes."""


def list_sizes(values):
    """Return size -> (position of the input, dimension) that has it first; equal sizes are one, and 0 and 1 are constants."""
    found = {}
    for place, value in enumerate(values):
        for dim, size in enumerate(value.shape if isinstance(value, Tensor) else ()):
            if size > 1:
                found.setdefault(size, (place, dim))
    return found


def trace_resized(values, sizes, change, trace, other_elements=False):
    """Return (the graph of a trace with other sizes, the sizes); the state of random numbers is undone.

    With ``other_elements``, the last element of each input is zero: sizes that depend on elements are not those of inputs.
    """
    others = {size: change(size, number) for number, size in enumerate(sizes)}
    made = [resize(value, others, other_elements) if isinstance(value, Tensor) else value for value in values]
    before = get_rng_state()
    try:
        graph = trace(made)
    finally:
        set_rng_state(before)
    return graph, [(size, other, f"s{number}") for number, (size, other) in enumerate(others.items())]


def resize(value, others, other_elements):
    """Return a tensor with other sizes, and elements of the given one, of which the last may be replaced by zero."""
    made = value.detach()
    for dim, size in enumerate(value.shape):
        if size in others:
            made = made.index_select(dim, arange(others[size]) % size)
    if other_elements and made.numel():
        made = made.clone()
        made[(-1,) * made.dim()] = 0
    return made.requires_grad_() if value.requires_grad else made


def evaluate(tree, sizes):
    """Return the value of an expression of sizes."""
    if isinstance(tree, ast.BinOp):
        return OPERATORS[type(tree.op)](evaluate(tree.left, sizes), evaluate(tree.right, sizes))
    if isinstance(tree, ast.UnaryOp):
        return -evaluate(tree.operand, sizes)
    if isinstance(tree, ast.Call):
        return float(evaluate(tree.args[0], sizes))
    return sizes[tree.id] if isinstance(tree, ast.Name) else tree.value


def find_size(one, two, three, pairs, others):
    """Return the expression for a number that differs between traces.  Raise Differs if none gives all three."""
    for text in list_texts(one, two, pairs):
        tree = ast.parse(text, mode="eval").body
        values = [evaluate(tree, {name: size[number] for *size, name in pairs}) for number in (0, 1)]
        if [*values, evaluate(tree, others)] == [one, two, three]:
            return Size(text)
    raise Differs


def list_texts(one, two, pairs):
    """Yield expressions that may give a number, a floating point number for one."""
    if isinstance(one, float):
        yield from (f"{name} / {divisor}" for size, _, name in pairs for divisor in (2, 4, 8) if size == one * divisor)
    if one == int(one) and two == int(two):
        whole = int(one), int(two), pairs
        squares = (f"{name}*{name}" for _, _, name in pairs)
        rounded = (text for text in list_quotients(*whole) if text.count("(") == 1 or "- 1)" in text)  # down, or up
        names = [name for _, _, name in pairs]
        differences = (f"{name} - {other}" for name in names for other in names if name != other)
        for text in chain(squares, list_expressions(*whole), differences, rounded):
            yield f"float({text})" if isinstance(one, float) else text


def pair_up(first, second, pairs, third, others):
    """Return node -> its arguments, with a ``Size`` for numbers that differ.  Raise Differs for another program.

    ``pairs`` are (size, size of the second trace, name), ``others`` the sizes of the third by their names.
    """
    graphs = [list(each.nodes) for each in (first, second, third)]
    if len({len(each) for each in graphs}) > 1:
        raise Differs
    partners, found = {one: rest for one, *rest in zip(*graphs)}, {}

    def merge(one, two, three):
        if isinstance(one, Node):
            if partners[one] != [two, three]:
                raise Differs
            return one
        if not type(one) is type(two) is type(three):
            raise Differs
        if isinstance(one, (tuple, list)) and len(one) == len(two) == len(three):
            return type(one)(map(merge, one, two, three))
        if isinstance(one, dict) and one.keys() == two.keys() == three.keys():
            return {key: merge(one[key], two[key], three[key]) for key in one}
        if isinstance(one, slice):
            return slice(*map(merge, *((each.start, each.stop, each.step) for each in (one, two, three))))
        if one == two == three:
            return one
        if type(one) not in (int, float):
            raise Differs
        return find_size(one, two, three, pairs, others)

    for one, rest in partners.items():
        constants = [each.meta["val"] for each in (one, *rest) if each.op == "get_attr"]
        shapes = {each.shape for each in constants if isinstance(each, Tensor)}
        if len({(each.op, each.target) for each in (one, *rest)}) > 1 or len(shapes) > 1:
            raise Differs
        found[one] = merge(one.args, *(each.args for each in rest)), merge(one.kwargs, *(each.kwargs for each in rest))
    return found


def find_data_sizes(graph):
    """Return (node, dimension) of the values whose size depends on elements."""
    found = []
    for node in graph.nodes:
        if (dim := dimension_of(node)) is not None:
            parts = (
                [node] if isinstance(node.meta["val"], Tensor) else [each for each in node.users if each.args[1] == 0]
            )
            found += [(part, dim) for part in parts]
    return found


class Size(str):
    """A size, as a sum or product of names of sizes."""


class SizeNodes:
    """The nodes of sizes: each is computed once, before it is first used."""

    def __init__(self, graph, sizes):
        self.graph, self.made = graph, {}
        inputs = graph.find_nodes(op="placeholder")
        self.places = {f"s{number}": (inputs[place], dim) for number, (place, dim) in enumerate(sizes.values())}
        self.places |= {f"u{number}": place for number, place in enumerate(find_data_sizes(graph))}

    def node(self, tree):
        """Return the node of an expression, or its number."""
        if isinstance(tree, ast.Constant):
            return tree.value
        text = ast.unparse(tree)
        if text not in self.made:
            self.made[text] = self.make(tree)
        return self.made[text]

    def make(self, tree):
        if isinstance(tree, ast.Name):
            return self.graph.call_function(schemas()["sym_size"]["int"], self.places[tree.id], name="sym_size_int")
        if isinstance(tree, ast.UnaryOp):
            return self.graph.call_function(operator.neg, (self.node(tree.operand),))
        if isinstance(tree, ast.Call):
            return self.graph.call_function(sym_float, (self.node(tree.args[0]),))
        operands = [self.node(tree.left), self.node(tree.right)]
        if isinstance(tree.op, ast.Mult) and not isinstance(operands[0], Node):
            operands.reverse()
        return self.graph.call_function(OPERATORS[type(tree.op)], tuple(operands))

    def fill(self, value):
        """Return arguments with nodes in place of sizes."""
        if isinstance(value, Size):
            return self.node(ast.parse(value, mode="eval").body)
        if isinstance(value, (tuple, list)):
            return type(value)(map(self.fill, value))
        if isinstance(value, dict):
            return {key: self.fill(each) for key, each in value.items()}
        return slice(*map(self.fill, (value.start, value.stop, value.step))) if isinstance(value, slice) else value


def compare_sizes(graph, values, sizes, trace):
    """Return the arguments of nodes with free sizes; None if the program is another one for other sizes."""
    traces, dependent = [], find_data_sizes(graph)
    for change in changes(1):
        with contextlib.suppress(Exception):  # such as sizes that do not fit together
            traces.append(trace_resized(values, sizes, change, trace, bool(dependent)))
        if len(traces) == 2:
            break
    else:
        return None
    (second, pairs), (third, more) = traces
    counts = [[node.meta["val"].shape[dim] for node, dim in find_data_sizes(each)] for each in (graph, second, third)]
    if len({*map(len, counts)}) > 1:
        return None
    for number, (one, two, three) in enumerate(zip(*counts)):
        pairs, more = [*pairs, (one, two, f"u{number}")], [*more, (one, three, f"u{number}")]
    try:
        return pair_up(graph, second, pairs, third, {name: size for _, size, name in more})
    except Differs:
        return None


def free_input_sizes(graph, values, trace):
    """Let a graph follow the sizes of its inputs where these may differ; ``trace(values)`` traces other inputs."""
    sizes = list_sizes(values)
    found = compare_sizes(graph, values, sizes, trace) if sizes else None
    if sizes and found is None:
        sizes = {
            size: place
            for size, place in sizes.items()
            if compare_sizes(graph, values, {size: place}, trace) is not None
        }
        found = compare_sizes(graph, values, sizes, trace) if sizes else None
    if found is None:
        return
    nodes = SizeNodes(graph, sizes)
    for node, (args, kwargs) in found.items():
        with graph.inserting_before(node):
            node.args, node.kwargs = nodes.fill(args), nodes.fill(kwargs)
    graph.lint()
