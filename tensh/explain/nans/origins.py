"""The origin of nan: the first operation of a graph whose result holds nan although its operands hold none.

Values that nobody has kept are computed again from those that are known, by the operators alone: no code of the user
runs, and nothing is recorded.
"""

import ast
import re
from typing import NamedTuple

import numpy as np

from tensh.engine.autograd.modes import no_grad
from tensh.engine.codegen.operator import Op
from tensh.engine.core.clock import is_written_after
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor, wrap
from tensh.explain.situation import look_up
from tensh.graph import kept
from tensh.graph.names import write_in_python
from tensh.graph.tokens import number

MOST_NODES = 10_000  # nodes of a graph that is searched
MOST_ELEMENTS = 2**24  # elements of a value that is computed again
MOST_ORIGINS = 3  # nan, and the infinities that led to it
DEEPEST = 3  # operations within an operation that is written out
SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "mm": "@", "mv": "@", "dot": "@"}
LAYER = r"(.+)\.(?:weight|bias)"  # the name of a parameter of a layer
SIZES = ("size", "shape")  # parameters that are the shape of the result


class Operand(NamedTuple):
    """An operand: its text in the user's code, its array, and the node that computed it (None for a constant)."""

    text: str
    array: object
    node: object


class Origin(NamedTuple):
    """A leaf, a constant or an operation that brings nan, or infinity, into a graph: its text, its value and its node.

    ``index`` is the place of the first such element, None if it may come from an operand whose value is unknown;
    ``operands`` are those of an operation, as far as their values are known.
    """

    kind: str
    text: str
    array: object
    index: tuple | None
    node: object = None
    operands: tuple = ()

    @property
    def operation(self):
        """The name of the operation: `log`."""
        return type(self.node).__name__.partition("Backward")[0].lower()

    @property
    def element(self):
        """The first element that is nan or infinite."""
        return np.float64("nan") if self.index is None else plain(self.array)[self.index]

    def read(self, operand):
        """Return the element of an operand that the first nan was computed from; None if it took more than one."""
        if self.index is None or not getattr(self.node.op, "pointwise", False):
            return None
        return np.broadcast_to(plain(operand.array), self.array.shape)[self.index]


def find_origins(graph):
    """Return the Origin of nan in a graph, then those of the infinities that led to it; [] if no known value is nan."""
    known = {}
    found = find_nan(graph, known) if len(graph.order) <= MOST_NODES else None
    chain = []
    while found is not None and len(chain) < MOST_ORIGINS:
        chain.append(found)
        found = find_infinite(graph, known, found)
    return chain


def find_nan(graph, known):
    """Return the Origin of nan; collect the values of the nodes up to there."""
    doubtful = {}  # node whose value is unknown -> the first one of those that lead to it
    for node in graph.order:
        operands = find_operands(graph, node, known)
        for each in operands.values():
            if each.node is None and holds(each.array, np.isnan):
                return describe(graph, "constant", node, each.array, np.isnan)._replace(text=each.text)
        known[node] = value = read_value(graph, node, operands)
        before = next((doubtful[each] for each in node.inputs if each in doubtful), None)
        if value is None:  # if nan appears after it, this is where it began
            doubtful[node] = before or node
        elif holds(value, np.isnan):
            if type(node) is AccumulateGrad:
                return describe(graph, "leaf", node, value, np.isnan)
            if before is None:
                return describe(graph, "operation", node, value, np.isnan, operands)
            is_leaf = type(before) is AccumulateGrad  # it has changed since, as after a step
            return None if is_leaf else describe(graph, "operation", node, value, np.isnan)._replace(index=None)
    return None


def find_infinite(graph, known, origin):
    """Return the Origin of an infinite operand of an operation; None if its operands are finite."""
    for operand in origin.operands:
        if operand.node is None or type(operand.node) is AccumulateGrad or not holds(operand.array, np.isinf):
            continue
        operands = find_operands(graph, operand.node, known)
        if not any(holds(each.array, np.isnan) for each in operands.values()):
            return describe(graph, "operation", operand.node, operand.array, np.isinf, operands)
    return None


def describe(graph, kind, node, array, test, operands=None):
    """Return the Origin at the first element of an array that passes a test."""
    index = tuple(map(int, np.argwhere(test(plain(array)))[0]))
    return Origin(kind, write(graph, node), array, index, node, tuple((operands or {}).values()))


def write(graph, node, depth=0):
    """Write a node as the user did, or, where no places are recorded, with its operation and its operands."""
    found = graph.describe(node)
    text = found.label or found.part_of or (found.variable if depth else None)
    if text or type(node) is AccumulateGrad or not isinstance(node.op, Op):
        return text or found.short
    layer = next((match[1] for name in find_parameters(graph, node) if (match := re.fullmatch(LAYER, name))), None)
    if layer:
        return f"{write_in_python(layer)}(...)"
    texts = [*write_operands(graph, node, depth)] if depth < DEEPEST else ["..."]
    symbol = SYMBOLS.get(found.operation)
    if symbol and len(texts) == 2:
        return f" {symbol} ".join(f"({each})" if " " in each else each for each in texts)
    return f"{found.operation}({', '.join(texts)})"


def write_operands(graph, node, depth):
    """Yield the texts of the operands of a node; those of constants are their names, or numbers."""
    saved, edges = read_saved(node), dict(zip(node.op.derivatives, node.inputs, strict=False))
    for parameter in filter(node.op.inputs.__contains__, node.op.parameters):
        array = saved.get(parameter)
        if (source := edges.get(parameter)) in graph.numbers:
            yield graph.describe(source).variable or write(graph, source, depth + 1)
        elif array is not None or node.op.pointwise:
            is_number = hasattr(array, "dtype") and array.ndim == 0
            yield number(array[()]) if is_number else graph.constants.get(id(array)) or "..."


def find_parameters(graph, node):
    """Yield the names of the leaves that are operands of a node, also transposed."""
    for each in node.inputs:
        each = each.inputs[0] if type(each).__name__ == "TBackward0" else each
        if type(each) is AccumulateGrad and each in graph.numbers:
            yield graph.describe(each).variable or ""


def holds(array, test):
    """Return True if an array of floating point numbers has an element that passes a test."""
    return isinstance(array, np.ndarray | np.generic) and array.dtype.kind in "fcV" and bool(test(plain(array)).any())


def plain(array):
    """Return an array with a dtype that NumPy's functions know."""
    return np.asarray(array).astype(np.float32) if array.dtype.kind == "V" else np.asarray(array)


# ── values ───────────────────────────────────────────────────────────────────
def read_value(graph, node, operands):
    """Return the value of a node, computed again if nobody has kept it; None if that is impossible."""
    if type(node) is AccumulateGrad:
        return None if is_written_after(graph.top.time, node.array) else node.array
    value = graph.value(node, graph.named.get(node, (None, None))[1])
    return compute(graph, node, operands) if value is None else value


def find_operands(graph, node, known):
    """Return parameter -> Operand for the operands of a node whose values are known."""
    op = node.op
    if not isinstance(op, Op) or op.sequence:
        return {}
    saved = read_saved(node)
    texts = find_texts(graph, node)
    edges = dict(zip(op.derivatives, node.inputs, strict=False))
    found = {}
    for parameter in op.inputs:
        source = edges.get(parameter)
        array = saved.get(parameter) if known.get(source) is None else known[source]
        if array is None and source is None and parameter in texts:
            value = evaluate(texts[parameter], graph.namespace)
            array = value.array if isinstance(value, Tensor) else None if value is None else np.asarray(value)
        if hasattr(array, "dtype"):
            text = texts.get(parameter) or (graph.constants.get(id(array)) if source is None else None)
            if source is not None and text is None:
                text = write(graph, source, 1)
            elif text is None and array.ndim == 0:
                text = number(array[()])
            found[parameter] = Operand(text or parameter, array, source)
    return found


def read_saved(node):
    """Return parameter -> the value of it that a node has saved."""
    return dict(zip(node.op.saves, kept.saved_by(node), strict=False))


def find_texts(graph, node):
    """Return parameter -> the user's text of an operand, as far as the source of the node tells."""
    try:
        tree = ast.parse(graph.describe(node).label or "", mode="eval").body
    except (SyntaxError, ValueError):
        return {}
    if isinstance(tree, ast.BinOp):
        return dict(zip(node.op.inputs, map(ast.unparse, (tree.left, tree.right)), strict=False))
    call = graph.call(graph.call_nodes(graph.numbers[node]))
    return call.texts if call else {}


def evaluate(text, names):
    """Return the value of an operand that is a name, a number or an infinity; None for other code."""
    tree = ast.parse(text, mode="eval").body
    match tree:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = evaluate(ast.unparse(operand), names)
            return None if value is None else -value
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(value))]):
            return float(value)
    value = look_up(tree, names)
    return value if isinstance(value, Tensor | int | float) else None


def compute(graph, node, operands):
    """Compute the result of a node again from its operands and settings; None if they are not all known."""
    op = node.op
    if not isinstance(op, Op) or op.many or op.sequence or node.shape is None or np.prod(node.shape) > MOST_ELEMENTS:
        return None
    given = {parameter: wrap(each.array) for parameter, each in operands.items()}
    saved = read_saved(node)
    texts = find_texts(graph, node)
    for name, parameter in op.parameters.items():
        if name in given:
            continue
        if name in saved and not hasattr(saved[name], "dtype"):
            given[name] = saved[name]
        elif name in SIZES:
            given[name] = [*node.shape]
        elif name in texts:
            given[name] = evaluate(texts[name], graph.namespace)
        elif parameter.default is parameter.empty:
            return None
    try:
        with no_grad():
            result = op.fn(**given)
    except Exception:  # settings that nobody saved
        return None
    return result.array if isinstance(result, Tensor) and result.array.shape == node.shape else None
