"""Code on shapes only: evaluate an expression with stand-ins for its tensors, so that none of the user's code runs.

A stand-in has the shape and the dtype of its tensor: zeros where all tensors together are small, otherwise a tensor of
device meta, which has no elements.  Only operations of the engine, layers of torch.nn, optimizers, and a few functions of
Python's are called; whatever else an expression needs makes it Unknown.
"""

import ast
import contextlib
import copy
import operator
import types
import warnings

import numpy as np

from tensh.engine import find_public
from tensh.engine.autograd.modes import set_grad_enabled
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import dtype as Dtype
from tensh.engine.dtypes.size import Size

FEW = 100_000  # elements of all tensors up to which stand-ins have elements
FEW_TURNS = 3  # of a comprehension

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
FUNCTIONS = (
    "tensh.engine.operators.",
    "tensh.engine.methods.creation.",
    "torch",
    "tensh.nn.functional",
    "tensh.nn.utils.rnn",
)
PACKAGES = ("tensh", "torch")
CLASSES = ("nn", "optim")  # the parts of a package whose classes may be called
MEMBERS = ("parameters", "modules", "children", "buffers", "state_dict")  # methods of modules that change nothing
NEVER = ("manual_seed", "seed", "set_", "use_", "initial_seed", "save", "load", "backward", "from_file", "share_memory")
FIXED = (bool, int, float, list, tuple, types.MethodType, types.FunctionType)  # types whose attributes are not tensors
PLAIN = (bool, int, float, complex, str, type(None), slice, type(Ellipsis), Dtype, Size)
BUILTINS = {
    each.__name__: each for each in (abs, bool, enumerate, float, int, len, list, max, min, range, sum, tuple, zip)
}


class Unknown(Exception):
    """An expression that cannot be evaluated without running the user's code."""


class StandIns:
    """Make stand-ins for the user's values, one for each value; ``grad`` says whether graphs are recorded."""

    def __init__(self, values, grad=False):
        self.is_small = sum(t.numel() for t in {id(t): t for t in tensors_in(values)}.values()) <= FEW
        self.device = "cpu" if self.is_small else "meta"
        self.grad = grad
        self.made = {}

    def imitate(self, value):
        """Make the stand-in of a value; Unknown for one that may run the user's code."""
        if isinstance(value, Tensor):
            make = self.imitate_tensor
        elif is_layer(value):
            make = self.imitate_layer
        elif type(value) in (list, tuple):
            return type(value)(self.imitate(each) for each in value)
        elif is_named_result(value):
            return type(value)([self.imitate(each) for each in value])
        elif isinstance(value, PLAIN) or is_ours(value):
            return value
        elif type(value) is np.ndarray and value.dtype.kind in "biufc" and value.size <= FEW:
            return np.zeros(value.shape, value.dtype)
        else:
            raise Unknown
        found = self.made.get(id(value))
        return self.put(value, make(value)) if found is None else found

    def put(self, value, stand_in):
        """Make something stand for a value."""
        self.made[id(value)] = stand_in
        return stand_in

    def imitate_tensor(self, value):
        make = find_public("zeros" if self.is_small else "empty")
        return make(value.shape, dtype=value.dtype, requires_grad=self.grad and value.requires_grad)

    def imitate_layer(self, layer):
        """A copy of a layer over stand-ins, which a call may change."""
        return copy.deepcopy(layer, {id(t): self.imitate_tensor(t) for t in (*layer.parameters(), *layer.buffers())})

    @contextlib.contextmanager
    def computing(self):
        """Compute with stand-ins within: the user's random numbers go on as if nothing had been drawn."""
        state = find_public("get_rng_state")()
        try:
            with warnings.catch_warnings(), set_grad_enabled(self.grad), find_public("device")(self.device):
                warnings.simplefilter("ignore")
                yield
        except Lift:  # elements are asked for where there are none
            raise Unknown from None
        finally:
            find_public("set_rng_state")(state)


class Shadow:
    """Evaluates expressions; ``known`` has what pieces of them are, ``names`` what names are."""

    def __init__(self, known, names, grad=False):
        self.known = {canonical(text): value for text, value in known.items()}
        self.names = names
        self.stand_ins = StandIns([*self.known.values(), *names.values()], grad)

    def value(self, code):
        """Run a piece of code on shapes only."""
        return self.evaluate(parse_statement(code))

    def evaluate(self, node):
        """Run a statement or an expression on shapes only."""
        with self.stand_ins.computing():
            return self.run(node)

    def run(self, node):
        if isinstance(node, ast.With):  # of no_grad, as fixes write it
            (node,) = node.body
        if isinstance(node, ast.Expr):
            node = node.value
        if isinstance(node, ast.AugAssign) and type(node.op) in IN_PLACE:
            return IN_PLACE[type(node.op)](self.compute(node.target), self.compute(node.value))
        return self.compute(node)

    def shapes(self, node):
        """The shapes of the tensors that an operation is given."""
        values = []
        for each in operands(node):
            with self.stand_ins.computing(), contextlib.suppress(Unknown):  # such as the owner of a layer
                values.append(self.compute(each))
        flat = [v for value in values for v in (value if isinstance(value, list | tuple) else [value])]
        return [list(v.shape) for v in flat if isinstance(v, Tensor)]

    def compute(self, node):
        text = ast.unparse(node)
        if text in self.known:
            with contextlib.suppress(Unknown):  # such as a generator, whose parts can be known
                return self.stand_ins.imitate(self.known[text])
        method = getattr(self, type(node).__name__.lower(), None)
        if method is None:
            raise Unknown
        return method(node)

    # ── by the kinds of expressions ──────────────────────────────────────────

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
            return self.stand_ins.imitate(member(self.names[node.value.id], node.attr))
        owner = self.compute(node.value)
        if is_module(owner):
            return member(owner, node.attr)
        if isinstance(owner, FIXED):
            getattr(owner, node.attr)  # fails as the user's code would
        if not isinstance(owner, Tensor | types.ModuleType | np.ndarray):
            raise Unknown
        found = getattr(owner, node.attr)
        if isinstance(owner, types.ModuleType) and not is_ours(found) and not isinstance(found, PLAIN):
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
        """The elements for the first few turns."""
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
        """Return the names with another value for one of them."""
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


def parse_statement(code):
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


def tensors_in(values):
    """The tensors among values, in lists of them, and of layers."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple):
            yield from tensors_in(value)
        elif is_layer(value):
            yield from value.parameters()
            yield from value.buffers()


def is_ours(value):
    """True if a value is a namespace of tensh, an operation of its engine, or a class of its layers or optimizers."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in PACKAGES
    if isinstance(value, type):
        return is_from(value, *CLASSES)
    if isinstance(value, types.MethodType):
        return is_module(value.__self__) and value.__name__ in MEMBERS and is_from(value, "nn")
    code = getattr(value, "__code__", None)
    name = getattr(value, "__name__", "")
    if code is None or name.startswith(NEVER):
        return False
    return code.co_filename.startswith(OPERATIONS) or (getattr(value, "__module__", None) or "").startswith(FUNCTIONS)


def is_from(value, *parts):
    """True if a class or a function was written in some parts of tensh."""
    package, _, rest = (getattr(value, "__module__", None) or "").partition(".")
    return package in PACKAGES and rest.partition(".")[0] in parts


def is_named_result(value):
    """True for the named tuples that functions of torch give, such as that of `x.max(1)`."""
    return isinstance(value, tuple) and type(value).__module__ == "torch.return_types"


def is_module(value):
    return hasattr(type(value), "named_modules")


def is_layer(value):
    """True if a value is a layer, or a model, of torch.nn's own layers, without hooks."""
    if not is_module(value) or not isinstance(vars(value).get("_modules"), dict):
        return False
    return all(is_from(type(module), "nn") and not has_hooks(module) for module in value.modules())


def member(module, name):
    """A layer, a parameter, a buffer, or a plain attribute of a module, without running code of its class."""
    for own in (vars(module), *(vars(module).get(kind, {}) for kind in ("_modules", "_parameters", "_buffers"))):
        if name in own:
            return own[name]
    if name in MEMBERS and is_from(getattr(type(module), name), "nn"):
        return getattr(module, name)
    raise Unknown


def has_hooks(module):
    return any(getattr(module, name, None) for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"))
