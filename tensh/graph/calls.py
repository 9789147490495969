"""The call that recorded nodes: the function, its arguments, and the operand of the nodes that each argument is.

A call of a layer or a composite records several nodes, which are treated as one.
"""

import ast
import inspect
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tensh.engine.codegen.operator import Op
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.operators.layers.composites.registry import LAYERS
from tensh.engine.operators.namespaces import LINALG, SPECIAL
from tensh.graph.provenance import layer, place
from tensh.graph.source import piece

MODULES = ("torch", "tensh", "nn", "F", "np", "math")


class Call(NamedTuple):
    """A function's name and parameters, with the user's text of each argument, and its value if known.

    ``operands`` has the number of the node for each parameter that receives a gradient.
    """

    function: str
    parameters: tuple[str, ...]
    texts: dict[str, str]
    values: dict[str, object]
    operands: dict[str, int]

    @property
    def by_number(self):
        """Node number -> its parameter."""
        return {number: parameter for parameter, number in self.operands.items()}


def find_call(graph, nodes):
    """Return the Call that recorded nodes, the last of which is its result; None if that is uncertain."""
    found = _read_layer_call(graph, nodes[-1]) or _read_source_call(graph, nodes[-1])
    if found is None:
        return None
    operands = _match(graph, found, _operand_numbers(graph, nodes))
    return found._replace(operands=operands) if operands else None


def _read_layer_call(graph, node):
    """Return the call of a layer of torch.nn, with the names of its attributes."""
    within = layer(node)
    text = within is not None and call_of_layer(type(within))
    tree = ast.parse(text, mode="eval").body if text else None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    path = graph.layers.get(id(within))
    bound = bind_call(tree, LAYERS if tree.func.id in LAYERS else PUBLIC, tree.func.id)
    if bound is None:
        return None
    parameters, arguments = bound
    texts, values, operands = {}, {}, {}
    for parameter, argument in arguments.items():
        name = argument.id if isinstance(argument, ast.Name) else None
        value = (
            getattr(within, name, None)
            if name in vars(within) or name in within._parameters or name in within._buffers
            else None
        )
        if isinstance(value, Tensor):
            texts[parameter] = f"{path}.{name}" if path else name
            operands[parameter] = graph.numbers.get(refresh_node(value))
            values[parameter] = value
        elif name != parameter or name in vars(within):
            values[parameter] = value if name else _literal(argument)
    given, known = _list_given(graph, node, within, path)
    return Call(tree.func.id, parameters, given | texts, known | values, operands)


def _list_given(graph, node, within, path):
    """Return (parameter -> text, parameter -> value) for the arguments of a layer called by name in the source."""
    found = piece(*place(node))
    call = _parse(found.text) if found else None
    name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    if not path or name not in (path, f"self.{path.rpartition('.')[2]}"):
        return {}, {}
    given = dict(zip(list(inspect.signature(type(within).forward).parameters)[1:], call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    values = {parameter: value for parameter, each in given.items() if (value := _value(graph, each)) is not None}
    return {parameter: ast.unparse(each) for parameter, each in given.items()}, values


def call_of_layer(kind):
    """Return the text of a layer class's only call, with the names of its attributes; None for several calls."""
    return getattr(kind, "_computes", None) or next(
        (_modules()[c.__name__] for c in kind.__mro__ if c.__name__ in _modules()), None
    )


@cache
def _modules():
    text = Path(__file__).with_name("textbook").joinpath("modules.txt").read_text(encoding="utf-8")
    return dict(line.split(": ") for line in text.split("\n") if ": " in line and not line.startswith("#"))


def _read_source_call(graph, node):
    """Return the call of a function or method in the user's source."""
    made = place(node)
    found = made and piece(*made)
    tree = _parse(found.text) if found else None
    if layer(node) is not None or not isinstance(tree, ast.Call):
        return None
    if isinstance(tree.func, ast.Attribute) and not is_module(tree.func.value):
        tree = ast.Call(tree.func, [tree.func.value, *tree.args], tree.keywords)
        tables = (METHODS, PUBLIC)
    else:
        tables = (LINALG,) if "linalg" in ast.unparse(tree.func) else (LAYERS, PUBLIC, SPECIAL)
    name = tree.func.attr if isinstance(tree.func, ast.Attribute) else getattr(tree.func, "id", "")
    bound = next(filter(None, (bind_call(tree, table, name) for table in tables)), None)
    if bound is None:
        return None
    parameters, arguments = bound
    texts = {parameter: ast.unparse(argument) for parameter, argument in arguments.items()}
    values = {parameter: value for parameter, a in arguments.items() if (value := _value(graph, a)) is not None}
    return Call(name, parameters, texts, values, {})


def bind_call(call, table, name):
    """Return (parameters, parameter -> argument) for a call of a function in a table; None if it does not match."""
    entry = table.get(name)
    if (
        entry is None
        or any(isinstance(each, ast.Starred) for each in call.args)
        or not all(k.arg for k in call.keywords)
    ):
        return None
    parameters = tuple(parameters_of(entry))
    if len(call.args) > len(parameters):
        return None
    return parameters, dict(zip(parameters, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}


def parameters_of(entry):
    """Return the names of the parameters of an operator or a function."""
    if isinstance(entry, Op):
        return list(entry.parameters)
    try:
        return list(inspect.signature(inspect.unwrap(entry)).parameters)
    except (ValueError, TypeError):
        return []


def _value(graph, argument):
    """Return the value of an argument that is a name or a literal."""
    return graph.namespace.get(argument.id) if isinstance(argument, ast.Name) else _literal(argument)


def _literal(argument):
    try:
        return ast.literal_eval(argument)
    except (ValueError, TypeError, SyntaxError):
        return None


def _parse(text):
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def is_module(tree):
    """Return True for the name of a module of functions: ``torch``, ``torch.nn.functional``, ``F``."""
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name) and tree.id in MODULES


# ── operands ─────────────────────────────────────────────────────────────────
def _operand_numbers(graph, nodes):
    """Return the numbers of the outside nodes that receive gradients from a call."""
    inside = set(nodes)
    targets = (target for node in nodes for target, _ in node.next_functions)
    return list(
        dict.fromkeys(graph.numbers[t] for t in targets if t is not None and t not in inside and t in graph.numbers)
    )


def _match(graph, call, numbers):
    """Return parameter -> operand node: by the tensor, by the user's text, or because one of each remains."""
    found = {parameter: number for parameter, number in call.operands.items() if number in numbers}
    for parameter, text in call.texts.items():
        for number in numbers:
            if (
                parameter not in found
                and number not in found.values()
                and _is_called(graph, number, text, call.values.get(parameter))
            ):
                found[parameter] = number
    rest = [number for number in numbers if number not in found.values()]
    free = [p for p in call.parameters if p not in found and not _is_setting(call, p)]
    if len(rest) == 1 and free:
        found[free[0]] = rest[0]
        rest = []
    return {} if rest else found


def _is_called(graph, number, text, value):
    node = graph[number]
    if isinstance(value, Tensor) and graph.numbers.get(refresh_node(value)) == number:
        return True
    return text in (node.variable, node.label)


def _is_setting(call, parameter):
    """Return True if a parameter is not an operand: missing, a number, a word, or a tensor without a gradient."""
    if parameter in call.values:
        value = call.values[parameter]
        return not isinstance(value, Tensor) or not value.requires_grad
    return parameter not in call.texts and parameter != call.parameters[0]
