"""Code on shapes only: an expression evaluated with stand-ins for the tensors in it, so that nothing of the user's runs.

A stand-in has the dtype of its tensor and the shape, made small: a size beyond a few is replaced by a small one of its
own, the same everywhere, so that what fits still fits, and what does not still does not.  Only operations of the engine
and layers of torch.nn are called; whatever else an expression needs makes it Unknown.
"""

import ast
import contextlib
import operator
import types

import numpy as np

from tensh.engine import find_public
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import dtype as Dtype
from tensh.engine.dtypes.size import Size

FEW = 100_000  # elements of all tensors up to which the true sizes are taken
LARGEST = 11  # sizes up to it stay as they are
SMALL = (13, 17, 19, 23, 29, 31, 37, 41)  # what larger ones become: no products of each other

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

OPERATIONS = ("<tensh ",)  # where the code of an operator is: written by the engine, or a function of these modules
FUNCTIONS = ("tensh.engine.operators.", "tensh.engine.methods.creation.", "torch", "tensh.nn.functional")
NEVER = ("manual_seed", "seed", "set_", "use_", "initial_seed", "save", "load", "backward", "from_file", "share_memory")
PLAIN = (bool, int, float, complex, str, type(None), slice, type(Ellipsis), Dtype)


class Unknown(Exception):
    """An expression that cannot be evaluated without running the user's code."""


class Sizes:
    """Small sizes for large ones, and the way back."""

    def __init__(self, tensors):
        large = sum(t.array.size for t in tensors) > FEW
        sizes = sorted({size for t in tensors for size in t.shape if size > LARGEST}) if large else []
        self.small = dict(zip(sizes, SMALL, strict=False))
        self.large = {small: size for size, small in self.small.items()}
        self.possible = len(sizes) <= len(SMALL)

    def stand_in(self, t):
        shape = tuple(self.small.get(size, size) for size in t.shape)
        return wrap(np.zeros(shape, t.array.dtype))

    def back(self, shape):
        return [self.large.get(size, size) for size in shape]


class Shadow:
    """Evaluates expressions; ``known`` has what pieces of them are, ``names`` what names are."""

    def __init__(self, known, names):
        self.known = {canonical(text): value for text, value in known.items()}
        self.names = names
        tensors = [v for v in (*self.known.values(), *names.values()) if isinstance(v, Tensor)]
        self.sizes = Sizes(list({id(t): t for t in tensors}.values()))
        self.stand_ins = {}

    def value(self, code):
        """What a piece of code gives on shapes only."""
        if not self.sizes.possible:
            raise Unknown
        with no_grad(), kept_generator():
            return self.run(parsed(code))

    def run(self, node):
        if isinstance(node, ast.With):  # of no_grad, as fixes write it
            (node,) = node.body
        if isinstance(node, ast.Expr):
            node = node.value
        if isinstance(node, ast.AugAssign) and type(node.op) in IN_PLACE:
            return IN_PLACE[type(node.op)](self.of(node.target), self.of(node.value))
        return self.of(node)

    def shapes(self, node):
        """The true shapes of the tensors that an operation is given."""
        with no_grad(), kept_generator():
            values = [self.of(each) for each in operands(node)]
        flat = [v for value in values for v in (value if isinstance(value, list | tuple) else [value])]
        return [self.sizes.back(v.shape) for v in flat if isinstance(v, Tensor)]

    def of(self, node):
        text = ast.unparse(node)
        if text in self.known:
            return self.stand_in(self.known[text])
        method = getattr(self, type(node).__name__.lower(), None)
        if method is None:
            raise Unknown
        return method(node)

    def stand_in(self, value):
        """What stands for a value of the user's; Unknown for what may run his code."""
        if isinstance(value, Tensor):
            if id(value) not in self.stand_ins:
                self.stand_ins[id(value)] = self.sizes.stand_in(value)
            return self.stand_ins[id(value)]
        if type(value) in (list, tuple):
            return type(value)(self.stand_in(each) for each in value)
        if isinstance(value, Size):
            return Size([self.sizes.small.get(size, size) for size in value])
        if isinstance(value, PLAIN) or is_layer(value) or is_ours(value):
            return value
        raise Unknown

    # -- by the kinds of expressions --------------------------------------------------------------------

    def name(self, node):
        if node.id not in self.names:
            raise Unknown
        return self.stand_in(self.names[node.id])

    def constant(self, node):
        value = node.value
        return self.sizes.small.get(value, value) if type(value) is int else value

    def attribute(self, node):
        if node.attr.startswith(NEVER):
            raise Unknown
        owner = self.of(node.value)
        if not isinstance(owner, Tensor | types.ModuleType | Size | np.ndarray):
            raise Unknown
        found = getattr(owner, node.attr)
        if isinstance(owner, types.ModuleType) and not is_ours(found) and not isinstance(found, PLAIN):
            raise Unknown
        return found

    def binop(self, node):
        return BINARY[type(node.op)](self.of(node.left), self.of(node.right))

    def unaryop(self, node):
        if type(node.op) not in UNARY:
            raise Unknown
        return UNARY[type(node.op)](self.of(node.operand))

    def compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARED:
            raise Unknown
        return COMPARED[type(node.ops[0])](self.of(node.left), self.of(node.comparators[0]))

    def subscript(self, node):
        return self.of(node.value)[self.of(node.slice)]

    def slice(self, node):
        return slice(*(each and self.of(each) for each in (node.lower, node.upper, node.step)))

    def tuple(self, node):
        return tuple(self.of(each) for each in node.elts)

    def list(self, node):
        return [self.of(each) for each in node.elts]

    def call(self, node):
        function = self.of(node.func)
        if not callable(function):
            raise Unknown
        positional = [self.of(each) for each in node.args if not isinstance(each, ast.Starred)]
        if len(positional) < len(node.args) or any(each.arg is None for each in node.keywords):
            raise Unknown
        return function(*positional, **{each.arg: self.of(each.value) for each in node.keywords})


def parsed(code):
    """The statement that a piece of code is."""
    try:
        (statement,) = ast.parse(code.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unknown from None
    return statement


def canonical(text):
    """An expression as `ast.unparse` writes it."""
    try:
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def operands(node):
    """The expressions that the operation on top of a statement is given."""
    if isinstance(node, ast.With):
        (node,) = node.body
    node = node.value if isinstance(node, ast.Expr) else node
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.AugAssign():
            return [node.target, node.value]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Subscript():
            return [node.value]
        case ast.Call(func=ast.Attribute()):
            own = (
                []
                if ast.unparse(node.func.value) in ("torch", "F", "nn.functional", "torch.nn.functional")
                else [node.func.value]
            )
            return [*own, *node.args]
        case ast.Call():
            return list(node.args)
    return []


def is_ours(value):
    """Whether a value is a namespace of tensh or an operation of its engine."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in ("tensh", "torch")
    code = getattr(value, "__code__", None)
    name = getattr(value, "__name__", "")
    if code is None or name.startswith(NEVER):
        return False
    return code.co_filename.startswith(OPERATIONS) or (getattr(value, "__module__", None) or "").startswith(FUNCTIONS)


def is_layer(value):
    """Whether a value is a layer, or a model, of torch.nn's own layers, which calling changes nothing in."""
    if not hasattr(type(value), "named_modules"):
        return False
    return all(
        type(module).__module__.startswith("torch.nn.") and not has_state(module) and not has_hooks(module)
        for module in value.modules()
    )


def has_state(module):
    """Whether calling a layer may change something in it."""
    return any(buffer is not None for buffer in module._buffers.values())


def has_hooks(module):
    return any(getattr(module, name, None) for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"))


@contextlib.contextmanager
def kept_generator():
    """The user's random numbers go on as if nothing had been drawn within."""
    state = find_public("get_rng_state")()
    try:
        yield
    finally:
        find_public("set_rng_state")(state)
