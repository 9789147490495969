"""An interpreter of the code in files of TorchScript: a syntax tree of known nodes, and operators of known names.

Python parses the text and does no more with it. Names mean what this module says: ``self``, variables, ``torch.NAME`` for an operator of
``aten``, ``ops.prim.NAME`` and functions of the same file. A method is looked through before it first runs: what is not
known is refused as a whole, by its name.
"""

import ast
import math
import operator
from functools import cache

import tensh as torch
from tensh._aten.kernels import kernel_of
from tensh._aten.overloads import REQUIRED, schemas
from tensh.engine.core.tensor import Tensor
from tensh.jit.codes import DTYPES, FORMATS
from tensh.nn.modules.module import Module

DEEPEST = 60  # calls, one in the other


class Unknown(NotImplementedError):
    """Code of a file asks for what tensh does not run."""


class Class:
    """A class of a file: its methods, and the lists that it declares."""

    def __init__(self, tree):
        self.methods = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
        self.lists = {
            each.targets[0].id: [item.value for item in each.value.elts if isinstance(item, ast.Constant)]
            for each in tree.body
            if isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and isinstance(each.value, ast.List)
        }


class Library:
    """The code of a file: classes and functions by their full names."""

    def __init__(self, texts, constants):
        self.texts, self.constants = texts, constants
        self.classes, self.functions, self.checked, self.places = {}, {}, set(), {}
        for space, text in texts.items():
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # its classes are not known, and calls of them say so
            for each in tree.body:
                if isinstance(each, ast.ClassDef):
                    self.classes[f"{space}.{each.name}"] = Class(each)
                    self.places |= {
                        (f"{space}.{each.name}", name): (text, method)
                        for name, method in self.classes[f"{space}.{each.name}"].methods.items()
                    }
                elif isinstance(each, ast.FunctionDef):
                    self.functions[f"{space}.{each.name}"] = each

    def method(self, cls, name):
        """The tree of a method; None if there is none."""
        found = self.classes.get(cls)
        return found.methods.get(name) if found else None

    def text_of(self, cls, name):
        """The text of a method."""
        if (cls, name) not in self.places:
            raise AttributeError(f"{cls} has no method {name}")
        text, method = self.places[cls, name]
        lines = ast.get_source_segment(text, method).split("\n")
        return "\n".join([lines[0], *(line.removeprefix("  ") for line in lines[1:])]) + "\n"

    def require_known(self, tree):
        """Unknown where a function uses a node, or calls an operator, that is not known."""
        if id(tree) in self.checked:
            return
        local = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        for node in ast.walk(tree):
            if type(node) not in NODES:
                raise Unknown(
                    f"tensh does not run {type(node).__name__} in code of TorchScript (line {getattr(node, 'lineno', '?')})"
                )
            if isinstance(node, ast.Call) and join_path(node.func) not in local:
                self.require_call(node)
        self.checked.add(id(tree))

    def require_call(self, node):
        name = join_path(node.func)
        if (
            name is None
            or name.startswith("self.")
            or name in BUILTINS
            or name in self.functions
            or name in self.classes
        ):
            return
        space, _, last = name.rpartition(".")
        if space == "torch" and (last in schemas() or last in SCALARS or last in ADAPTED):
            return
        if space == "ops.prim" and last in PRIM:
            return
        if space.startswith("__torch__") or name == "torch.device":
            return  # looked up when it is called
        if space == "" or space in ("torch", "ops.prim") or space.startswith("ops."):
            raise Unknown(f"tensh does not run {name} of TorchScript (line {node.lineno})")


def join_path(node):
    """``a.b.c`` as text; None for another expression."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


NODES = {
    getattr(ast, name)
    for name in """FunctionDef arguments arg Return Assign AnnAssign Expr If For While Pass Break Continue Call Attribute Name Load Store Constant List
    Tuple Dict Subscript Slice BinOp UnaryOp Compare BoolOp IfExp keyword Add Sub Mult Div FloorDiv Mod USub UAdd Not And Or Eq NotEq Lt LtE Gt GtE Is IsNot
    In NotIn Starred Raise Assert Index""".split()
    if hasattr(ast, name)
}


class Return(Exception):
    """A function returns."""


class Broken(Exception):
    """A loop ends."""


class Continued(Exception):
    """A loop goes on."""


class Function:
    """A function of the file as a value."""

    def __init__(self, tree):
        self.tree = tree


class Frame:
    """A call: variables, and the library."""

    def __init__(self, library, depth):
        self.library, self.names, self.depth = library, {}, depth

    # -- statements -------------------------------------------------------------------------------------------
    def run(self, body):
        for each in body:
            getattr(self, f"do_{type(each).__name__}")(each)

    def do_Return(self, node):
        raise Return(None if node.value is None else self.value(node.value))

    def do_Assign(self, node):
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def do_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = list(value)
            if len(values) != len(target.elts):
                raise RuntimeError(f"Expected {len(target.elts)} elements in a list but found {len(values)}")
            for each, part in zip(target.elts, values):
                self.assign(each, part)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if not isinstance(owner, Module):
                raise Unknown("tensh does not set attributes of other objects than modules")
            set_member(owner, target.attr, value)
        elif isinstance(target, ast.Subscript):
            self.value(target.value)[self.value(target.slice)] = value
        else:
            raise Unknown(f"tensh does not assign to {type(target).__name__} in code of TorchScript")

    def do_Expr(self, node):
        self.value(node.value)

    def do_Pass(self, node):
        pass

    def do_If(self, node):
        self.run(node.body if as_bool(self.value(node.test)) else node.orelse)

    def do_For(self, node):
        for each in self.value(node.iter):
            self.assign(node.target, each)
            if self.loop_body(node.body):
                break

    def do_While(self, node):
        while as_bool(self.value(node.test)):
            if self.loop_body(node.body):
                break

    def loop_body(self, body):
        """Run a loop's body; True where the loop ends."""
        try:
            self.run(body)
        except Broken:
            return True
        except Continued:
            pass
        return False

    def do_Break(self, node):
        raise Broken

    def do_Continue(self, node):
        raise Continued

    def do_Raise(self, node):
        raise RuntimeError("The following operation failed in the TorchScript interpreter.")

    def do_Assert(self, node):
        if not as_bool(self.value(node.test)):
            raise AssertionError(self.value(node.msg) if node.msg is not None else "")

    # -- expressions ------------------------------------------------------------------------------------------
    def value(self, node):
        """The value of an expression."""
        return getattr(self, f"get_{type(node).__name__}")(node)

    def get_Constant(self, node):
        return node.value

    def get_Name(self, node):
        if node.id in self.names:
            return self.names[node.id]
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        raise RuntimeError(f"code of TorchScript uses {node.id}, which nothing has set")

    def get_Attribute(self, node):
        if join_path(node) in self.library.functions:
            return Function(self.library.functions[join_path(node)])
        if isinstance(node.value, ast.Name) and node.value.id == "CONSTANTS":
            return self.library.constants[int(node.attr.removeprefix("c"))]
        return member(self.value(node.value), node.attr)

    def get_List(self, node):
        return [self.value(each) for each in node.elts]

    def get_Tuple(self, node):
        return tuple(self.value(each) for each in node.elts)

    def get_Dict(self, node):
        return {self.value(key): self.value(each) for key, each in zip(node.keys, node.values)}

    def get_Subscript(self, node):
        owner = self.value(node.value)
        if not isinstance(owner, (list, tuple, dict, str, Tensor)):
            raise Unknown(f"tensh does not take elements of {type(owner).__name__}")
        return owner[self.value(node.slice)]

    def get_Slice(self, node):
        return slice(*(None if each is None else self.value(each) for each in (node.lower, node.upper, node.step)))

    def get_BinOp(self, node):
        return BINARY[type(node.op)](self.value(node.left), self.value(node.right))

    def get_UnaryOp(self, node):
        return UNARY[type(node.op)](self.value(node.operand))

    def get_Compare(self, node):
        left = self.value(node.left)
        for op, right in zip(node.ops, node.comparators):
            right = self.value(right)
            if not as_bool(COMPARE[type(op)](left, right)):
                return False
            left = right
        return True

    def get_BoolOp(self, node):
        found = None
        for each in node.values:
            found = self.value(each)
            if as_bool(found) is isinstance(node.op, ast.Or):
                break
        return found

    def get_IfExp(self, node):
        return self.value(node.body if as_bool(self.value(node.test)) else node.orelse)

    def get_Call(self, node):
        name = join_path(node.func)
        if name in TYPED and name not in self.names:  # the first argument is a type
            return None if name == "uninitialized" else self.value(node.args[1])
        args = [
            part
            for each in node.args
            for part in (self.value(each.value) if isinstance(each, ast.Starred) else [self.value(each)])
        ]
        kwargs = {each.arg: self.value(each.value) for each in node.keywords}
        if name in BUILTINS and name not in self.names:
            return BUILTINS[name](*args, **kwargs)
        if isinstance(self.names.get(name), Function):
            return call_function(self.library, self.names[name].tree, args, kwargs, self.depth + 1)
        if name in self.library.functions:
            return call_function(self.library, self.library.functions[name], args, kwargs, self.depth + 1)
        if name is not None and name.partition(".")[0] not in self.names:
            space, _, last = name.rpartition(".")
            if space == "torch":
                return call_operator(last, args, kwargs)
            if space == "ops.prim" and last in PRIM:
                return PRIM[last](*args, **kwargs)
            raise Unknown(f"tensh does not run {name} of TorchScript")
        return self.call_method(node.func, args, kwargs)

    def call_method(self, func, args, kwargs):
        """A call of a method of a module of the file."""
        if not isinstance(func, ast.Attribute):
            raise Unknown("tensh does not call computed functions in code of TorchScript")
        owner = self.value(func.value)
        if isinstance(owner, Module) and hasattr(owner, "_library"):
            return run_method(owner, func.attr, args, kwargs, self.depth + 1)
        if isinstance(owner, dict) and func.attr in ("keys", "values", "items", "get"):
            return getattr(owner, func.attr)(*args)
        if isinstance(owner, list) and func.attr in ("append", "extend", "pop"):
            return getattr(owner, func.attr)(*args)
        raise Unknown(f"tensh does not call {func.attr} of {type(owner).__name__} in code of TorchScript")


def as_bool(value):
    return bool(value)


def member(owner, name):
    """An attribute: of a module of the file, or a fact of a tensor."""
    if isinstance(owner, Module) and "_library" in owner.__dict__:
        for table in (owner._parameters, owner._buffers, owner._modules, owner.__dict__.get("_attributes", {})):
            if name in table:
                return table[name]
        if name == "training":
            return owner.training
        raise AttributeError(f"{owner._class} has no attribute {name}")
    if isinstance(owner, Tensor) and name in FACTS:
        return getattr(owner, name)
    if isinstance(owner, tuple) and hasattr(owner, "_fields") and name in owner._fields:
        return getattr(owner, name)
    raise Unknown(f"tensh does not read {name} of {type(owner).__name__} in code of TorchScript")


FACTS = frozenset("shape dtype device requires_grad is_cuda is_sparse layout ndim T mT real imag".split())


def set_member(owner, name, value):
    """Set an attribute of a module of the file."""
    for table in (owner._parameters, owner._buffers, owner.__dict__.setdefault("_attributes", {})):
        if name in table:
            table[name] = value
            return
    owner.__dict__["_attributes"][name] = value


BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
CONSTANTS = {"inf": math.inf, "nan": math.nan, "True": True, "False": False, "None": None}
TYPED = frozenset("annotate unchecked_cast uninitialized".split())


def get_attribute(owner, name):
    return member(owner, name)


def small_range(*args):
    return range(*map(int, args))


BUILTINS = {
    "int": lambda value: int(value), "float": lambda value: float(value), "bool": lambda value: bool(value), "str": lambda value: str(value)[:10_000],
    "len": len, "range": small_range, "getattr": get_attribute, "annotate": None, "unchecked_cast": None, "uninitialized": None,
    "isinstance": lambda value, kind: True, "print": lambda *values: None, "zip": zip, "enumerate": enumerate, "min": min, "max": max,
    "abs": abs, "list": list,
}  # fmt: skip


def raise_exception(message="", *ignored):
    raise RuntimeError(f"The following operation failed in the TorchScript interpreter.\n{message}")


PRIM = {
    "NumToTensor": torch.tensor, "dtype": lambda t: DTYPES[str(t.dtype)[6:]], "device": lambda t: t.device, "shape": lambda t: list(t.shape),
    "RaiseException": raise_exception, "requires_grad": lambda t: t.requires_grad, "is_cuda": lambda t: False, "min": min, "max": max,
    "TupleIndex": lambda values, place: values[place], "unchecked_unwrap_optional": lambda value: value, "layout": lambda t: 0,
    "abs": abs, "grad": lambda t: t.grad, "data": lambda t: t.detach(), "tolist": lambda t, *ignored: t.tolist(), "id": id,
}  # fmt: skip


def append(values, value):
    values.append(value)
    return values


SCALARS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floordiv": operator.floordiv, "remainder": operator.mod,
    "neg": operator.neg, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "__is__": lambda a, b: a is b, "__isnot__": lambda a, b: a is not b, "__not__": operator.not_, "__and__": lambda a, b: a and b,
    "__or__": lambda a, b: a or b, "__xor__": operator.xor, "len": len, "append": append, "__getitem__": lambda values, place: values[place],
    "__contains__": lambda values, value: value in values, "floor": math.floor, "ceil": math.ceil, "sqrt": math.sqrt, "pow": operator.pow,
    "Int": int, "Float": float, "Bool": bool, "str": str, "extend": lambda a, b: a.extend(b), "slice": lambda values, *bounds: values[slice(*bounds)],
    "list": list, "dict": dict, "keys": lambda table: list(table), "values": lambda table: list(table.values()), "items": lambda table: list(table.items()),
    "copy": lambda values: values.copy(), "min": min, "max": max, "round": round, "abs": abs, "size": lambda t, *dim: t.size(*dim) if dim else list(t.shape),
    "dim": lambda t: t.dim(), "numel": lambda t: t.numel(), "is_floating_point": lambda t: t.is_floating_point(), "format": lambda text, *values: str(text),
    "warn": lambda *values, **options: None, "device": torch.device, "_set_item": operator.setitem, "exp": math.exp, "log": math.log, "item": lambda t: t.item(),
    "ScalarImplicit": lambda t: t.item(), "IntImplicit": lambda t: int(t), "FloatImplicit": lambda t: float(t), "insert": lambda values, at, value: values.insert(at, value),
    "pop": lambda values, *at: values.pop(*at), "reverse": lambda values: values.reverse(), "is_nonzero": bool, "get_device": lambda t: t.get_device(),
    "is_grad_enabled": torch.is_grad_enabled, "tensor": torch.tensor, "as_tensor": torch.as_tensor, "Complex": complex,
}  # fmt: skip
"""Operators on numbers, lists and texts, and facts of tensors."""
FACT_NAMES = frozenset(
    "size dim numel is_floating_point len item Int Float Bool ScalarImplicit IntImplicit FloatImplicit is_nonzero get_device __is__ __isnot__ __not__ append".split()
)


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, *settings):
    dims = weight.dim() - 2
    if transposed:
        function = getattr(torch.nn.functional, f"conv_transpose{dims}d")
        return function(
            input, weight, bias, tuple(stride), tuple(padding), tuple(output_padding), groups, tuple(dilation)
        )
    return getattr(torch.nn.functional, f"conv{dims}d")(
        input, weight, bias, tuple(stride), tuple(padding), tuple(dilation), groups
    )


def resize(mode):
    """An operator ``upsample_...`` in terms of ``interpolate``: sizes, scales and corners stand where they stand in its overloads."""

    def function(input, output_size, *settings):
        settings = list(settings)
        align = settings.pop(0) if mode in ("linear", "bilinear", "bicubic", "trilinear") else None
        if output_size is not None:
            return torch.nn.functional.interpolate(input, tuple(output_size), mode=mode, align_corners=align)
        factors = settings[0] if isinstance(settings[0], list) else settings
        return torch.nn.functional.interpolate(input, scale_factor=tuple(factors), mode=mode, align_corners=align)

    return function


ADAPTED = {
    "_convolution": convolution, "upsample_nearest1d": resize("nearest"), "upsample_nearest2d": resize("nearest"), "upsample_nearest3d": resize("nearest"),
    "upsample_linear1d": resize("linear"), "upsample_bilinear2d": resize("bilinear"), "upsample_bicubic2d": resize("bicubic"),
    "upsample_trilinear3d": resize("trilinear"), "dropout": lambda input, p, train: torch.nn.functional.dropout(input, p, train),
    "dropout_": lambda input, p, train: torch.nn.functional.dropout(input, p, train, inplace=True),
}  # fmt: skip
"""Operators of which tensh has no function with the same parameters."""


def call_operator(name, args, kwargs):
    """The result of an operator of ``aten``; of one on numbers, where no tensor is given."""
    if name in ADAPTED:
        return ADAPTED[name](*args, **kwargs)
    if name in ("tensor", "as_tensor"):
        return (
            torch.as_tensor(*args[:1], dtype=dtype_of(args[1] if len(args) > 1 else kwargs.get("dtype")))
            if args
            else None
        )
    tensors = any(
        isinstance(each, Tensor) or isinstance(each, (list, tuple)) and any(isinstance(part, Tensor) for part in each)
        for each in (*args, *kwargs.values())
    )
    if name in SCALARS and (
        name in FACT_NAMES
        or not tensors
        or name in ("append", "__getitem__", "__contains__", "list", "slice")
        and not isinstance(args[0], Tensor)
    ):
        return SCALARS[name](*args)
    for overload in schemas().get(name, {}).values():
        try:
            positional, named = overload.bind(*convert(overload, args, kwargs))
            kernel = kernel_of(overload)
        except (TypeError, KeyError, IndexError, NotImplementedError):
            continue
        result = kernel(*positional, **named)
        return list(result) if name in LISTS and isinstance(result, tuple) else result
    if name == "warn":
        return None
    raise Unknown(f"tensh has no operator aten::{name} for these arguments in code of TorchScript")


LISTS = frozenset("chunk split split_with_sizes unbind tensor_split".split())


@cache
def dtypes():
    return {
        number: getattr(torch, name)
        for name, number in DTYPES.items()
        if isinstance(getattr(torch, name, None), torch.dtype)
    }


def dtype_of(value):
    return dtypes().get(value, value) if type(value) is int else value


FORMAT_NAMES = {number: getattr(torch, name[6:]) for name, number in FORMATS.items() if number or "contiguous" in name}


def convert(overload, args, kwargs):
    """(args, kwargs) with dtypes, layouts and memory formats in the place of their numbers, without what is None by default."""
    parameters = overload.parameters
    places = [p for p in parameters if not p.named]
    if len(args) > len(places):
        raise TypeError
    given = dict(zip((p.name for p in places), args)) | kwargs
    found = {}
    for p in parameters:
        if p.name not in given:
            continue
        value = given[p.name]
        if p.kind == "ScalarType":
            value = dtype_of(value)
        elif p.kind in ("Layout", "Device", "MemoryFormat") or p.name == "pin_memory":
            if p.kind == "MemoryFormat" and value in FORMAT_NAMES:
                value = FORMAT_NAMES[value]
            elif p.default is not REQUIRED or p.optional:
                continue
        elif value is None and p.list and p.default is not REQUIRED and not p.optional:
            continue
        found[p.name] = value
    positional = []
    for p in places:
        if p.name not in found:
            break
        positional.append(found.pop(p.name))
    return tuple(positional), found


# ── calls ────────────────────────────────────────────────────────────────────
def call_function(library, tree, args, kwargs, depth):
    """The result of a function or a method of the file."""
    if depth > DEEPEST:
        raise RecursionError("code of TorchScript calls itself without end")
    library.require_known(tree)
    frame = Frame(library, depth)
    names = [each.arg for each in tree.args.args]
    if len(args) > len(names):
        raise RuntimeError(
            f"{tree.name}() expected at most {len(names)} argument(s) but received {len(args)} argument(s)."
        )
    defaults = dict(zip(reversed(names), reversed(tree.args.defaults)))
    given = dict(zip(names, args)) | kwargs
    for name in names:
        if name in given:
            frame.names[name] = given[name]
        elif name in defaults:
            frame.names[name] = frame.value(defaults[name])
        else:
            raise RuntimeError(f"{tree.name}() is missing value for argument '{name}'.")
    if unknown := [name for name in kwargs if name not in names]:
        raise RuntimeError(f"Unknown keyword argument '{unknown[0]}' for operator '{tree.name}'.")
    try:
        frame.run(tree.body)
    except Return as found:
        return found.args[0]
    return None


def run_method(module, name, args, kwargs, depth=0):
    """The result of a method of a module of a file.  NotImplementedError for what is not known in it."""
    tree = module._library.method(module._class, name)
    if tree is None:
        raise Unknown(f"the code of {module._class} has no method {name} that tensh can read")
    return call_function(module._library, tree, (module, *args), kwargs, depth)
