"""An interpreter for the code in TorchScript files, which walks the syntax tree.

The meaning of names is given by ``operators``: ``self``, variables, ``torch.NAME`` for an operator of ``aten``,
``ops.prim.NAME``, and functions of the same file.
"""

import ast
import contextlib
import enum
import math
import operator
import threading

from tensh.engine.core.tensor import Tensor
from tensh.futures import Future
from tensh.jit.files.library import join_path
from tensh.jit.files.objects import ScriptInstance, adopt_enums
from tensh.jit.files.operators import (
    BUILTINS,
    CONTEXTS,
    MOST_WRITTEN,
    PRIM,
    TYPED,
    Unknown,
    call_operator,
    read_attribute,
    set_attribute,
)
from tensh.jit.files.type_tests import has_type
from tensh.nn.modules.module import Module

DEEPEST = 60  # maximum depth of nested calls


class Return(Exception):
    """Raised to leave a function with a result."""


class BreakLoop(Exception):
    """Raised to leave a loop."""


class ContinueLoop(Exception):
    """Raised to continue with the next iteration of a loop."""


class Function:
    """A function of the file as a value."""

    def __init__(self, tree):
        self.tree = tree


class Task:
    """A function without parameters within another one, which ``fork`` runs."""

    def __init__(self, body):
        self.body = body


class Frame:
    """A call frame: variables, the library, and the function that runs."""

    def __init__(self, library, tree, depth):
        self.library, self.tree, self.variables, self.depth = library, tree, {}, depth

    def leave(self, value):
        """Return the result of the function as its caller gets it."""
        return value

    # ── statements ───────────────────────────────────────────────────────────
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
            self.variables[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = list(value)
            if len(values) != len(target.elts):
                raise RuntimeError(f"Expected {len(target.elts)} elements in a list but found {len(values)}")
            for each, part in zip(target.elts, values):
                self.assign(each, part)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, ScriptInstance):
                owner._attributes[target.attr] = value
                return
            if not isinstance(owner, Module):
                raise Unknown("tensh sets attributes of modules only")
            set_attribute(owner, target.attr, value)
        elif isinstance(target, ast.Subscript):
            self.value(target.value)[self.value(target.slice)] = value
        else:
            raise Unknown(f"tensh does not assign to {type(target).__name__} in TorchScript code")

    def do_Expr(self, node):
        self.value(node.value)

    def do_Pass(self, node):
        pass

    def do_FunctionDef(self, node):
        self.variables[node.name] = Task(node.body)

    def run_task(self, task):
        """Return the result of a task, which is run at once, as a future."""
        if not isinstance(task, Task):
            raise Unknown("tensh runs functions without parameters as tasks only")
        made = Future()
        try:
            self.run(task.body)
        except Return as found:
            made.set_result(found.args[0])
        return made

    def do_If(self, node):
        self.run(node.body if bool(self.value(node.test)) else node.orelse)

    def do_For(self, node):
        for each in self.value(node.iter):
            self.assign(node.target, each)
            if self.loop_body(node.body):
                break

    def do_While(self, node):
        while bool(self.value(node.test)):
            if self.loop_body(node.body):
                break

    def loop_body(self, body):
        """Run the body of a loop; return True if the loop ends."""
        try:
            self.run(body)
        except BreakLoop:
            return True
        except ContinueLoop:
            pass
        return False

    def do_Break(self, node):
        raise BreakLoop

    def do_Continue(self, node):
        raise ContinueLoop

    def do_With(self, node):
        with contextlib.ExitStack() as stack:
            for each in node.items:
                context = self.value(each.context_expr)
                if isinstance(context, ScriptInstance):
                    self.enter(context, stack)
                    continue
                if not isinstance(context, tuple(CONTEXTS.values())):
                    raise Unknown(f"tensh does not enter a {type(context).__name__} in TorchScript code")
                stack.enter_context(context)
            self.run(node.body)

    def enter(self, owner, stack):
        """Enter an instance of a class of the file as a context, which ``stack`` leaves."""
        run_method(owner, "__enter__", (), {}, self.depth + 1)
        stack.callback(lambda: run_method(owner, "__exit__", (None, None, None), {}, self.depth + 1))

    def do_Raise(self, node):
        raise RuntimeError("The following operation failed in the TorchScript interpreter.")

    def do_Assert(self, node):
        if not bool(self.value(node.test)):
            raise AssertionError(self.value(node.msg) if node.msg is not None else "")

    # ── expressions ──────────────────────────────────────────────────────────
    def value(self, node):
        """Return the value of an expression."""
        return getattr(self, f"get_{type(node).__name__}")(node)

    def get_Constant(self, node):
        return node.value

    def get_Name(self, node):
        if node.id in self.variables:
            return self.variables[node.id]
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        raise RuntimeError(f"the TorchScript code uses {node.id} before it is set")

    def get_Attribute(self, node):
        if join_path(node) in self.library.functions:
            return Function(self.library.functions[join_path(node)])
        if isinstance(node.value, ast.Name) and node.value.id == "CONSTANTS":
            return self.library.constants[int(node.attr.removeprefix("c"))]
        if (cls := self.library.enums.get(join_path(node.value))) is not None:
            return cls[node.attr]
        owner = self.value(node.value)
        if isinstance(owner, ScriptInstance):
            return getattr(owner, node.attr)
        if isinstance(owner, enum.Enum) and node.attr in ("name", "value"):
            return getattr(owner, node.attr)
        return read_attribute(owner, node.attr)

    def get_List(self, node):
        return [self.value(each) for each in node.elts]

    def get_Tuple(self, node):
        return tuple(self.value(each) for each in node.elts)

    def get_Dict(self, node):
        return {self.value(key): self.value(each) for key, each in zip(node.keys, node.values)}

    def get_Subscript(self, node):
        owner = self.value(node.value)
        if isinstance(owner, Module):  # a container, from which a script chooses
            return read_attribute(owner, str(self.value(node.slice)))
        if not isinstance(owner, (list, tuple, dict, str, Tensor)):
            raise Unknown(f"tensh does not index a {type(owner).__name__}")
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
            if not bool(COMPARE[type(op)](left, right)):
                return False
            left = right
        return True

    def get_BoolOp(self, node):
        found = None
        for each in node.values:
            found = self.value(each)
            if bool(found) is isinstance(node.op, ast.Or):
                break
        return found

    def get_IfExp(self, node):
        return self.value(node.body if bool(self.value(node.test)) else node.orelse)

    def get_Call(self, node):
        name = join_path(node.func)
        if name in TYPED and name not in self.variables:  # an argument is a type
            if name == "isinstance":
                return has_type(self.value(node.args[0]), node.args[1])
            return None if name == "uninitialized" else self.value(node.args[1])
        if name in CONTEXTS:
            return CONTEXTS[name]()
        if name is not None and name.endswith(".__new__") and name.removesuffix(".__new__") in self.library.classes:
            return ScriptInstance(name.removesuffix(".__new__"), self.library, {})
        args = [
            part
            for each in node.args
            for part in (self.value(each.value) if isinstance(each, ast.Starred) else [self.value(each)])
        ]
        kwargs = {each.arg: self.value(each.value) for each in node.keywords}
        return self.call(node.func, name, args, kwargs)

    def call(self, func, name, args, kwargs):
        """Call what an expression names; ``name`` is its path, or None."""
        if name == "fork" and name not in self.variables:
            return self.run_task(*args)
        if name in BUILTINS and name not in self.variables:
            return BUILTINS[name](*args, **kwargs)
        if isinstance(self.variables.get(name), Function):
            return call_function(self.library, self.variables[name].tree, args, kwargs, self.depth + 1)
        if name in self.library.functions:
            return call_function(self.library, self.library.functions[name], args, kwargs, self.depth + 1)
        if name in self.library.tuples:
            return self.library.tuples[name](*args, **kwargs)
        if name is not None and name.partition(".")[0] not in self.variables:
            space, _, last = name.rpartition(".")
            if space == "torch":
                return call_operator(last, args, kwargs)
            if space == "ops.prim" and last in PRIM:
                return PRIM[last](*args, **kwargs)
            raise Unknown(f"tensh does not run {name} of TorchScript")
        return self.call_method(func, args, kwargs)

    def call_method(self, func, args, kwargs):
        """Call a method of a module of the file."""
        if not isinstance(func, ast.Attribute):
            raise Unknown("tensh does not call computed functions in TorchScript code")
        owner = self.value(func.value)
        if func.attr == "__init__" and isinstance(owner, tuple(CONTEXTS.values())):
            return owner.__init__(*args)
        if isinstance(owner, ScriptInstance) or isinstance(owner, Module) and hasattr(owner, "_library"):
            return run_method(owner, func.attr, args, kwargs, self.depth + 1)
        if isinstance(owner, Tensor) and func.attr == "tolist" and owner.numel() <= MOST_WRITTEN:
            return owner.tolist()
        if isinstance(owner, dict) and func.attr in ("keys", "values", "items", "get"):
            return getattr(owner, func.attr)(*args)
        if isinstance(owner, list) and func.attr in ("append", "extend", "pop"):
            return getattr(owner, func.attr)(*args)
        raise Unknown(f"tensh does not call {type(owner).__name__}.{func.attr} in TorchScript code")


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


class Interpreting(threading.local):
    """The class of frames in which a thread runs code of files."""

    frame = Frame


interpreting = Interpreting()


def call_function(library, tree, args, kwargs, depth):
    """Call a function or a method of the file."""
    if depth > DEEPEST:
        raise RecursionError("the TorchScript code recurses without end")
    library.require_known(tree)
    frame = interpreting.frame(library, tree, depth)
    names = [each.arg for each in tree.args.args]
    if len(args) > len(names):
        raise RuntimeError(
            f"{tree.name}() expected at most {len(names)} argument(s) but received {len(args)} argument(s)."
        )
    defaults = dict(zip(reversed(names), reversed(tree.args.defaults)))
    given = dict(zip(names, args)) | kwargs
    for name in names:
        if name in given:
            frame.variables[name] = given[name]
        elif name in defaults:
            frame.variables[name] = frame.value(defaults[name])
        else:
            raise RuntimeError(f"{tree.name}() is missing value for argument '{name}'.")
    if unknown := [name for name in kwargs if name not in names]:
        raise RuntimeError(f"Unknown keyword argument '{unknown[0]}' for operator '{tree.name}'.")
    try:
        frame.run(tree.body)
    except Return as found:
        return frame.leave(found.args[0])
    return None


def run_method(module, name, args, kwargs, depth=0):
    """Call a method of a module of a file.  Raise NotImplementedError if it contains something unknown."""
    tree = module._library.method(module._class, name)
    if tree is None:
        raise Unknown(f"the code of {module._class} has no method {name} that tensh can read")
    if not depth and module._library.enums:
        args, kwargs = (adopt_enums(each, module._library.enums) for each in (args, kwargs))
    return call_function(module._library, tree, (module, *args), kwargs, depth)
