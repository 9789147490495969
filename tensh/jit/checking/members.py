"""The members of modules in a script: parameters, layers, attributes and methods."""

import ast
import inspect

from tensh.jit.checking.values import UNKNOWN, Value, is_known, settle
from tensh.jit.frontend import check_syntax
from tensh.jit.language.classes import is_script_class
from tensh.jit.language.marks import Attribute
from tensh.jit.running.failures import Error
from tensh.jit.running.scriptable import infer_type
from tensh.jit.scripting.calls.layers import is_layer
from tensh.jit.scripting.compiling import declared_kind, is_final
from tensh.jit.scripting.kinds import none
from tensh.jit.scripting.sugar import Bound, Known, ModuleRef, class_of
from tensh.nn.modules.module import Module

__all__ = ["Members"]

MISSING = object()
MISSING_MEMBER = "Module '{}' has no attribute '{}' "
FAILED_FUNCTION = (
    "This function exists as an attribute on the Python module, but we failed to compile it to a TorchScript function. \n"
    "The error stack is reproduced here:\n"
)
NOT_LITERAL = (
    "Expected integer literal for index but got a variable or non-integer. ModuleList/Sequential indexing is only supported with integer "
    "literals. For example, 'i = 4; self.layers[i](x)' will fail because i is not a literal. Enumeration is supported, e.g. 'for index, "
    "v in enumerate(self): out = v(inp)'"
)
NO_TYPE = (
    "(This attribute exists on the Python module, but we failed to convert Python type: '{}' to a TorchScript type. {}. Its type was "
    "inferred; try adding a type annotation for the attribute.)"
)
CONTAINERS = ("Sequential", "ModuleList")


class Members:
    """The part of the checker that reads members of modules."""

    @staticmethod
    def has_member(module, name):
        """Return True if a module has an attribute."""
        tables = module._modules, module._parameters, module._buffers
        return any(name in each for each in tables) or inspect.getattr_static(module, name, MISSING) is not MISSING

    def member(self, owner, name, node):
        """Return an attribute of a module; refuse one that is not there."""
        module = owner.module
        if name in module._modules:
            child = module._modules[name]
            return ModuleRef(child, None) if child is not None else Known(None)
        for table in (module._parameters, module._buffers):
            if name in table:
                kind = declared_kind(module, name, table[name])
                return Value(settle(kind)) if kind is not none else Known(None)
        if name in module.__dict__:
            return self.plain_member(module, name, module.__dict__[name], node)
        found = inspect.getattr_static(class_of(module), name, None)
        if inspect.isfunction(found):
            self.program.method(module, name, self, node)
            return Bound(owner, name)
        if found is None and not self.has_member(module, name):
            self.refuse(node, MISSING_MEMBER.format(class_of(module).__name__, name))
        return UNKNOWN

    def plain_member(self, module, name, value, node):
        """Return an attribute that is neither a parameter nor a module."""
        if isinstance(value, Attribute):
            return Value(settle(value.type))
        if self.is_program(value):
            return self.function_member(module, name, value, node)
        if is_layer(module):
            return UNKNOWN
        self.check_classes_in(value)
        fixed = name in getattr(module, "__constants__", ()) or is_final(class_of(module), name)
        if fixed and type(value) in (bool, int, float, str):
            return Value(type(value), constant=value)
        kind = declared_kind(module, name, value)
        if kind is none or value is None and kind is None:
            return Known(None)
        if (kind is None or holds_module(value)) and not callable(value):
            self.require_type(module, name, value, node)
        if kind is None or not is_known(settle(kind)):
            return UNKNOWN
        return Value(settle(kind))

    def check_classes_in(self, value):
        """Check the program's classes of all instances within a value, so that the value has a type."""
        if isinstance(value, (list, tuple)):
            for each in value:
                self.check_classes_in(each)
        elif isinstance(value, dict):
            self.check_classes_in([*value.values()])
        elif is_script_class(type(value)):
            self.program.can_hold(type(value))

    def require_type(self, module, name, value, node):
        """Refuse an attribute that scripts have no type for."""
        try:
            infer_type(value)
        except Error as error:
            text = MISSING_MEMBER.format(class_of(module).__name__, name) + NO_TYPE.format(
                name_class(type(value)), error
            )
            self.refuse(node, text)

    def function_member(self, module, name, fn, node):
        """Return a function that is an attribute of a module; refuse one that cannot be scripted."""
        try:
            check_syntax(fn)
            self.program.function(fn, None, node)
        except Exception as error:  # as in PyTorch, whatever the reason
            text = f"{MISSING_MEMBER.format(class_of(module).__name__, name)}({FAILED_FUNCTION}{error})"
            self.refuse(node, text)
        return Known(fn)

    @staticmethod
    def layers_of(module):
        """Return the layers in a container; None for another module."""
        if class_of(module).__name__ not in CONTAINERS or class_of(module).__module__.partition(".")[0] not in (
            "torch",
            "tensh",
        ):
            return None
        return [ModuleRef(each, None) for each in module._modules.values()]

    def layer_at(self, owner, node):
        """Return a layer of a container; refuse an index that is not known."""
        layers, index = self.layers_of(owner.module), node.slice
        if layers is not None and isinstance(index, (ast.Name, ast.BinOp)):
            found = self.value(index)
            if is_known(found.kind) and type(found.constant) is not int:
                self.refuse(node, NOT_LITERAL)
        place = getattr(index, "value", None)
        if layers is None or type(place) is not int or not -len(layers) <= place < len(layers):
            return UNKNOWN
        return layers[place]


def holds_module(value):
    """Return True for a list or a dictionary with modules in it."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(isinstance(each, Module) or holds_module(each) for each in values)


def name_class(cls):
    """Return a class as errors name it."""
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
