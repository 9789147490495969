"""Calls of modules and their methods in a script, with the hooks that a module has."""

import inspect

from tensh.jit.scripting.calls.calling import pack, unpack
from tensh.jit.scripting.kinds import none, parts_of
from tensh.jit.scripting.sugar import class_of

__all__ = ["MethodCalls"]


class MethodCalls:
    """The part of the compiler that compiles calls of modules and their methods."""

    def call_module(self, owner, args, options, node):
        """Emit the call of a module: hooks before ``forward``, ``forward``, and hooks after it."""
        before, after = owner.module._forward_pre_hooks.values(), owner.module._forward_hooks.values()
        if not before and not after:
            return self.call_method(owner, "forward", args, options, node)
        given = pack(self, args)
        for hook in before:
            changed = self.call_hook(owner, hook, [given], node)
            if changed.value_kind is not none:
                given = changed if parts_of(changed.value_kind) is not None else pack(self, [changed])
                args = unpack(self, given)
        made = self.call_method(owner, "forward", args, options, node)
        for hook in after:
            changed = self.call_hook(owner, hook, [given, made], node)
            made = made if changed.value_kind is none else changed
        return made

    def call_hook(self, owner, hook, args, node):
        """Emit the call of a hook, which is a function that takes the module first."""
        compiled = self.program.hook(owner.module, hook)
        name = self.function_constant(hook.__name__, f"{compiled.owner}.{hook.__name__}")
        made = self.emit("prim::CallFunction", [name, owner.read(), *args], [compiled.result], node)
        self.block.lines[-1].called = compiled
        return made

    def call_method(self, owner, name, args, options, node):
        fn = inspect.getattr_static(class_of(owner.module), name, None)
        left = self.call_python(fn, [owner.read(), *args], options, node) if inspect.isfunction(fn) else None
        if left is not None:
            return left
        compiled = self.find_overload(owner.module, name, args, options) or self.program.method(owner.module, name)
        if compiled is None:
            self.source.refuse(node, f"{type(owner.module).__name__} has no method {name} that a script can call")
        taken = self.bind(compiled.signature, args, options, node, compiled.kinds)
        made = self.emit(
            "prim::CallMethod",
            [owner.read(), *taken],
            [compiled.result],
            node,
            ("name", compiled.name, f'[name="{compiled.name}"]'),
        )
        self.block.lines[-1].called = compiled
        return made
