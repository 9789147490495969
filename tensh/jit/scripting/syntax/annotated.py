"""Expressions that have been given a type: empty lists and dictionaries, and the elements of tensors as lists."""

import ast
import typing

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import is_interface
from tensh.jit.scripting.kinds import element_of, fits

__all__ = ["Annotated"]

ELEMENTS = (int, float, bool, complex)
"""Types of the elements of ``tolist``, in the order of their numbers."""


class Annotated:
    """The part of the compiler for expressions with a type."""

    def annotated(self, kind, node):
        """Return the value of an expression that has been given a type."""
        if isinstance(node, ast.List) and not node.elts:
            return self.compile_List(node, element_of(kind))
        if isinstance(node, ast.List) and is_interface(element := element_of(kind)):
            parts = [self.annotated(element, each) for each in node.elts]
            return self.emit("prim::ListConstruct", parts, [kind])
        if isinstance(node, ast.Dict) and not node.keys:
            return self.compile_Dict(node, typing.get_args(kind))
        value = self.nested_list(kind, node) or self.value(node)
        if value.value_kind != kind and not fits(value.value_kind, kind):
            self.source.refuse(node, f"the value has the type {self.text_of(value)}, not the one that it was given")
        return value

    def nested_list(self, kind, node):
        """Return the elements of a tensor as lists of a type, where an expression asks for them; None for another."""
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "tolist" or node.args:
            return None
        owner, element, depth = self.value(node.func.value), kind, 0
        while element_of(element) is not None:
            element, depth = element_of(element), depth + 1
        if owner.value_kind is not Tensor or element not in ELEMENTS:
            return None
        return self.emit("prim::tolist", [owner, self.constant(depth), self.constant(ELEMENTS.index(element))], [kind])
