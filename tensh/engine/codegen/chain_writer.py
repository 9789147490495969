"""The writer of chains: an expression in the words of derivatives becomes lines of code that call NumPy step by step.

The lines compute in registers, which are reused buffers; see chains.py.  A branch of ``where``, ``only`` or
``masked_fill`` that no element of the block takes is not computed.
"""

import ast
import functools
import math

import numpy as np

from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.codegen.vocabulary import OPS

FEW = 512  # elements below which putmask is faster than arithmetic on bits

OPERATORS = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.USub: "negative",
    ast.BitAnd: "logical_and", ast.BitOr: "logical_or", ast.Invert: "logical_not",
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal", ast.Eq: "equal", ast.NotEq: "not_equal",
}  # fmt: skip
FORMULAS = {  # word -> (parameters, equivalent expression)
    "sigmoid": ("x", "1 / (library_exp(-x) + 1)"),
    "reciprocal": ("x", "1 / x"),
    "sigmoid_backward": ("g y", "g * (1 - y) * y"),
    "tanh_backward": ("g y", "g * (1 - y * y)"),
    "squared": ("x", "x * x"),
    "cubed": ("x", "x * x * x"),
    "tie": ("g x", "g"),
    "conj": ("x", "x"),
    "only": ("x mask", "where(mask, x, 0)"),
    "none_where": ("x mask", "where(mask, 0, x)"),
    "masked_fill": ("x mask value", "where(mask, value, x)"),
    "maximum": ("x low", "clip(x, low, INFINITY)"),
    "minimum": ("x high", "clip(x, -INFINITY, high)"),
}
"""``maximum`` and ``minimum`` with a number take three times as long as ``clip``, ``reciprocal`` twice ``divide``."""
UFUNCS = {
    "library_exp": "exp",
    "library_exp2": "exp2",
    "library_log": "log",
    "library_log1p": "log1p",
    "library_tanh": "tanh",
    "clip": "clip",
    "give_sign": "give_sign",
    "rint": "rint",
    "trunc": "trunc",
}
BY_NAME = ("maximum", "minimum")  # NumPy warns about their third operand
NUMBERS = {"INFINITY": float("inf")}


class NoChain(Exception):
    """Raised for an expression with a part that is not a pointwise step."""


# ── selection ────────────────────────────────────────────────────────────────
INTEGERS = {1: np.dtype(np.int8), 2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def choose(mask, yes, no, to):
    """Write ``yes`` where the mask is true and ``no`` elsewhere; ``to`` is neither.

    The bits in which they differ are multiplied by the mask: a condition that the processor cannot predict takes ten
    times as long.
    """
    if to.size < FEW:
        np.copyto(to, no)
        np.putmask(to, mask, yes)
        return
    bits = INTEGERS[to.itemsize]
    room, no = to.view(bits), no.view(bits)
    np.bitwise_xor(yes.view(bits), no, room)
    np.multiply(room, mask, room)
    np.bitwise_xor(room, no, room)


def keep(mask, yes, to):
    """Write ``yes`` where the mask is true and zero elsewhere."""
    bits = INTEGERS[to.itemsize]
    np.multiply(yes.view(bits), mask, to.view(bits))


SIGNS = {2: np.int16(-1 << 15), 4: np.int32(-1 << 31), 8: np.int64(-1 << 63)}  # the bit of the sign


def give_sign(size, x, to):
    """Write a nonnegative ``size`` with the sign of x, in a quarter of the time of copysign; ``to`` may be ``size``."""
    bits, sign = INTEGERS[to.itemsize], SIGNS[to.itemsize]
    np.bitwise_or(size.view(bits), np.bitwise_and(x.view(bits), sign), to.view(bits))


# ── from text to steps ───────────────────────────────────────────────────────
class StepWriter:
    """Writer of the lines of ``compute(to, arrays, numbers, registers)`` for one expression.

    A value is (kind, name) with the kinds "array", "mask" and "number".  Registers begin with r or m, and return to the
    free ones when they have been read.
    """

    def __init__(self, arrays, words, double=False):
        """Write steps of float64 with ``double``, where a kernel that has a ``double`` is that function of NumPy."""
        self.arrays, self.words, self.double, self.lines, self.depth = arrays, words, double, [], 1
        self.free, self.made = {"array": [], "mask": []}, {"array": [], "mask": []}
        self.bound, self.numbers, self.functions = {}, {}, {}
        self.always_called = False  # whether there is a kernel that every block calls
        self.rare = {}  # name of a kernel for the rare side of ``pick`` -> (its arrays, its expression)

    def write_line(self, text):
        self.lines.append("    " * self.depth + text)

    def take(self, kind):
        """Return a free register, or a new one."""
        if not self.free[kind]:
            self.made[kind].append(f"{'rm'[kind == 'mask']}{len(self.made[kind])}_")
            return kind, self.made[kind][-1]
        return kind, self.free[kind].pop()

    def release(self, *values):
        for kind, name in values:
            if name in (*self.made.get(kind, ()), "to") and (kind, name) not in self.bound.values():
                self.free[kind].append(name)

    def write(self, node, to=None):
        """Write the steps of an expression and return its value, which is ``to`` if that is given."""
        if not self.is_array(node):
            value = self.take_number(ast.unparse(node))
        elif isinstance(node, ast.Name):
            value = self.bound.get(node.id) or ("array", node.id)
        else:
            return self.write_step(node, to)
        if to is None:
            return value
        self.write_line(f"copyto({to[1]}, {value[1]})")
        return to

    def take_number(self, text):
        if any(isinstance(n, ast.Constant) and type(n.value) not in (int, float) for n in ast.walk(ast.parse(text))):
            raise NoChain(text)
        return "number", self.numbers.setdefault(text, f"n{len(self.numbers)}_")

    def write_step(self, node, to):
        match node:
            case ast.BinOp(left=left, right=right, op=op) if type(op) in OPERATORS:
                return self.write_call(OPERATORS[type(op)], (left, right), to)
            case ast.UnaryOp(operand=operand, op=op) if type(op) in OPERATORS:
                return self.write_call(OPERATORS[type(op)], (operand,), to)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.write_call(OPERATORS[type(op)], (left, right), to, "mask")
            case ast.IfExp(test=test, body=yes, orelse=no) if not self.is_array(test):
                return self.write_case(self.take_number(ast.unparse(test)), yes, no, to)
            case ast.Call(func=ast.Name(id="pick"), args=[condition, rare, usual]):
                return self.write_pick(condition, rare, usual, to)
            case ast.Call(func=ast.Name(id="where"), args=[condition, yes, no]):
                return self.write_choice(condition, yes, no, to)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self.write_word(name, arguments, to)
        raise NoChain(ast.unparse(node))

    def write_word(self, name, arguments, to):
        """Write a word: a formula of other words, a function of NumPy, or an operator's kernel."""
        if name in FORMULAS and not (name in ("maximum", "minimum") and self.is_array(arguments[1])):
            parameters, text = FORMULAS[name]
            return self.write_formula(dict(zip(parameters.split(), arguments, strict=True)), text, to)
        if name in UFUNCS:
            return self.write_call(UFUNCS[name], arguments, to)
        if name in self.words:
            return self.write_function(name, self.words[name], arguments, to)
        op = OPS.get(name)
        if op is None or not op.parallel or op.returns_bool or op.outs:
            raise NoChain(name)
        if isinstance(op.kernel, np.ufunc):
            return self.write_call(op.kernel.__name__, arguments, to)
        return self.write_function(name, op.kernel, arguments, to)

    def write_function(self, name, kernel, arguments, to):
        """Call a kernel that is not a ufunc."""
        if self.double:
            if not hasattr(kernel, "double"):
                raise NoChain(name)
            return self.write_call(kernel.double.__name__, arguments, to)
        self.functions[f"{name}_"] = kernel
        self.always_called |= self.depth == 1
        values = [self.write(argument) for argument in arguments]
        if any(kind != "array" for kind, _ in values):
            raise NoChain(name)
        kind, room = to or self.take("array")  # apart from what the kernel reads
        self.release(*values)
        given = ", ".join(value for _, value in values)
        self.write_line(
            f"{name}_.write_into({room}, {given})"
            if hasattr(kernel, "write_into")
            else f"copyto({room}, {name}_({given}))"
        )
        return kind, room

    def is_array(self, node):
        return any(isinstance(n, ast.Name) and (n.id in self.arrays or n.id in self.bound) for n in ast.walk(node))

    def write_formula(self, arguments, text, to):
        """Write a formula with its parameters replaced by the arguments, which are computed once."""
        text, renamed = ast.parse(text, mode="eval").body, {}
        used = [n.id for n in ast.walk(text) if isinstance(n, ast.Name)]
        for parameter, argument in arguments.items():
            if used.count(parameter) > 1 and self.is_array(argument) and not isinstance(argument, ast.Name):
                name = f"p{len(self.bound)}_"
                self.bound[name] = self.write(argument)
                argument = ast.Name(name)
                renamed[name] = None
            arguments[parameter] = argument
        value = self.write(Replace(arguments).visit(text), to)
        self.unbind(renamed)
        return value

    def unbind(self, names):
        values = [self.bound.pop(name) for name in names]
        self.release(*values)

    def write_call(self, function, arguments, to, kind=None):
        """Call a ufunc; the result is a mask if its operands are masks.  ``to`` may serve as a register before."""
        spare = self.free["array"]
        if to:
            spare.append(to[1])
        values = [self.write(argument) for argument in arguments]
        compared = kind is not None
        kind = kind or ("mask" if all(value[0] == "mask" for value in values) else "array")
        if not compared and (kind == "array") == function.startswith("logical"):
            raise NoChain(function)
        self.release(*values)
        if to:
            spare[:] = [name for name in spare if name != to[1]]
        room = to or self.take(kind)
        given = ", ".join(name for _, name in values)
        self.write_line(f"{function}({given}, {'out=' * (function in BY_NAME)}{room[1]})")
        return room

    def write_case(self, number, yes, no, to):
        """Choose between two expressions by the truth of a number."""
        room = to or self.take("array")
        for head, side in ((f"if {number[1]}:", yes), ("else:", no)):
            self.write_line(head)
            self.depth += 1
            self.write(side, room)
            self.depth -= 1
        return room

    def write_choice(self, condition, yes, no, to):
        """Write ``where``; a block whose elements all choose the same side computes that side alone."""
        mask = self.write(condition)
        if mask[0] != "mask":
            raise NoChain(ast.unparse(condition))
        room = to or self.take("array")
        self.write_line(f"seen = {mask[1]}.tobytes()")
        for head, both, side in (("if NO not in seen:", 0, yes), ("elif YES not in seen:", 0, no), ("else:", 1, None)):
            self.write_line(head)
            self.depth += 1
            if both:
                self.write_blend(mask, yes, no, room)
            else:
                self.write(side, room)
            self.depth -= 1
        self.release(mask)
        return room

    def write_blend(self, mask, yes, no, room):
        zero = {ast.unparse(node): node for node in (yes, no)}.get("0")
        if zero is not None:
            value = self.write(yes if zero is no else no)
            other = mask
            if zero is yes:
                other = self.take("mask")
                self.write_line(f"logical_not({mask[1]}, {other[1]})")
                self.release(other)
            self.write_line(f"keep({other[1]}, {value[1]}, {room[1]})")
            self.release(value)
            return
        values = [self.write(yes), self.write(no)]
        self.write_line(f"choose({mask[1]}, {values[0][1]}, {values[1][1]}, {room[1]})")
        self.release(*values)

    def write_pick(self, condition, rare, usual, to):
        """Write ``pick``: the usual side for every element, the rare side only for the elements that choose it."""
        read = {n.id for n in ast.walk(rare) if isinstance(n, ast.Name)}
        names = [name for name in (*self.arrays, *self.bound) if name in read]
        function = f"rare{len(self.rare)}_"
        self.rare[function] = " ".join(names), ast.unparse(rare)
        mask, room = self.write(condition), to or self.take("array")
        self.write(usual, room)
        given = ", ".join(f"{self.bound.get(name, (0, name))[1]}[places]" for name in names)
        self.write_line(f"if YES in {mask[1]}.tobytes():")
        self.write_line(f"    places = {mask[1]}.nonzero() if {mask[1]}.ndim else {mask[1]}")
        self.write_line(f"    {room[1]}[places] = {function}({given})")
        self.release(mask)
        return room


def horner(x, coefficients):
    """Write a polynomial by Horner's rule, the highest power first."""
    first, second, *others = coefficients
    start = f"({x} + {second!r})" if first == 1 else f"({first!r} * {x} + {second!r})"
    return functools.reduce(lambda text, each: f"({text} * {x} + {each!r})", others, start)


POWER, UNIT = ("library_exp2", 1 / math.log(2)) if HAS_AVX512 else ("library_exp", 1.0)
"""With AVX-512 NumPy computes powers of two in half of the time of exponentials, elsewhere in several times as long."""


def exp_of_polynomial(x, coefficients, factor=None):
    """Return the text of the exponential of a polynomial, or of its product with a factor.

    The coefficients take the unit of the power.
    """
    exponent = horner(x, [each * UNIT for each in coefficients])
    return f"{POWER}({exponent})" if factor is None else f"{POWER}({exponent} * {factor})"


class Replace(ast.NodeTransformer):
    """Replacement of names by expressions."""

    def __init__(self, by):
        self.by = by

    def visit_Name(self, node):
        return self.by.get(node.id, node)
