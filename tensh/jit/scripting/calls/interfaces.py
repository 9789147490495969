"""Values of which a script knows the methods alone: ``torch.jit.interface``."""

import inspect

from tensh.jit.language.classes import is_interface
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.scripting.kinds import uniform
from tensh.jit.scripting.sugar import ModuleRef

__all__ = ["Interfaces"]


class Interfaces:
    """The part of the compiler for modules that are chosen while a script runs, and other values with an interface."""

    def choose_module(self, kind, node):
        """Emit the choice of a module of a container by a value; None for another expression or type."""
        if not is_interface(kind) or not hasattr(node, "slice"):
            return None
        owner = self.expression(node.value)
        if not isinstance(owner, ModuleRef):
            return None
        place = self.value(node.slice)
        if place.value_kind not in (int, str):
            self.source.refuse(node, f"modules are chosen by int or str, not by {self.text_of(place)}")
        return self.emit("prim::ModuleContainerIndex", [owner.read(), place], [kind])

    def call_interface(self, owner, name, args, options, node):
        """Emit the call of a method of a value with an interface."""
        kind = owner.value_kind
        fn = inspect.getattr_static(kind, name, None)
        if not inspect.isfunction(fn) or name.startswith("__"):
            self.source.refuse(node, f"the interface {kind.__name__} has no method {name}")
        signature = TypedSignature(fn, "self")
        given = inspect.Signature(list(inspect.signature(fn).parameters.values())[1:])
        kinds = {key: uniform(each) for key, each in signature.kinds.items()}
        taken = self.bind(given, args, options, node, kinds)
        attribute = ("name", name, f'[name="{name}"]')
        return self.emit("prim::CallMethod", [owner, *taken], [uniform(signature.result)], node, attribute)
