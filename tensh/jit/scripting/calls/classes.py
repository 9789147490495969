"""Instances of the program's classes, and enums, in a script: made, read, assigned to, and called."""

from tensh.jit.language.classes import (
    MAGIC,
    attributes_of,
    functions_of,
    is_compiled,
    is_enum,
    is_script_class,
    methods_of,
    properties_of,
)
from tensh.jit.scripting.calls.calling import hand_over
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.kinds import is_complete
from tensh.jit.scripting.sugar import Bound, Known

__all__ = ["Classes", "is_enum_class", "is_instance_value"]


class Classes:
    """The part of the compiler for classes of the program, and enums."""

    def attribute_of_instance(self, owner, name, node):
        """Return an attribute or a method of an instance."""
        cls = owner.value_kind
        kind = attributes_of(cls).get(name)
        if kind is not None and is_complete(kind):
            return self.get_attribute(owner, name, kind)
        if name in properties_of(cls):
            return self.call_instance(owner, f"__{name}_getter", [], {}, node)
        if name in methods_of(cls):
            return Bound(owner, name)
        return self.source.refuse(node, f"'{cls.__name__}' object has no attribute or method '{name}'")

    def attribute_of_enum(self, owner, name, node):
        """Return the name or the value of an enumerated value."""
        if name not in ("name", "value"):
            self.source.refuse(node, f"'{owner.value_kind.__name__}' object has no attribute or method '{name}'")
        if owner.node().kind() == "prim::Constant":
            return self.constant(getattr(owner.node().constant, name))
        kind = str if name == "name" else type(next(iter(owner.value_kind)).value)
        return self.emit("prim::EnumName" if name == "name" else "prim::EnumValue", [owner], [kind])

    def members_of_enum(self, cls, node):
        """Return the list of all values of an enum."""
        return self.constant(list(cls), node)

    def construct(self, cls, args, options, node):
        """Return a new instance of a class."""
        made = self.emit("prim::CreateObject", (), [cls], node)
        self.call_instance(made, "__init__", args, options, node)
        return made

    def call_instance(self, owner, name, args, options, node):
        """Emit the call of a method of an instance."""
        cls = owner.value_kind
        if name not in functions_of(cls) or not is_compiled(functions_of(cls)[name]):
            self.source.refuse(node, f"'{cls.__name__}' has no method {name} that a script can call")
        compiled = self.program.method_of_class(cls, name)
        taken = self.bind(compiled.signature, args, options, node, compiled.kinds)
        made = self.emit(
            "prim::CallMethod", [owner, *taken], [compiled.result], node, ("name", name, f'[name="{name}"]')
        )
        self.block.lines[-1].called = compiled
        return made

    def magic(self, name, args, node):
        """Return the result of an operator that the class of the first operand computes; None for others."""
        if not args or not is_instance_value(args[0]) or name not in MAGIC:
            return None
        return self.call_instance(args[0], MAGIC[name], args[1:], {}, node)

    def augment_instance(self, name, owner, value, node):
        """Return the result of an augmented assignment to an instance."""
        inplace = f"__i{MAGIC[name][2:]}"
        chosen = inplace if inplace in methods_of(owner.value_kind) else MAGIC[name]
        return self.call_instance(owner, chosen, [value], {}, node)

    def assign_to_instance(self, owner, name, value, node):
        """Assign to an attribute of an instance."""
        cls = owner.value_kind
        if name in properties_of(cls):
            self.call_instance(owner, f"__{name}_setter", [value], {}, node)
            return
        kind = attributes_of(cls).get(name)
        if kind is None or not is_complete(kind):
            self.source.refuse(node, f"the attribute {name} of {cls.__name__} has no known type")
        value = hand_over(self, value, kind)
        self.emit("prim::SetAttr", [owner, value], (), None, ("name", name, f'[name="{name}"]'))

    def enter_instance(self, owner):
        """Enter an instance as a context; return it, and the value of ``as``."""
        entered = self.program.method_of_class(owner.value_kind, "__enter__")
        return owner, self.emit("prim::Enter", [owner], [entered.result])


def is_instance_value(value):
    """Return True for a value that is an instance of a class of the program."""
    return isinstance(value, ScriptValue) and is_script_class(value.value_kind)


def is_enum_class(found):
    """Return True for a class of enumerated values, as an object that is known beforehand."""
    return isinstance(found, Known) and is_enum(found.value)
