"""The check of subscripts: elements of tensors, lists, tuples, dictionaries and texts."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.checking.expressions import SLICE, Unusable
from tensh.jit.checking.values import UNKNOWN, Value, describe, is_known
from tensh.jit.language.classes import is_script_class
from tensh.jit.language.types import origin_of
from tensh.jit.scripting.kinds import NUMBER, element_of, none, parts_of
from tensh.jit.scripting.sugar import ModuleRef

__all__ = ["Subscripts"]


class Subscripts:
    """The part of the checker that checks subscripts."""

    def indices(self, index):
        """Return (node, value) of each part of a subscript, the value None for a slice."""
        found = []
        for each in index.elts if isinstance(index, ast.Tuple) else [index]:
            if isinstance(each, (ast.Name, ast.Call)) and is_slice(self.expression(each)):
                found.append((each, None))
            elif isinstance(each, ast.Slice):
                for part in (each.lower, each.upper, each.step):
                    if part is not None:
                        self.value(part)
                found.append((each, None))
            else:
                found.append((each, self.value(each)))
        return found

    def index_tensor(self, node):
        for _, value in self.indices(node.slice):
            if value is not None and is_known(value.kind) and value.kind in (str, float, bool, complex, device):
                self.refuse(
                    node,
                    f"Unsupported operation: indexing tensor with unsupported index type '{describe(value)}'. Only ints, slices, lists "
                    "and tensors are supported",
                )
        return Value(Tensor)

    def check_Subscript(self, node):
        owner = self.expression(node.value)
        if isinstance(owner, ModuleRef):
            self.indices(node.slice)
            return self.layer_at(owner, node)
        owner = self.as_value(owner, node.value)
        kind = owner.kind
        if not is_known(kind):
            self.indices(node.slice)
            return UNKNOWN
        if kind is Tensor:
            return self.index_tensor(node)
        if parts_of(kind) is not None:
            return self.index_tuple(owner, node)
        if isinstance(node.slice, ast.Slice):
            self.indices(node.slice)
            bounds = [
                self.value(each) if each is not None else Value(none) for each in (node.slice.lower, node.slice.upper)
            ]
            return self.operate("slice", [owner, *bounds, Value(int)], node)
        if isinstance(node.slice, (ast.Name, ast.Call)) and is_slice(self.expression(node.slice)):
            return owner
        index = self.value(node.slice)
        if kind is str or is_script_class(kind) or element_of(kind) is not None or origin_of(kind) is dict:
            if index.kind in (Tensor, NUMBER) and origin_of(kind) is not dict:
                return Value(str if kind is str else element_of(kind))
            return self.operate("__getitem__", [owner, index], node)
        self.refuse(node, f"'{describe(owner)}' object is not subscriptable")

    def index_tuple(self, owner, node):
        """Return an element of a tuple, or a part of it."""
        parts = parts_of(owner.kind)
        found = self.indices(node.slice)
        index = found[0][1]
        if index is None or not is_known(index.kind):
            return UNKNOWN
        place = index.constant
        if type(place) is not int:
            if index.kind is not int or len(set(parts)) == 1 and isinstance(node.slice, ast.Name):
                return UNKNOWN
            if len(set(parts)) > 1 and not isinstance(node.slice, (ast.Constant, ast.UnaryOp)):
                text = f"Cannot index into a {describe(owner)} with a non-integer literal because we cannot resolve the output type"
                self.refuse(node, text)
            return UNKNOWN
        if not -len(parts) <= place < len(parts):
            self.refuse(node, f"Tuple index out of range. Tuple is length {len(parts)} and index is {place}")
        return Value(parts[place])


def is_slice(found):
    """Return True for a slice that was made by a call."""
    return isinstance(found, Unusable) and found.name == SLICE
