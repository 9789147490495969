"""The situation in which code failed: the exception, the names, the source and the call."""

import ast
import copy
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.calls import Call
from tensh.explain.model import Explanation, Operand
from tensh.explain.source.place import Place
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import find_assignment
from tensh.explain.trials.attempts import make_shadow, try_value
from tensh.explain.trials.trusted import PACKAGES, Unknown, get_member, is_module

LONGEST = 10_000  # characters read of a message


class Situation(NamedTuple):
    """An exception, the names visible to the code that raised it, its place, and the engine call if it was one."""

    error: BaseException
    names: dict
    place: Place
    call: Call | None

    def says(self, *words):
        """Return True if the message contains some words."""
        message = message_of(self.error)
        return all(each in message for each in words)

    def look_up(self, node):
        """Evaluate an expression of names, attributes, constant indices and keys; None for others."""
        return look_up(node, self.names)

    def expression(self):
        """Return a copy of the failing code's syntax tree, with positions in the source; None unless it is one statement."""
        if self.place.line != self.place.end_line:
            node = self.place.node()
            return ast.Expr(copy.deepcopy(node)) if isinstance(node, ast.expr) else None
        segment, first = self.place.segment, self.place.line - 1
        try:
            (statement,) = ast.parse(segment.strip()).body
        except (SyntaxError, ValueError):
            return None
        before = self.place.offset(self.place.line) + len(segment) - len(segment.lstrip())
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):
                node.lineno, node.end_lineno = node.lineno + first, node.end_lineno + first
                node.col_offset, node.end_col_offset = node.col_offset + before, node.end_col_offset + before
        return statement

    def evaluate(self, node):
        """Evaluate an expression on shapes only; None if that is impossible."""
        return try_value(node, make_shadow(self.names, node))

    def find_value(self, node):
        """Return the value of an expression, on shapes only if it must be computed; None if it is unknown."""
        value = self.evaluate(node)
        return self.look_up(node) if value is None else value

    def tensor_of(self, node):
        """Return the tensor of an expression, on shapes only if it must be computed; None for other values."""
        value = self.look_up(node)
        value = self.evaluate(node) if value is None else value
        return value if isinstance(value, Tensor) else None

    def find_assignment(self, name):
        """Return the statement that assigned a name; None if that is ambiguous."""
        return find_assignment(self.place, name)


def first_explanation(kinds, *facts):
    """Return the Explanation of the first kind that applies to these facts; None if none does."""
    for kind in kinds:
        found = kind(*facts)
        if found is not None:
            return found
    return None


def message_of(error):
    """Return the message of an exception of Python or tensh; "" for others, whose text is user code."""
    kind = type(error)
    if kind.__module__.partition(".")[0] not in ("builtins", "_pickle", *PACKAGES) or len(error.args) != 1:
        return ""
    (message,) = error.args
    return message if type(message) is str and len(message) <= LONGEST else ""


def look_up(node, names):
    """Evaluate an expression of names, attributes, constant indices and keys; None for others."""
    match node:
        case ast.Name(id=name):
            return names.get(name)
        case ast.Attribute(value=inner, attr=name):
            owner = look_up(inner, names)
            if is_module(owner):
                try:
                    return get_member(owner, name)
                except Unknown:
                    return None
            return vars(owner).get(name) if hasattr(owner, "__dict__") and not isinstance(owner, Tensor) else None
        case ast.Subscript(value=inner, slice=ast.Constant(value=int(number))):
            owner = look_up(inner, names)
            return owner[number] if type(owner) in (list, tuple) and -len(owner) <= number < len(owner) else None
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
            owner = look_up(inner, names)
            return owner.get(key) if type(owner) is dict else None
    return None


def explain_replacement(situation, operation, rule, node, new, advice=None, operands=()):
    """Return the Explanation with a piece of code replaced; None if that is impossible and there is no advice."""
    fit = replace_node(situation.place, node, new) if new else None
    if not (fit or advice):
        return None
    return Explanation(operation, operands, rule, (fit,) if fit else (), None if fit else advice)


def operand_of(text, tensor):
    """Return a tensor as an Operand."""
    return Operand(text, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
