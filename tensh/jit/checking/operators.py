"""The check of operators, comparisons and choices."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.jit.checking.matching import Unmatched, match_operator
from tensh.jit.checking.values import UNKNOWN, Value, describe, is_known, join
from tensh.jit.scripting.calls.signatures import overloads_of
from tensh.jit.scripting.kinds import NUMBER, parts_of
from tensh.jit.scripting.syntax.expressions import BINARY, COMPARISONS
from tensh.return_types import find_makers

__all__ = ["Operators", "with_fields", "NUMBERS"]

NUMBERS = (int, float, bool, complex, NUMBER)


class Operators:
    """The part of the checker that checks operators."""

    def operate(self, name, args, node, options=None, bound=False):
        """Return the result of an operator; refuse arguments that no overload takes.

        ``bound`` is True for a method, whose first argument is its owner.
        """
        found = None if bound else self.magic(name, args, node)
        if found is not None:
            return found
        signatures = overloads_of(name)
        if not signatures:
            return UNKNOWN
        try:
            return with_fields(match_operator(signatures, args, options or {}, bound), name)
        except Unmatched as error:
            self.refuse_call(name, error.args[0], node)

    def check_BinOp(self, node):
        return self.binary(BINARY[type(node.op)], self.value(node.left), self.value(node.right), node)

    def binary(self, name, left, right, node):
        """Return the result of an operator between two values."""
        kinds = left.kind, right.kind
        if not all(map(is_known, kinds)) or name == "remainder" and left.kind is str:
            return Value(str) if left.kind is str and name == "remainder" else UNKNOWN
        if name == "add" and None not in (parts := [parts_of(each) for each in kinds]):
            return Value(tuple[parts[0] + parts[1]])
        if Tensor in kinds and all(each is Tensor or each in NUMBERS for each in kinds) and name != "matmul":
            return UNKNOWN if name.startswith("__") else Value(Tensor)
        return self.operate(name, [left, right], node)

    def check_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self.condition(node.operand)
            return Value(bool)
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd) or not is_known(value.kind):
            return value
        if isinstance(node.op, ast.USub):
            if value.kind in (bool, int, float, complex) and isinstance(value.constant, (int, float, complex)):
                return Value(value.kind if value.kind is not bool else int, constant=-value.constant)
            return Value(int) if value.kind is bool else self.operate("neg", [value], node)
        return self.operate("bitwise_not", [value], node)

    def check_Compare(self, node):
        if len(node.ops) > 1:
            sides = [node.left, *node.comparators]
            for one, op, other in zip(sides, node.ops, sides[1:]):
                self.check_Compare(ast.copy_location(ast.Compare(one, [op], [other]), one))
            return Value(bool)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            self.condition(node)
            return Value(bool)
        left, right = self.value(node.left), self.value(node.comparators[0])
        kinds = left.kind, right.kind
        if not all(map(is_known, kinds)):
            return UNKNOWN
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            if parts_of(right.kind) is None and kinds != (str, str):
                self.operate("__contains__", [right, left], node)
            return Value(bool)
        if None not in map(parts_of, kinds):
            return Value(bool)
        if Tensor in kinds and all(each is Tensor or each in NUMBERS for each in kinds):
            return Value(Tensor)
        return self.operate(COMPARISONS[type(node.ops[0])], [left, right], node)

    def check_BoolOp(self, node):
        self.condition(node)
        return Value(bool)

    def check_IfExp(self, node, hint=None):
        condition = self.condition(node.test)
        found = []

        def arm(each, kinds):
            return lambda: (self.refine(kinds), found.append(self.value(each, hint)))

        if condition.static is not None:
            self.within(arm(node.body if condition.static else node.orelse, {}))
            return found[0]
        self.within(arm(node.body, condition.holding))
        self.within(arm(node.orelse, condition.failing))
        kind = join(found[0].kind, found[1].kind)
        if kind is None:
            text = f"if-expression's true branch has type {describe(found[0])} but false branch has type {describe(found[1])}"
            self.refuse(node, text)
        return Value(kind, found[0].inferred and found[1].inferred)


def with_fields(value, name):
    """Return the result of an operator with the names of its parts."""
    maker = find_makers().get(name)
    if maker and len(maker.outs) == len(parts_of(value.kind) or ()):
        value.fields = maker.outs
    return value
