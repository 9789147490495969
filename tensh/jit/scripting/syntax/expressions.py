"""Expressions of a script, by the class of their syntax: each becomes a value, or an object that is known beforehand."""

import ast
import enum
import typing
from typing import Any

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.language.classes import is_enum
from tensh.jit.language.types import is_named_tuple
from tensh.jit.scripting.calls.calling import call_operator, pack, unpack
from tensh.jit.scripting.calls.classes import is_instance_value
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.kinds import fields_of, join, members_of, none, parts_of, without_none
from tensh.jit.scripting.sugar import Bound, Items, Known, ModuleRef

BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "remainder", ast.Pow: "pow",
    ast.MatMult: "matmul", ast.BitAnd: "__and__", ast.BitOr: "__or__", ast.BitXor: "__xor__", ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
}  # fmt: skip
COMPARISONS = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "__is__", ast.IsNot: "__isnot__",
}  # fmt: skip
FACTS = {
    "dtype": int, "device": device, "requires_grad": bool, "is_cuda": bool, "is_sparse": bool, "is_quantized": bool, "is_meta": bool,
    "layout": int, "data": Tensor, "is_mkldnn": bool, "grad": Tensor, "is_nested": bool, "is_cpu": bool, "is_mps": bool, "is_xpu": bool,
    "is_xla": bool, "is_vulkan": bool, "is_ipu": bool, "is_maia": bool, "itemsize": int, "nbytes": int, "name": str | None,
}  # fmt: skip
"""Attributes of tensors that are operators of ``prim``, with their types."""
PROPERTIES = {"shape": "size", "T": "numpy_T", "H": "matrix_H", "mT": "mT", "mH": "mH", "ndim": "dim", "real": "real", "imag": "imag",
              "is_leaf": "is_leaf"}  # fmt: skip
"""Attributes of tensors that are operators of ``aten``."""


class Expressions:
    """The part of the compiler that compiles expressions."""

    def value(self, node):
        """Return the value of an expression; refuse what is not a value."""
        return self.as_value(self.expression(node), node)

    def as_value(self, found, node):
        if isinstance(found, ScriptValue):
            return found
        if isinstance(found, Known) and is_constant(found.value):
            return self.constant(found.value, node)
        if isinstance(found, ModuleRef):
            return found.read()
        if isinstance(found, Items):
            return pack(self, [self.as_value(each, node) for each in found.parts])
        return self.source.refuse(node, "this is no value in a script")

    def expression(self, node):
        """Return a value, or an object that is known beforehand."""
        method = getattr(self, f"compile_{type(node).__name__}", None)
        if method is None:
            self.source.refuse(node, f"scripts cannot contain {type(node).__name__} expressions")
        return method(node)

    # ── literals and names ───────────────────────────────────────────────────
    def compile_Constant(self, node):
        if not isinstance(node.value, (bool, int, float, complex, str, none)) and node.value is not ...:
            self.source.refuse(node, "scripts cannot contain this constant")
        return Known(...) if node.value is ... else self.literal(node.value, node)

    def compile_Name(self, node):
        if node.id in self.names:
            return self.names[node.id]
        known, value = self.source.find(node.id)
        if not known:
            self.source.refuse(node, f"undefined value {node.id}")
        if type(value) in (int, float, bool, str):
            self.source.refuse(
                node,
                f"python value of type '{type(value).__name__}' cannot be used as a value. Perhaps it is a closed over global "
                "variable? If so, please consider passing it in as an argument or use a local variable instead.",
            )
        return Known(value)

    def compile_List(self, node, kind=None):
        parts = [self.value(each) for each in node.elts]
        element = parts[0].value_kind if parts else kind or Tensor
        for each in parts[1:]:
            element = join(element, each.value_kind) or self.source.refuse(
                node, "elements of a list have different types"
            )
        made = self.emit("prim::ListConstruct", parts, [list[element]])
        made.literal = not parts and kind is None
        return made

    def compile_Tuple(self, node):
        return pack(self, [self.value(each) for each in node.elts])

    def compile_Dict(self, node, kinds=None):
        parts = [self.value(each) for pair in zip(node.keys, node.values) for each in pair]
        kinds = (parts[0].value_kind, parts[1].value_kind) if parts else kinds or (str, Tensor)
        return self.emit("prim::DictConstruct", parts, [dict[kinds]])

    def compile_JoinedStr(self, node):
        text, parts = "", []
        for each in node.values:
            if isinstance(each, ast.Constant):
                text += each.value
            elif each.format_spec is not None or each.conversion not in (-1, None):
                self.source.refuse(node, "scripts cannot format values in f-strings")
            else:
                text += "{}"
                parts.append(each.value)
        return self.emit("aten::format", [self.constant(text, node), *map(self.value, parts)], [str], node)

    # ── operators ────────────────────────────────────────────────────────────
    def operate(self, name, args, node):
        """Return the result of an operator of Python."""
        made = self.magic(name, args, node)
        if made is None and name in ("add", "len") and args and parts_of(args[0].value_kind) is not None:
            made = self.operate_on_tuples(name, args, node)
        if made is not None:
            return made
        made = call_operator(self, name, args, {}, node)
        if made is None:
            kinds = ", ".join(self.text_of(each) for each in args)
            self.source.refuse(node, f"aten::{name} takes no arguments of the types {kinds}")
        return made

    def operate_on_tuples(self, name, args, node):
        """Return the sum of two tuples, or the length of one; None for other operands."""
        parts = [parts_of(each.value_kind) for each in args]
        if None in parts:
            return None
        values = [unpack(self, each, at=node) for each in args]
        if name == "add":
            return pack(self, [part for each in values for part in each])
        return self.emit("aten::len", [self.emit("prim::ListConstruct", values[0], [list[Any]])], [int], node)

    def compile_BinOp(self, node):
        left, right = self.value(node.left), self.value(node.right)
        name = BINARY[type(node.op)]
        tensors = Tensor in (left.value_kind, right.value_kind)
        if tensors and name == "floordiv":
            name = "floor_divide"
        if right.value_kind is Tensor and left.value_kind is not Tensor and name in REFLECTED:
            return REFLECTED[name](self, left, right, node)
        if name == "floor_divide" and left.value_kind is not Tensor:
            name = "floordiv"
        if name == "remainder" and left.value_kind is str:
            return self.emit("aten::percentFormat", [left, right], [str], node)
        return self.operate(name, [left, right], node)

    def compile_UnaryOp(self, node):
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return self.literal(-node.operand.value, node)
        if isinstance(node.op, ast.Not):
            return self.emit("aten::__not__", [self.condition(node.operand)], [bool], node)
        if isinstance(node.op, ast.UAdd):
            return self.value(node.operand)
        return self.operate("neg" if isinstance(node.op, ast.USub) else "bitwise_not", [self.value(node.operand)], node)

    def compile_Compare(self, node):
        if len(node.ops) > 1:
            sides = [node.left, *node.comparators]
            parts = [
                ast.copy_location(ast.Compare(one, [op], [other]), one)
                for one, op, other in zip(sides, node.ops, sides[1:])
            ]
            return self.expression(ast.copy_location(ast.BoolOp(ast.And(), parts), node))
        (op,), (other,) = node.ops, node.comparators
        if isinstance(op, (ast.In, ast.NotIn)):
            item, container = self.value(node.left), self.expression(other)
            if isinstance(container, ModuleRef):  # the names of layers
                names = [self.constant(each, node) for each in container.module._modules]
                container = self.emit("prim::ListConstruct", names, [list[str]])
            found = self.contains(self.as_value(container, other), item, node)
            return found if isinstance(op, ast.In) else self.emit("aten::__not__", [found], [bool], node)
        left, right = self.value(node.left), self.value(other)
        if isinstance(op, (ast.Is, ast.IsNot)) and (decided := self.decide_identity(node)) is not None:
            return self.constant(decided, node)
        if isinstance(op, (ast.Is, ast.IsNot)):
            return self.emit(f"aten::{COMPARISONS[type(op)]}", [left, right], [bool], node)
        if right.value_kind is Tensor and left.value_kind is not Tensor:
            swapped = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
            return self.operate(swapped.get(COMPARISONS[type(op)], COMPARISONS[type(op)]), [right, left], node)
        return self.operate(COMPARISONS[type(op)], [left, right], node)

    def contains(self, container, item, node):
        """Return whether a value is in a container; a text is in another if it can be found there."""
        if container.value_kind is not str or item.value_kind is not str:
            return self.operate("__contains__", [container, item], node)
        end = self.operate("len", [container], node)
        place = self.operate("find", [container, item, self.constant(0), end], node)
        return self.operate("ne", [place, self.constant(-1)], node)

    def compile_BoolOp(self, node):
        first, rest = node.values[0], node.values[1:]
        if not rest:
            return self.condition(first)
        rest = ast.copy_location(ast.BoolOp(node.op, rest), rest[0]) if len(rest) > 1 else rest[0]
        both = isinstance(node.op, ast.And)
        decided = self.decide(first)
        if decided is not None:
            return self.condition(rest) if decided is both else self.constant(not both, first)
        if self.decide(rest) is both:
            return self.condition(first)
        test = self.condition(first)
        other = lambda: (self.narrow(first, both), [self.condition(rest)])[1]  # noqa: E731
        short = lambda: [self.constant(not both, first)]  # noqa: E731
        return self.branch(test, (other, short) if both else (short, other), node)[0]

    def compile_IfExp(self, node):
        decided = self.decide(node.test)
        if decided is not None:
            return self.expression(node.body if decided else node.orelse)
        arms = [
            lambda holds=holds, each=each: (self.narrow(node.test, holds), [self.value(each)])[1]
            for holds, each in ((True, node.body), (False, node.orelse))
        ]
        return self.branch(self.condition(node.test), arms, node)[0]

    # ── conditions ───────────────────────────────────────────────────────────
    def condition(self, node):
        """Return a condition as a bool."""
        value = self.value(node)
        if value.value_kind is bool:
            return value
        return self.operate("Bool", [value], node)

    def decide(self, node):
        """Return True or False for a condition that types decide; None for others."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.decide(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
            return bool(node.value)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.decide_identity(node)
        if isinstance(node, ast.BoolOp):
            parts = [self.decide(each) for each in node.values]
            both = isinstance(node.op, ast.And)
            if (not both) in parts:
                return not both
            return both if all(each is both for each in parts) else None
        if isinstance(node, ast.Call):
            return self.decide_call(node)
        if isinstance(node, ast.Attribute) and isinstance(owner := self.expression(node.value), ModuleRef):
            found = self.member(owner, node.attr, node)
            made = found.node() if isinstance(found, ScriptValue) else None
            return made.constant if made and made.kind() == "prim::Constant" and type(made.constant) is bool else None
        return None

    def decide_identity(self, node):
        other = node.comparators[0]
        if not (
            isinstance(other, ast.Constant) and other.value is None and isinstance(node.left, (ast.Name, ast.Attribute))
        ):
            return None
        found = self.expression(node.left)
        kind = (
            found.value_kind
            if isinstance(found, ScriptValue)
            else none
            if isinstance(found, Known) and found.value is None
            else Tensor
        )
        if kind in (typing.Any, object) or kind is not none and none in members_of(kind):
            return None
        return (kind is none) is isinstance(node.ops[0], ast.Is)

    def narrow(self, node, holds):
        """Narrow the types of names in a block in which a condition holds, or does not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.narrow(node.operand, not holds)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) is holds:
            for each in node.values:
                self.narrow(each, holds)
        elif (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], (ast.Is, ast.IsNot))
            and is_none(node.comparators[0])
        ):
            value = self.names.get(getattr(node.left, "id", None))
            inner = without_none(value.value_kind) if isinstance(value, ScriptValue) else None
            if inner is not None:
                self.cast(node.left.id, none if isinstance(node.ops[0], ast.Is) is holds else inner)
        elif isinstance(node, ast.Call) and "isinstance" in (
            getattr(node.func, "id", ""),
            getattr(node.func, "attr", ""),
        ):
            self.narrow_instance(node, holds)

    # ── attributes ───────────────────────────────────────────────────────────
    def compile_Attribute(self, node):
        owner = self.expression(node.value)
        if isinstance(owner, ModuleRef):
            return owner if node.attr == "_modules" else self.member(owner, node.attr, node)
        if isinstance(owner, Known) and isinstance(owner.value, enum.Enum):
            owner = self.as_value(owner, node.value)
        if isinstance(owner, Known):
            if not hasattr(owner.value, node.attr):
                self.source.refuse(node, f"there is no {node.attr}")
            return Known(getattr(owner.value, node.attr))
        if is_instance_value(owner):
            return self.attribute_of_instance(owner, node.attr, node)
        if isinstance(owner, ScriptValue) and is_enum(owner.value_kind):
            return self.attribute_of_enum(owner, node.attr, node)
        if isinstance(owner, ScriptValue) and owner.value_kind is Tensor:
            if node.attr in FACTS:
                return self.emit(f"prim::{node.attr}", [owner], [FACTS[node.attr]])
            if node.attr in PROPERTIES:
                return self.operate(PROPERTIES[node.attr], [owner], node)
        if isinstance(owner, ScriptValue) and owner.value_kind is device and node.attr in ("type", "index"):
            return self.emit(f"prim::{node.attr}", [owner], [str if node.attr == "type" else int | None])
        if isinstance(owner, ScriptValue):
            fields = list(fields_of(owner.value_kind)) if is_named_tuple(owner.value_kind) else owner.fields
            if node.attr in fields:
                return self.tuple_element(owner, fields.index(node.attr), node)
        return Bound(owner, node.attr)


def reflect_sub(self, left, right, node):
    return self.operate("add", [self.operate("neg", [right], node), left], node)


def reflect_div(self, left, right, node):
    inverse = self.operate("reciprocal", [right], node)
    return self.operate("mul", [inverse, left], node)


REFLECTED = {
    "add": lambda self, left, right, node: self.operate("add", [right, left], node),
    "mul": lambda self, left, right, node: self.operate("mul", [right, left], node),
    "sub": reflect_sub,
    "div": reflect_div,
}
"""Operators whose left operand is a number and whose right one is a tensor."""


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def is_constant(value):
    """Return True for an object that can be a constant of a graph."""
    return value is None or isinstance(value, (bool, int, float, str, dtype, device, layout, memory_format, enum.Enum))
