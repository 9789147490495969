"""The check of instances of the program's classes, and of enums: attributes, methods, and methods for operators."""

import ast
import enum
import inspect

from tensh.jit.checking.values import UNKNOWN, Value, convert, describe, fits
from tensh.jit.language.classes import (
    MAGIC,
    attributes,
    attributes_of,
    find_static,
    is_script_class,
    methods_of,
    name_enum,
    properties_of,
)  # fmt: skip
from tensh.jit.language.types import class_path
from tensh.jit.scripting.kinds import read_kind, text_of
from tensh.jit.scripting.sugar import Bound, Known

__all__ = ["Classes", "require_enum"]

NO_MEMBER = "'{}' object has no attribute or method '{}'. Did you forget to initialize an attribute in __init__()?"
OF_CLASS = (
    "'{0}' object has no attribute or method '{1}'. '{1}' is defined as a class attribute which currently is not supported. "
    "Consider converting this to an instance attribute."
)
NO_INIT = "Class {} does not have an __init__ function defined"
NOT_AT_TOP = "First assignment cannot be in a control-flow block. Initialize the field at the top level first"
NOT_THERE = "Tried to set nonexistent attribute: {}. Did you forget to initialize it in __init__()?"
NO_INPLACE = "Cannot emit inplace op on {} since it does not define an {} or {} method"
VALUES = (int, float, str)
"""Types that the values of enums may have."""


class Classes:
    """The part of the checker for classes of the program, and enums."""

    # ── attributes and methods ───────────────────────────────────────────────
    def attribute_of_instance(self, owner, name, node):
        """Return an attribute or a method of an instance; refuse one that is not there."""
        cls = owner.kind
        self.program.check_class(cls, self, node)
        if name in attributes_of(cls):
            return Value(attributes_of(cls)[name])
        if name in properties_of(cls):
            return self.result_of_method(cls, f"__{name}_getter", owner, node)
        if name in methods_of(cls):
            return Bound(owner, name)
        text = OF_CLASS if inspect.getattr_static(cls, name, None) is not None and name in vars(cls) else NO_MEMBER
        self.refuse(node, text.format(describe(owner), name))

    def has_attribute(self, owner, name, node):
        """Return True if instances of the class of a value have an attribute or a method."""
        self.program.check_class(owner.kind, self, node)
        return name in {*attributes_of(owner.kind), *properties_of(owner.kind), *methods_of(owner.kind)}

    def attribute_of_class(self, cls, name, node):
        """Return a static method; refuse any other attribute of a class."""
        self.program.check_class(cls, self, node.value)
        static = find_static(cls, name)
        if static is not None:
            return Known(static)
        if isinstance(inspect.getattr_static(cls, name, None), classmethod):
            return UNKNOWN
        self.refuse(node, f"Tried to lookup unknown attribute on class {class_path(cls)}")

    def attribute_of_enum(self, owner, name, node):
        """Return the name or the value of an enumerated value."""
        if name == "name":
            return Value(str)
        if name == "value":
            return Value(require_enum(owner.kind))
        self.refuse(node, f"'{describe(owner)}' object has no attribute or method '{name}'.")

    def member_of_enum(self, cls, name, node):
        """Return an enumerated value."""
        require_enum(cls)
        if name not in cls.__members__:
            self.refuse(node, f"{name_enum(class_path(cls))}' has no attribute '{name}'")
        return Known(cls[name])

    def construct(self, cls, args, options, node):
        """Return a new instance of a class."""
        self.program.check_class(cls, self, node.func)
        if "__init__" not in methods_of(cls):
            self.refuse(node, NO_INIT.format(cls.__name__))
        self.result_of_method(cls, "__init__", Value(cls), node, args, options)
        return Value(cls)

    def call_instance(self, owner, name, args, options, node):
        """Return the result of a method of an instance, which it may lack."""
        self.program.check_class(owner.kind, self, node)
        if name not in methods_of(owner.kind):
            self.refuse(node, NO_MEMBER.format(describe(owner), name))
        return self.result_of_method(owner.kind, name, owner, node, args, options)

    def result_of_method(self, cls, name, owner, node, args=(), options=None):
        """Return the result of a method that a class has."""
        declared = self.program.method_of_class(cls, name, self, node)
        if declared is None:
            return UNKNOWN
        at = node if isinstance(node, ast.Call) else ast.copy_location(ast.Call(node, [], []), node)
        self.match(declared.parameters, [owner, *args], options or {}, declared.text, at)
        return declared.result if declared.result is not None else UNKNOWN

    # ── operators ────────────────────────────────────────────────────────────
    def magic(self, name, args, node):
        """Return the result of an operator that the class of the first operand computes; None for others."""
        if not args or not is_script_class(args[0].kind) or name not in MAGIC:
            return None
        return self.call_instance(args[0], MAGIC[name], args[1:], {}, node)

    def augment_instance(self, name, owner, value, node):
        """Return the result of an augmented assignment to an instance."""
        self.program.check_class(owner.kind, self, node)
        plain = MAGIC[name]
        inplace = f"__i{plain[2:]}"
        for each in (inplace, plain):
            if each in methods_of(owner.kind):
                return self.call_instance(owner, each, [value], {}, node)
        self.refuse(node, NO_INPLACE.format(describe(owner), inplace, plain))

    # ── assignments ──────────────────────────────────────────────────────────
    def assign_to_instance(self, owner, target, value, node):
        """Assign to an attribute of an instance, which ``__init__`` makes."""
        cls, name = owner.kind, target.attr
        self.program.check_class(cls, self, target)
        if name in properties_of(cls):
            self.result_of_method(cls, f"__{name}_setter", owner, node, [value])
            return
        known = attributes_of(cls)
        if name in known:
            if not fits(convert(value, known[name]).kind, known[name]):
                text = (
                    f"Wrong type for attribute assignment. Expected {describe(known[name])} but got {describe(value)}"
                )
                self.refuse(node, text)
        elif self.owner is not cls or self.fn is not methods_of(cls).get("__init__"):
            self.refuse(node, NOT_THERE.format(name))
        elif self.frame.parent is not None:
            self.refuse(node, NOT_AT_TOP)
        else:
            attributes[cls][name] = value.kind


def require_enum(cls):
    """Return the type of the values of an enum.  Raise RuntimeError for values that scripts cannot have."""
    kinds = [kind_of_value(each) for each in {type(each.value) for each in cls}]  # in PyTorch's order
    for place, each in enumerate(kinds[1:], 1):
        if each != kinds[0]:
            raise RuntimeError(
                f"Could not unify type list since element {place} of type {text_of(each)} did not match the types before it "
                f"({text_of(kinds[0])})"
            )
    if not kinds:
        raise ValueError(f"No enum values defined for: '{enum.EnumMeta}'")
    if kinds[0] not in VALUES:
        raise RuntimeError(
            f"Cannot create Enum with value type '{text_of(kinds[0])}', only int, float and string are supported"
        )
    return kinds[0]


def kind_of_value(cls):
    """Return the type that scripts have for the values of a class of Python."""
    return cls if cls in (*VALUES, bool, complex) else read_kind("Any")
