"""The gradient of each operand of a graph's nodes as in a textbook, with the user's names.

Nodes recorded by one call are treated together (see calls). Operators that the textbook lacks, such as the user's own
and second derivatives, are printed as declared.
"""

import ast
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.graph import kept
from tensh.graph.calls import is_module
from tensh.graph.provenance import layer
from tensh.graph.textbook.facts import SHAPES
from tensh.graph.textbook.printing import names_in, parse_name, print_condition, print_formula, put_names
from tensh.graph.textbook.table import entries
from tensh.support.language import _

LONGEST = 32  # maximum length of a text that replaces a letter


class Gradient(NamedTuple):
    """The gradient of an operand: its formula, the meaning of its letters, and a short reason."""

    text: str
    parts: tuple[str, ...] = ()
    reason: str = ""

    @property
    def line(self):
        """The formula and its parts in one line."""
        return ", ".join((self.text, *self.parts))


class Known(NamedTuple):
    """The facts about a tensor that conditions and counts use."""

    shape: tuple
    is_float: bool = True

    @property
    def ndim(self):
        return len(self.shape)

    def is_floating_point(self):
        return self.is_float


def gradient(graph, node, edge, g="g"):
    """Return the Gradient along an edge of a node; None for a step within a call, and if it is unknown.

    ``g`` is the text of the incoming gradient; at a scalar root it is 1.
    """
    nodes = graph.call_nodes(node.number)
    is_composed = len(nodes) > 1 or not entries(getattr(nodes[0].op, "name", ""))
    call = graph.call(nodes) if is_composed else None
    if node.dtype is not None and node.dtype.startswith("complex"):
        return _format_declared(graph, node, edge)
    if call is None:
        return _differentiate_operator(graph, node, edge, g) or _format_declared(graph, node, edge)
    return _differentiate_call(graph, graph[graph.numbers[nodes[-1]]], call, edge.number, g)


def describe_edge(graph, node, edge):
    """Describe the gradient along an edge in one line: ``g * (w + 1)``; return None if there is no formula."""
    found = gradient(graph, node, edge)
    return found and found.line


def list_received(graph, shown):
    """Return node number -> the formulas of the gradients that it receives, each once, if formulas are shown."""
    found = {}
    for node in graph if shown and shown.formulas else ():
        for edge in node.edges:
            if edge.number is not None and (text := describe_edge(graph, node, edge)):
                found.setdefault(edge.number, {})[text] = None
    return found


# ── formulas from the textbook ───────────────────────────────────────────────
def _differentiate_call(graph, result, call, number, g):
    """Return the Gradient of an operand of a call whose result is a node."""
    parameter = call.by_number.get(number)
    if parameter is None:
        return None
    texts = call.texts | {p: text for p, n in call.operands.items() if (text := text_of(graph, n))}
    nodes, first = graph.call_nodes(result.number), call.parameters[0]
    given = {name for node in nodes for name in name_constants(graph, node).values()} - set(texts.values())
    texts |= {first: given.pop()} if first not in texts and len(given) == 1 else {}
    values = {p: describe_known(value) for p, value in call.values.items()}
    values |= {p: Known(graph[n].shape) for p, n in call.operands.items() if graph[n].shape is not None}
    return _print(graph, result, entries(call.function), call.parameters, parameter, texts, values, g)


def _differentiate_operator(graph, node, edge, g):
    """Return the Gradient along the edge of a node that a single operator recorded."""
    recorded = graph.order[node.number - 1]
    op, parameter = recorded.op, (edge.parameter or "").partition("[")[0]
    if not parameter or not hasattr(op, "parameters"):
        return None
    saved = dict(zip(getattr(recorded, "reads", ()), kept.saved_by(recorded), strict=False))
    values = {name: describe_known(saved[name]) for name in op.parameters if name in saved}
    values |= {
        name.removesuffix(".shape"): Known(tuple(value))
        for name, value in saved.items()
        if name.endswith(".shape") and value is not None
    }
    values |= {
        e.parameter: Known(graph[e.number].shape) for e in node.edges if e.number and graph[e.number].shape is not None
    }
    return _print(graph, node, entries(op.name), op.parameters, parameter, words_of(graph, node), values, g)


def _print(graph, node, book, parameters, parameter, texts, values, g):
    """Print the formula of a parameter from the entry whose conditions hold, with all known values substituted."""
    for entry in book:
        bound = entry.bind(parameters)
        letter = next((each for each, p in bound.items() if p == parameter and each in entry.formulas), None)
        facts = {"y": Known(node.shape)} if node.shape is not None else {}
        facts |= {each: values.get(bound.get(each), _default(default)) for each, default in entry.letters.items()}
        if letter is None or not _holds(entry.when, facts):
            continue
        formula = entry.formulas[letter]
        words = {each: _word(each, bound.get(each), texts, values, default) for each, default in entry.letters.items()}
        words |= {"g": "1" if node.number == graph.root and node.shape == () else g}
        words |= {} if entry.outputs else {"y": texts.get("out") or text_of(graph, node.number) or "y"}
        counts, parts = _work_out(entry, facts, names_in(formula.text))
        words |= counts | _rename(parts, words)
        shown = tuple(f"{print_condition(target, words)} = {print_formula(text, words)}" for target, text in parts)
        return Gradient(
            print_formula(formula.text, words) + _remark_summed(graph, node, values.get(parameter), entry),
            shown,
            formula.reason,
        )
    return None


def _word(letter, parameter, texts, values, default):
    """Return the replacement of a letter: the user's text, a known number, the default, or the parameter's name."""
    text = texts.get(parameter)
    if text and len(text) <= LONGEST:
        return text
    value = values.get(parameter)
    if isinstance(value, int | float | str | tuple | list) and not isinstance(value, Known):
        return repr(value)
    return default if default is not None and parameter not in texts else parameter or letter


def _default(text):
    return ast.literal_eval(text) if text is not None and "inf" not in text else None


def _holds(condition, facts):
    """Return True if a condition holds or is undecidable."""
    try:
        return bool(eval(condition, {**SHAPES, "inf": float("inf")}, facts))
    except (NameError, TypeError, AttributeError, IndexError):
        return True


def _work_out(entry, facts, used):
    """Return (the letters of counts, with their numbers; the other parts of formulas, with their texts)."""
    counts, parts = {}, []
    for target, text in reversed(entry.parts.items()):
        if set(target.split(", ")) & used:
            number = _count(text, facts)
            if number is not None:
                counts[target] = str(number)
            else:
                parts.insert(0, (target, text))
                used = used | names_in(text)
    return counts, parts


def _rename(parts, words):
    """Return letter -> another letter for those that also occur in the user's texts."""
    taken = set().union(*(names_in(text) for text in words.values() if is_expression(text)))
    letters = {letter for target, _ in parts for letter in target.split(", ")}
    return {letter: f"{letter}_" for letter in letters & taken}


def _count(text, facts):
    """Return the number, or the dimensions, that follow from shapes and settings; None if they do not."""
    try:
        value = eval(text, {**SHAPES, "__builtins__": {}}, facts)
    except (NameError, TypeError, AttributeError, IndexError, ValueError):
        return None
    return value if type(value) in (int, tuple) else None


def _remark_summed(graph, node, operand, entry):
    """Return the remark that the gradient of a broadcast operand is summed to its shape."""
    if entry.family not in ("elementwise", "products") or not isinstance(operand, Known) or node.shape is None:
        return ""
    is_smaller = entry.family == "elementwise" or entry.names[0] in ("linear", "addmm", "addmv", "baddbmm")
    shape = list(operand.shape)
    return (
        _(", summed to {shape}").format(shape=shape)
        if is_smaller and len(node.shape) > len(shape) and len(shape) < 2
        else ""
    )


def describe_known(value):
    """Return the known facts about a value: the shape of a tensor or an array."""
    if isinstance(value, Tensor):
        return Known(tuple(value.shape), value.is_floating_point())
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return Known(tuple(value.shape), value.dtype.kind not in "iub")
    return value


# ── declared derivatives ─────────────────────────────────────────────────────
def _format_declared(graph, node, edge):
    """Return the derivative in the operator's declaration, with the user's names; None if there is none."""
    if edge.formula is None:
        return None
    words = words_of(graph, node)
    is_real = node.dtype is None or not node.dtype.startswith("complex")
    tree = put_names(HelperRemover(is_real).visit(ast.parse(edge.formula, mode="eval")), words)
    return Gradient(ast.unparse(tree))


class HelperRemover(ast.NodeTransformer):
    """Removes computational helpers: ``tie``, which orders passes, and ``conj`` of real numbers."""

    def __init__(self, is_real):
        self.names = {"tie", "conj"} if is_real else {"tie"}

    def visit_Call(self, node):
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id in self.names else node


# ── the user's texts ─────────────────────────────────────────────────────────
def text_of(graph, number):
    """Return the user's text for the value of a node: a name, an expression, the path of a layer, or None."""
    node = graph[number]
    if node.variable:
        return node.variable
    within = layer(graph.order[number - 1])
    if within is not None:
        return node.label and graph.layers.get(id(within))
    return node.label if node.label and is_expression(node.label) else None


def operand_texts(graph, node):
    """Return the user's expression for each operand of a node: a name, an expression, or None if unknown."""
    written = _read_operands(graph, node, len(node.edges))
    return [
        text if edge.number is None else text_of(graph, edge.number) or text
        for edge, text in zip(node.edges, written, strict=True)
    ]


def words_of(graph, node):
    """Return the user's expression for each parameter of a node's operation, and for its result, ``out``."""
    op = graph.order[node.number - 1].op
    inputs = in_order(op)
    words = dict(zip(inputs, _read_operands(graph, node, len(inputs)), strict=True))
    words |= {e.parameter: text for e, text in zip(node.edges, operand_texts(graph, node), strict=True) if text}
    recorded = graph.order[node.number - 1]
    words = name_constants(graph, recorded) | {name: text for name, text in words.items() if text is not None}
    words["out"] = text_of(graph, node.number)
    return {name: text for name, text in words.items() if text is not None}


def in_order(op):
    """Return the operands of an operation in the order of its parameters, not of its derivatives."""
    inputs, parameters = list(getattr(op, "inputs", ())), list(getattr(op, "parameters", ()))
    return sorted(inputs, key=parameters.index) if {*inputs} <= {*parameters} else inputs


def name_constants(graph, recorded):
    """Return parameter -> name for the operands without a history that a node has saved."""
    saved = zip(getattr(recorded, "reads", ()), kept.saved_by(recorded), strict=False)
    return {read: graph.constants[id(value)] for read, value in saved if id(value) in graph.constants}


def _read_operands(graph, node, count):
    """Return the operands of a node as written, in the order of its parameters: in ``2 * x``, x is the first."""
    texts = _split_operands(source := _source_of(graph, node), count)
    if count != 2 or None in texts or texts[0] == texts[1]:
        return texts
    tree = parse_name(source)
    if not isinstance(tree, ast.BinOp):
        return texts
    first = next((edge.number for edge in node.edges if edge.number and edge.parameter == "input"), None)
    is_quotient = isinstance(tree.op, ast.Div) and getattr(graph.order[node.number - 1].op, "name", "") == "mul"
    is_number_first = isinstance(tree.left, ast.Constant) and isinstance(tree.op, ast.Add | ast.Mult)
    is_second_first = first is not None and text_of(graph, first) == texts[1]
    return texts[::-1] if is_quotient or is_number_first or is_second_first else texts


def _source_of(graph, node):
    """Return the user's source of a node's value; nothing for a layer's."""
    return node.label if node.label and layer(graph.order[node.number - 1]) is None else ""


def _split_operands(label, count):
    """Return the operands in a piece of source, if it is an operation on as many."""
    tree = parse_name(label)
    match tree:
        case ast.BinOp():
            found = [tree.left, tree.right]
        case ast.UnaryOp():
            found = [tree.operand]
        case ast.Compare(ops=[_]):
            found = [tree.left, *tree.comparators]
        case ast.Call(func=ast.Attribute()) if not is_module(tree.func.value):
            found = [tree.func.value, *tree.args]
        case ast.Call():
            found = list(tree.args)
        case ast.Subscript():
            found = [tree.value]
        case _:
            found = []
    texts = [ast.unparse(each) for each in found]
    return (texts + [None] * count)[:count] if len(texts) >= count else [None] * count


def is_expression(text):
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True
