"""Code on shapes only: evaluate an expression with stand-ins for its tensors, without running the user's code.

A stand-in has the shape and dtype of its tensor: zeros if all tensors together are small, otherwise a meta tensor,
which has no elements. Only operations of the engine, layers of torch.nn, optimizers, and a few Python functions are
called; anything else raises Unknown.
"""

import ast
import builtins
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

FEW = 100_000  # total elements up to which stand-ins have elements
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

OPERATIONS = ("<tensh ",)  # where an operator's code is from: generated, or in one of these modules
FUNCTIONS = ("tensh.engine.operators.", "tensh.engine.methods.creation.", "torch", "tensh.nn.functional", "tensh.nn.utils.rnn")  # fmt: skip
OUTWARD = ("torch.distributed", "torch.multiprocessing", "torch.onnx", "torch.hub", "torch.utils.tensorboard")
"""Namespaces whose functions reach beyond the process, and may not be called again."""
OF_STATE = ("torch.autograd", "torch.random")  # modules whose functions need graphs, or change the generator
PACKAGES = ("tensh", "torch")
PURE = ("math",)  # modules of Python whose functions may be called
CLASSES = ("nn", "optim")  # subpackages whose classes may be called
EXCHANGING = ("DistributedDataParallel", "SyncBatchNorm")  # classes of torch.nn that wait for other processes
MEMBERS = ("parameters", "modules", "children", "buffers", "state_dict")  # methods of modules without side effects
NEVER = ("manual_seed", "seed", "set_", "use_", "initial_seed", "save", "load", "backward", "from_file", "share_memory")
FIXED = (bool, int, float, list, tuple, types.MethodType, types.FunctionType)  # types whose attributes are not tensors
PLAIN = (bool, int, float, complex, str, type(None), slice, type(Ellipsis), Dtype, Size)
NAMES = "abs bool divmod enumerate float int len list max min pow range round sum tuple zip"
BUILTINS = {name: getattr(builtins, name) for name in NAMES.split()}


class Unknown(Exception):
    """Raised for an expression that cannot be evaluated without running the user's code."""


class StandIns:
    """Makes stand-ins for the user's values, one per value; ``grad`` tells whether graphs are recorded."""

    def __init__(self, values, grad=False):
        self.is_small = sum(t.numel() for t in {id(t): t for t in tensors_in(values)}.values()) <= FEW
        self.device = "cpu" if self.is_small else "meta"
        self.grad = grad
        self.made = {}

    def imitate(self, value):
        """Return the stand-in of a value; raise Unknown for one that may run the user's code."""
        if isinstance(value, Tensor):
            make = self.imitate_tensor
        elif is_layer(value):
            make = self.imitate_layer
        elif type(value) in (list, tuple):
            return type(value)(self.imitate(each) for each in value)
        elif is_small_dict(value):
            return {key: self.imitate(each) for key, each in value.items()}
        elif is_named_result(value):
            return type(value)([self.imitate(each) for each in value])
        elif isinstance(value, PLAIN) or is_tensh_value(value):
            return value
        elif type(value) is np.ndarray and value.dtype.kind in "biufc" and value.size <= FEW:
            return np.zeros(value.shape, value.dtype)
        else:
            raise Unknown
        found = self.made.get(id(value))
        return self.put(value, make(value)) if found is None else found

    def put(self, value, stand_in):
        """Register the stand-in of a value."""
        self.made[id(value)] = stand_in
        return stand_in

    def imitate_tensor(self, value):
        requires_grad = self.grad and value.requires_grad
        if is_number(value):  # a number may be a size
            return find_public("tensor")(value.item(), dtype=value.dtype, requires_grad=requires_grad)
        make = find_public("zeros" if self.is_small else "empty")
        return make(value.shape, dtype=value.dtype, requires_grad=requires_grad)

    def imitate_layer(self, layer):
        """Return a copy of a layer with stand-ins for its tensors, which a call may change."""
        return copy.deepcopy(layer, {id(t): self.imitate_tensor(t) for t in (*layer.parameters(), *layer.buffers())})

    @contextlib.contextmanager
    def computing(self):
        """A context for computing with stand-ins, which restores the state of the random number generator."""
        state = find_public("get_rng_state")()
        try:
            with warnings.catch_warnings(), set_grad_enabled(self.grad), find_public("device")(self.device):
                warnings.simplefilter("ignore")
                yield
        except Lift:  # elements of a meta tensor were needed
            raise Unknown from None
        finally:
            find_public("set_rng_state")(state)


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


def parse_statement(code):
    """Parse code that is a single statement; raise Unknown for others."""
    try:
        (statement,) = ast.parse(code.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unknown from None
    return statement


def canonical(text):
    """Normalise an expression by `ast.unparse`."""
    try:
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def operands(node):
    """Return the operands of the outermost operation of a statement."""
    if isinstance(node, ast.With):
        (node,) = node.body
    node = node.value if isinstance(node, ast.Expr) else node
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.AugAssign():
            return [node.target, node.value]
        case ast.Assign(targets=[ast.Subscript(value=owner)]):
            return [owner]
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
    """Yield the tensors among values, including those in lists and layers."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple) or is_small_dict(value):
            yield from tensors_in(value.values() if type(value) is dict else value)
        elif is_layer(value):
            yield from value.parameters()
            yield from value.buffers()


def is_small_dict(value):
    """Return True for a dict with names as keys, such as a batch with named parts."""
    return type(value) is dict and len(value) <= FEW and all(type(key) is str for key in value)


def is_number(t):
    """Return True for a tensor of a single whole number, without dimensions."""
    return (
        type(t) is Tensor and not t.dim() and not (t.is_floating_point() or t.is_complex() or t.is_meta or t.is_sparse)
    )


def is_tensh_value(value):
    """Return True for namespaces of tensh, operations of its engine, and classes of its layers and optimizers."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in PACKAGES or value.__name__ in PURE
    if isinstance(value, type):
        return is_from(value, *CLASSES)
    if isinstance(value, types.MethodType):
        own = is_module(value.__self__) and value.__name__ in MEMBERS and is_from(value, "nn")
        return own and (value.__name__ != "state_dict" or not any(map(has_hooks, value.__self__.modules())))
    if isinstance(value, types.BuiltinFunctionType):
        return value.__module__ in PURE
    code, name = getattr(value, "__code__", None), getattr(value, "__name__", "")
    if code is None or name.startswith(NEVER):
        return False
    space = getattr(value, "__module__", None) or ""
    is_apart = space.startswith(OUTWARD) or space in OF_STATE
    return not is_apart and (code.co_filename.startswith(OPERATIONS) or space.startswith(FUNCTIONS))


def is_from(value, *parts):
    """Return True if a class or function is defined in some subpackages of tensh."""
    package, _, rest = (getattr(value, "__module__", None) or "").partition(".")
    is_there = package in PACKAGES and rest.partition(".")[0] in parts
    return is_there and getattr(value, "__name__", "") not in EXCHANGING


def is_named_result(value):
    """Return True for the named tuples that torch functions return, such as that of `x.max(1)`."""
    return isinstance(value, tuple) and type(value).__module__ == "torch.return_types"


def is_module(value):
    return hasattr(type(value), "named_modules")


def is_layer(value):
    """Return True if a value is a layer or model consisting of torch.nn's own layers, without hooks."""
    if not is_module(value) or not isinstance(vars(value).get("_modules"), dict):
        return False
    return all(is_from(type(module), "nn") and not has_hooks(module) for module in value.modules())


def get_member(module, name):
    """Return a layer, parameter, buffer or plain attribute of a module, without running its code."""
    for own in (vars(module), *(vars(module).get(kind, {}) for kind in ("_modules", "_parameters", "_buffers"))):
        if name in own:
            return own[name]
    if name in MEMBERS and is_from(getattr(type(module), name), "nn"):
        return getattr(module, name)
    raise Unknown


def kept_in(node, names):
    """Return what an object of the user's keeps as an attribute, without running its code; None for other expressions."""
    owner = names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    kind = type(owner)
    if kind.__module__ != "__main__" or isinstance(owner, Tensor | type) or is_module(owner):
        return None
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return own.get(node.attr) if type(own) is dict else None


def has_hooks(module):
    return any(value for name, value in vars(module).items() if name.endswith("_hooks"))
