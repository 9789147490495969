"""The order of the operands of a sum or product of a tensor and a number, which is the same method in either order."""

import ast
import sys

from tensh.engine.core.tensor import Tensor
from tensh.fx.node import Node
from tensh.graph.source import piece


def starts_with_number(place, args):
    """Return True if the user's instruction has the number of (tensor, number) on the left, as in ``2 * x``."""
    if len(args) != 2 or isinstance(args[1], Node) and "val" not in args[1].meta:
        return False
    found = piece(place.code, place.instruction)
    try:
        tree = ast.parse(found.text, mode="eval").body if found is not None else None
    except (SyntaxError, ValueError):
        return False
    if not isinstance(tree, ast.BinOp):
        return False
    names = find_names(place.code)
    left, right = (is_tensor(each, names) for each in (tree.left, tree.right))
    return left is False or left is None and right is True


def find_names(code):
    """Return the variables of the running function that has a code: its own before those of its module."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return {} if frame is None else {**frame.f_globals, **frame.f_locals}


def is_tensor(tree, names):
    """Return whether an expression without calls is a tensor; None where that is not known without running code."""
    match tree:
        case ast.Constant():
            return False
        case ast.UnaryOp():
            return is_tensor(tree.operand, names)
        case ast.Name() if tree.id in names:
            return isinstance(names[tree.id], Tensor)
        case ast.Attribute(value=ast.Name()) if tree.value.id in names:
            owner = names[tree.value.id]
            members = {} if isinstance(owner, Tensor) else getattr(owner, "__dict__", {})
            found = [
                each[tree.attr]
                for each in (members, members.get("_parameters", {}), members.get("_buffers", {}))
                if tree.attr in each
            ]
            return isinstance(found[0], Tensor) if found else None
        case (
            ast.Subscript(value=ast.Attribute(attr="shape"))
            | ast.Call(func=ast.Attribute(attr="size" | "numel" | "dim"))
            | ast.Call(func=ast.Name(id="len" | "float" | "int" | "max" | "min"))
        ):
            return False
        case ast.BinOp():
            return find_either(is_tensor(tree.left, names), is_tensor(tree.right, names))
    return None


def find_either(left, right):
    """Return whether one of two operands is a tensor; None if that is not known."""
    return True if left or right else None if left is None or right is None else False
