"""Calls of functions that scripts leave to Python, or that they must not call; and of methods with several declarations."""

import ast
import inspect

from tensh.jit.language.marks import find_declarations
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.running.leaving import UNUSED
from tensh.jit.scripting.graphs.building import Raised
from tensh.jit.scripting.kinds import fits, none, uniform
from tensh.jit.scripting.sugar import ModuleRef, class_of

__all__ = ["PythonCalls"]


class Raising(ast.NodeTransformer):
    """Puts statements of the value alone into the places of statements that return it."""

    def __init__(self, found):
        self.found = found

    def visit_Return(self, node):
        return ast.copy_location(ast.Expr(node.value), node) if node in self.found else node


class PythonCalls:
    """The part of the compiler for functions that are marked by ``torch.jit.ignore`` and ``unused``."""

    def find_overload(self, module, name, args, options):
        """Return the first declaration of a method that takes the arguments, compiled; None for a method without any."""
        fn = inspect.getattr_static(class_of(module), name, None)
        for place in range(len(find_declarations(fn)) if inspect.isfunction(fn) else 0):
            compiled = self.program.overload(module, name, fn, place)
            try:
                given = compiled.signature.bind(*args, **options).arguments
            except TypeError:
                continue
            if all(fits(value.value_kind, compiled.kinds[key]) for key, value in given.items()):
                return compiled
        return None

    def without_calls_that_raise(self, tree):
        """Return a function in which calls of functions that scripts must not call end a block in place of its result."""
        found = [each for each in ast.walk(tree) if isinstance(each, ast.Return) and self.is_unused(each.value)]
        return Raising(found).visit(tree) if found else tree

    def is_unused(self, node):
        """Return True for the call of a function, or of a method of the module, that scripts must not call."""
        if not isinstance(node, ast.Call):
            return False
        func, found = node.func, None
        if isinstance(func, ast.Name):
            found = self.source.find(func.id)[1]
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            owner = self.names.get(func.value.id)
            if isinstance(owner, ModuleRef):
                found = inspect.getattr_static(class_of(owner.module), func.attr, None)
        return getattr(found, "_torchscript_modifier", None) == "unused"

    def call_python(self, function, args, options, node):
        """Emit the call of a function that scripts leave to Python, or that they must not call; return None for another."""
        modifier = getattr(function, "_torchscript_modifier", None)
        if modifier not in ("ignore", "unused"):
            return None
        kind = TypedSignature(function).result
        kind = none if kind is None else uniform(kind)
        if modifier == "ignore":
            signature = inspect.signature(function)
            taken = [self.as_value(each, node) for each in signature.bind(*args, **options).arguments.values()]
            return self.emit(f"^{function.__name__}[]()", taken, [kind], node)
        self.emit("prim::RaiseException", [self.constant(UNUSED), self.constant(None)], (), node)
        self.raised_kind = kind
        raise Raised
