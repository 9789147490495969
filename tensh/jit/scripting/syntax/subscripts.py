"""Subscripts in a script: elements of tensors, lists, tuples, dictionaries and texts, read and written."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.kinds import element_of, none, parts_of
from tensh.jit.scripting.sugar import Cut, Items, Known, ModuleRef

LONG = 4
"""The number of int64."""


class Subscripts:
    """The part of the compiler that compiles subscripts."""

    def compile_Subscript(self, node):
        owner = self.expression(node.value)
        if isinstance(owner, ModuleRef):
            return self.layer_at(owner, node)
        if isinstance(owner, Items):
            return owner.parts[self.known_index(node.slice, node)]
        owner = self.as_value(owner, node)
        kind = owner.value_kind
        if kind is Tensor:
            return self.read_tensor(owner, node)
        if parts_of(kind) is not None:
            return self.read_tuple(owner, node)
        if (cut := self.cut_of(node.slice)) is not None:
            return self.operate("slice", [owner, *self.bounds(cut, node)], node)
        return self.operate("__getitem__", [owner, self.value(node.slice)], node)

    def known_index(self, index, node):
        """Return the number of a subscript that has to be known."""
        value = self.value(index)
        if value.node().kind() != "prim::Constant":
            self.source.refuse(node, "the index must be a number that is known when the script is compiled")
        return value.node().constant

    def layer_at(self, owner, node):
        key = self.known_index(node.slice, node)
        modules = list(owner.module._modules)
        return self.member(owner, key if isinstance(key, str) else modules[key], node)

    def read_tuple(self, owner, node):
        kinds = parts_of(owner.value_kind)
        if isinstance(node.slice, ast.Slice):
            given = [
                None if each is None else self.known_index(each, node)
                for each in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            places = range(len(kinds))[slice(*given)]
            from tensh.jit.scripting.calls.calling import pack

            return pack(self, [self.tuple_element(owner, place, node) for place in places])
        place = self.known_index(node.slice, node)
        if not -len(kinds) <= place < len(kinds):
            self.source.refuse(node, "the tuple index is out of range")
        return self.tuple_element(owner, place, node, node.slice)

    def tuple_element(self, owner, place, node, at=None):
        kinds = parts_of(owner.value_kind)
        if owner.node().kind() == "prim::TupleConstruct":
            return owner.node().taken[place]
        return self.emit("prim::TupleIndex", [owner, self.constant(place, at)], [kinds[place]])

    def cut_of(self, index):
        """Return a subscript that is a slice; None for another."""
        if isinstance(index, ast.Slice):
            return index
        if isinstance(index, ast.Name):
            found = self.names.get(index.id)
            return found if isinstance(found, Cut) else None
        if isinstance(index, ast.Call) and isinstance(index.func, ast.Name):
            function = self.expression(index.func)
            return self.slice(index) if isinstance(function, Known) and function.value is slice else None
        return None

    def slice(self, node):
        """Return the slice that a call makes."""
        if not 1 <= len(node.args) <= 3 or node.keywords:
            self.source.refuse(node, "a slice has one to three arguments")
        given = [self.value(each) for each in node.args]
        lower, upper, step = ([self.constant(0), *given, None] if len(given) == 1 else [*given, None])[:3]
        return Cut(lower, upper, step or self.constant(1, node))

    def bounds(self, index, node):
        """Return the start, the end and the step of a slice."""
        if isinstance(index, Cut):
            return [index.lower, index.upper, index.step]
        parts = [self.value(each) if each is not None else self.constant(None) for each in (index.lower, index.upper)]
        return [*parts, self.value(index.step) if index.step is not None else self.constant(1, node)]

    # ── tensors ──────────────────────────────────────────────────────────────
    def read_tensor(self, owner, node):
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        value, picks = self.slice_tensor(owner, indices, node)
        if not any(each is not None for each in picks):
            return value
        return self.emit("aten::index", [value, self.pick_list(picks)], [Tensor], node)

    def slice_tensor(self, owner, indices, node):
        """Return (the tensor after all numbers and slices, the index tensors of its dimensions)."""
        value, dim, picks = owner, 0, []
        before = [place for place, each in enumerate(indices) if is_ellipsis(each)]
        rest = [each for each in indices[before[0] + 1 :] if not is_new(each)] if before else []
        backward = False
        for place, each in enumerate(indices):
            if is_ellipsis(each):
                backward, dim = True, -len(rest) - sum(map(is_new, indices[place + 1 :]))
                continue
            if is_new(each):
                value = self.emit("aten::unsqueeze", [value, self.constant(dim, node)], [Tensor], node)
                dim += 1
                picks.append(None)
                continue
            if (cut := self.cut_of(each)) is not None:
                value = self.emit(
                    "aten::slice", [value, self.constant(dim, node), *self.bounds(cut, node)], [Tensor], node
                )
                dim += 1
                picks.append(None)
                continue
            index = self.value(each)
            if index.value_kind is int:
                value = self.emit("aten::select", [value, self.constant(dim, node), index], [Tensor], node)
                dim += backward
            elif index.value_kind is none:
                value = self.emit("aten::unsqueeze", [value, self.constant(dim, node)], [Tensor], node)
                dim += 1
                picks.append(None)
            else:
                picks.append(self.index_tensor(index, each))
                dim += 1
        return value, picks

    def index_tensor(self, index, node):
        if index.value_kind is Tensor:
            return index
        if element_of(index.value_kind) in (int, bool):
            number = LONG if element_of(index.value_kind) is int else None
            more = [self.constant(number), self.constant(None), self.constant(False)]
            return self.emit("aten::tensor", [index, *more], [Tensor])
        return self.source.refuse(node, "a tensor cannot be indexed by this")

    def pick_list(self, picks):
        while picks and picks[-1] is None:
            picks = picks[:-1]
        parts = [self.constant(None) if each is None else each for each in picks]
        return self.emit("prim::ListConstruct", parts, [list[Tensor | None]])

    # ── writes ───────────────────────────────────────────────────────────────
    def write_subscript(self, target, value, node):
        """Emit an assignment to an element."""
        owner = self.value(target.value)
        if owner.value_kind is not Tensor:
            if isinstance(target.slice, ast.Slice):
                self.source.refuse(target, "scripts cannot assign to a slice of a list")
            self.operate("_set_item", [owner, self.value(target.slice), value], node)
            return
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        part, picks = self.slice_tensor(owner, indices, target)
        if any(each is not None for each in picks):
            value = self.as_tensor(value, part)
            indices = self.pick_list(picks)
            self.emit("aten::index_put_", [part, indices, value, self.constant(False)], [Tensor], target)
        else:
            value = self.as_tensor(value, part)
            self.emit("aten::copy_", [part, value, self.constant(False)], [Tensor], target)
        self.block.lines[-1].writes = True

    def as_tensor(self, value, like):
        """Return a value as a tensor that is written into another."""
        if value.value_kind is Tensor:
            return value
        more = [self.emit("prim::dtype", [like], [int]), self.emit("prim::device", [like], [device])]
        return self.emit("aten::tensor", [value, *more, self.constant(False)], [Tensor])

    def read_for_update(self, target):
        """Return the part of a tensor that an augmented assignment changes; None if the owner is no tensor."""
        owner = self.value(target.value)
        if not isinstance(owner, ScriptValue) or owner.value_kind is not Tensor:
            return None
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        part, picks = self.slice_tensor(owner, indices, target)
        return None if any(each is not None for each in picks) else part


def is_ellipsis(node):
    return isinstance(node, ast.Constant) and node.value is ...


def is_new(node):
    return isinstance(node, ast.Constant) and node.value is None
