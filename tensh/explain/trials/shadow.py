"""Code on shapes only: evaluate an expression with stand-ins for its tensors, without running the user's code.

Only operations of the engine, layers of torch.nn, optimizers, and a few Python functions are
called; anything else raises Unknown.
"""

import ast
import builtins
import contextlib
import copy
import operator
import types

import numpy as np

from tensh.engine.core.tensor import Tensor
from tensh.explain.trials.parsing import canonical, operands, parse_statement
from tensh.explain.trials.stand_ins import PLAIN, StandIns
from tensh.explain.trials.trusted import (
    NEVER,
    Unknown,
    get_member,
    is_layer,
    is_module,
    is_named_result,
    is_tensh_value,
    kept_in,
)

FEW_TURNS = 3  # iterations of a comprehension

BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.MatMult: operator.matmul,
    ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
IN_PLACE = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.Div: operator.itruediv, ast.MatMult: operator.imatmul,
    ast.Pow: operator.ipow, ast.FloorDiv: operator.ifloordiv, ast.Mod: operator.imod, ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior, ast.BitXor: operator.ixor,
}  # fmt: skip
COMPARED = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}

FIXED = (bool, int, float, list, tuple, types.MethodType, types.FunctionType)  # types whose attributes are not tensors
NAMES = "abs bool divmod enumerate float int len list max min pow range round sum tuple zip"
BUILTINS = {name: getattr(builtins, name) for name in NAMES.split()}


class Shadow:
    """Evaluates expressions; ``known`` are the values of pieces of code, ``names`` those of names."""

    def __init__(self, known, names, grad=False):
        self.known = {canonical(text): value for text, value in known.items()}
        self.names = names
        self.stand_ins = StandIns([*self.known.values(), *names.values()], grad)

    def value(self, code):
        """Evaluate a piece of code on shapes only."""
        return self.evaluate(parse_statement(code))

    def evaluate(self, node):
        """Evaluate a statement or expression on shapes only."""
        with self.stand_ins.computing():
            return self.run(node)

    def run(self, node):
        if isinstance(node, ast.With):  # with no_grad, in fixes
            (node,) = node.body
        if isinstance(node, ast.Expr):
            node = node.value
        if isinstance(node, ast.AugAssign) and type(node.op) in IN_PLACE:
            return IN_PLACE[type(node.op)](self.compute(node.target), self.compute(node.value))
        match node:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=index)], value=value):
                written = self.compute(owner)
                written[self.compute(index)] = self.compute(value)
                return written
        return self.compute(node)

    def shapes(self, node):
        """Return the shapes of an operation's tensors."""
        values = []
        for each in operands(node):
            with self.stand_ins.computing(), contextlib.suppress(Unknown):  # such as the owner of a layer
                values.append(self.compute(each))
        flat = [v for value in values for v in (value if isinstance(value, list | tuple) else [value])]
        return [list(v.shape) for v in flat if isinstance(v, Tensor)]

    def compute(self, node):
        text = ast.unparse(node)
        if text in self.known:
            with contextlib.suppress(Unknown):  # such as a generator, whose parts may be known
                return self.stand_ins.imitate(self.known[text])
        method = getattr(self, type(node).__name__.lower(), None)
        if method is None:
            raise Unknown
        return method(node)

    # ── one method per kind of expression ────────────────────────────────────────

    def name(self, node):
        if node.id in self.names:
            return self.stand_ins.imitate(self.names[node.id])
        if node.id in BUILTINS:
            return BUILTINS[node.id]
        raise Unknown

    def constant(self, node):
        return node.value

    def attribute(self, node):
        if node.attr.startswith(NEVER):
            raise Unknown
        if node.attr == "forward" and is_layer(layer := self.compute(node.value)):
            return layer.forward
        if isinstance(node.value, ast.Name) and is_module(self.names.get(node.value.id)):
            return self.stand_ins.imitate(get_member(self.names[node.value.id], node.attr))
        kept = kept_in(node, self.names)
        if kept is not None:
            return self.stand_ins.imitate(kept)
        owner = self.compute(node.value)
        if is_module(owner):
            return get_member(owner, node.attr)
        if isinstance(owner, FIXED):
            found = getattr(owner, node.attr)  # fails like the user's code
            if is_named_result(owner):
                return found
        if not isinstance(owner, Tensor | types.ModuleType | np.ndarray):
            raise Unknown
        found = getattr(owner, node.attr)
        if isinstance(owner, types.ModuleType) and not is_tensh_value(found) and not isinstance(found, PLAIN):
            raise Unknown
        return found

    def binop(self, node):
        return BINARY[type(node.op)](self.compute(node.left), self.compute(node.right))

    def unaryop(self, node):
        if type(node.op) not in UNARY:
            raise Unknown
        return UNARY[type(node.op)](self.compute(node.operand))

    def compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARED:
            raise Unknown
        return COMPARED[type(node.ops[0])](self.compute(node.left), self.compute(node.comparators[0]))

    def subscript(self, node):
        return self.compute(node.value)[self.compute(node.slice)]

    def slice(self, node):
        return slice(*(each and self.compute(each) for each in (node.lower, node.upper, node.step)))

    def tuple(self, node):
        return tuple(self.compute(each) for each in node.elts)

    def list(self, node):
        return [self.compute(each) for each in node.elts]

    def listcomp(self, node):
        """Evaluate the first few iterations."""
        (generator,) = node.generators
        if generator.ifs or not isinstance(generator.target, ast.Name):
            raise Unknown
        return [
            self.bind_name(generator.target.id, each).compute(node.elt)
            for each in [*self.compute(generator.iter)][:FEW_TURNS]
        ]

    def generatorexp(self, node):
        return iter(self.listcomp(node))

    def bind_name(self, name, value):
        """Return a Shadow with another value for a name."""
        inner = copy.copy(self)
        inner.names = {**self.names, name: value}
        self.stand_ins.put(value, value)
        return inner

    def call(self, node):
        function = self.compute(node.func)
        positional = [self.compute(each) for each in node.args if not isinstance(each, ast.Starred)]
        if len(positional) < len(node.args) or any(each.arg is None for each in node.keywords):
            raise Unknown
        return function(*positional, **{each.arg: self.compute(each.value) for each in node.keywords})
