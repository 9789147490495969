"""Loops in a script over numbers, lists, tensors, several of these at once, and layers, where the body is repeated."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.types import origin_of
from tensh.jit.scripting.calls.calling import call_operator, unpack
from tensh.jit.scripting.calls.classes import is_enum_class
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.kinds import element_of, parts_of
from tensh.jit.scripting.sugar import Items, ModuleRef
from tensh.nn.modules.parameter_containers import ParameterList

MOST = 2**63 - 1
"""The number of passes of a loop without end."""


class Steps:
    """The values of a loop: ``count`` makes the number of passes, ``take`` the element of a pass from its number."""

    def __init__(self, count, take, index=None, counts=None):
        self.count, self.take, self.index = count, take, index
        self.counts = counts or (lambda at: [count(at)])  # the lengths of all sequences that it goes over


class Iteration:
    """The part of the compiler that compiles what loops go over."""

    def sequence(self, function, node):
        """Return what a call of tuple, enumerate, zip, range or reversed gives."""
        if function is tuple:
            value = self.value(node.args[0])
            if parts_of(value.value_kind) is not None:
                return value
            self.source.refuse(node, "the length of a tuple must be known when the script is compiled")
        if function is range:
            return self.range(node)
        parts, fixed = [], []
        for each in node.args:
            parts.append(self.expression(each))
            if function is zip or not fixed:
                fixed.append(self.items_of(parts[-1], node))
        if all(each is not None for each in fixed):
            if function is reversed:
                return Items(fixed[0][::-1])
            if function is zip:
                return Items([Items(list(each)) for each in zip(*fixed)])
            start = self.known_index(node.args[1], node) if len(node.args) > 1 else 0
            return Items([Items([self.literal(start + place, node), each]) for place, each in enumerate(fixed[0])])
        if function is reversed:
            self.source.refuse(node, "scripts cannot go through a list backwards")
        if function is enumerate:
            start = self.value(node.args[1]) if len(node.args) > 1 else None
            return self.together([self.count_from(start, node), self.steps_of(parts[0], node)], node)
        return self.together([self.steps_of(each, node) for each in parts], node)

    def items_of(self, found, node):
        """Return the elements of a sequence if they are known one by one: layers, tuples; None otherwise."""
        if isinstance(found, Items):
            return found.parts
        if isinstance(found, ModuleRef):
            names = found.module._parameters if isinstance(found.module, ParameterList) else found.module._modules
            return [self.member(found, name, node) for name in names]
        if isinstance(found, ScriptValue) and parts_of(found.value_kind) is not None:
            return unpack(self, found)
        return None

    def range(self, node):
        given = [self.value(each) for each in node.args]
        if len(given) == 1:
            return Steps(lambda at: given[0], lambda index, at: index, index=True)
        low, high, step = given if len(given) == 3 else (*given, self.literal(1, node))
        count = lambda at: self.emit("aten::__range_length", [low, high, step], [int], at)  # noqa: E731
        return Steps(count, lambda index, at: self.emit("aten::__derive_index", [index, low, step], [int], at))

    def count_from(self, start, node):
        if start is None:
            return Steps(lambda at: self.literal(MOST, node), lambda index, at: index, index=True)
        if start.node().kind() != "prim::Constant":
            self.source.refuse(node, "the start of enumerate must be known when the script is compiled")
        one = self.literal(1, node)
        return Steps(
            lambda at: self.literal(MOST - start.node().constant, node),
            lambda index, at: self.emit("aten::__derive_index", [index, start, one], [int], at),
        )

    def steps_of(self, found, node):
        """Return how to go over a value."""
        if isinstance(found, Steps):
            return found
        if is_enum_class(found):
            found = self.members_of_enum(found.value, node)
        value = self.as_value(found, node)
        kind = value.value_kind
        if origin_of(kind) is dict:
            value = call_operator(self, "keys", [value], {}, node)
            kind = value.value_kind
        if kind is Tensor:
            take = lambda index, at: self.emit("aten::select", [value, self.constant(0, at), index], [Tensor], at)  # noqa: E731
        elif element_of(kind) is not None or kind is str:
            take = lambda index, at: self.operate_at("__getitem__", [value, index], at)  # noqa: E731
        else:
            self.source.refuse(node, f"scripts cannot go over a value of type {self.text_of(value)}")
        return Steps(lambda at: self.operate_at("len", [value], at), take)

    def operate_at(self, name, args, at):
        return call_operator(self, name, args, {}, at)

    def together(self, steps, node):
        """Return how to go over several sequences at once, to the end of the shortest."""

        def counts(at):
            return [count for each in steps for count in each.counts(at)]

        def count(at):
            return self.emit("prim::min", [self.emit("prim::ListConstruct", counts(at), [list[int]])], [int], at)

        def take(index, at):
            return Items([each.take(index, at) for each in steps])

        return Steps(count, take, steps[0].index, counts)

    # ── statements and comprehensions ────────────────────────────────────────
    def compile_ListComp(self, node):
        if len(node.generators) > 1 or node.generators[0].ifs:
            self.source.refuse(node, "scripts cannot contain comprehensions with conditions, or of several loops")
        loop, before = node.generators[0], dict(self.names)
        made = self.emit("prim::ListConstruct", [], [list[Tensor]])
        found = self.expression(loop.iter)
        fixed = self.items_of(found, node)
        if fixed is not None:
            parts = []
            for each in fixed:
                self.bind_target(loop.target, each, node)
                parts.append(self.value(node.elt))
            self.names = before
            return self.emit("prim::ListConstruct", parts, [list[parts[0].value_kind]])
        self.collect(made, self.steps_of(found, node), node, loop.target)
        self.names = before
        return made

    def collect(self, made, steps, node, target=None):
        """Fill a list with the elements of a loop, or with what a comprehension makes of each; return the list."""

        def body(index):
            element = steps.take(index, node)
            if target is not None:
                self.bind_target(target, element, node)
                element = self.value(node.elt)
            made.value_kind = list[element.value_kind]
            self.emit("aten::append", [made, element], [made.value_kind], node)
            self.block.lines[-1].writes = True
            return [going]

        trips, going = steps.count(node), self.constant(True, node)
        self.loop(trips, going, [], None, body, node)
        return made

    def compile_DictComp(self, node):
        loop, before = node.generators[0], dict(self.names)
        made = self.emit("prim::DictConstruct", [], [dict[str, Tensor]])
        found = self.expression(loop.iter)
        if len(node.generators) > 1 or loop.ifs or self.items_of(found, node) is not None:
            self.source.refuse(node, "scripts cannot contain such a comprehension")

        def body(index):
            self.bind_target(loop.target, steps.take(index, node), node)
            key, value = self.value(node.key), self.value(node.value)
            made.value_kind = dict[key.value_kind, value.value_kind]
            self.operate("_set_item", [made, key, value], node)
            return [going]

        steps = self.steps_of(found, node)
        trips, going = steps.count(node), self.constant(True, node)
        self.loop(trips, going, [], None, body, node)
        self.names = before
        return made

    def bind_target(self, target, value, at):
        """Assign an element to the target of a loop."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value.parts if isinstance(value, Items) else unpack(self, value, len(target.elts), at)
            if len(parts) != len(target.elts):
                self.source.refuse(at, f"{len(parts)} values cannot be assigned to {len(target.elts)} names")
            for each, part in zip(target.elts, parts):
                self.bind_target(each, part, at)
        else:
            self.source.refuse(at, "scripts cannot assign to this in a loop")
