"""Blocks under contexts in a script, which end at one place: after it the code goes on if they have not left by a flag."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import is_script_class
from tensh.jit.scripting.calls.classes import is_instance_value
from tensh.jit.scripting.graphs.building import Raised
from tensh.jit.scripting.kinds import ModuleKind, none
from tensh.jit.scripting.sugar import Known

__all__ = ["Contexts"]


class Contexts:
    """The part of the compiler that compiles ``with``."""

    def do_With(self, node):
        entered = self.enter_all(node)
        made = self.run(node.body, lambda how, at: [])
        self.leave(entered)
        if made is None:
            raise Raised

    def run_with(self, node, rest, finish):
        """Compile a block that may return or leave a loop, and the statements after it."""
        entered, end = self.enter_all(node), self.flag_exits(finish, node.body)
        made = self.run(node.body, end)
        self.leave(entered)
        return None if made is None else self.go_on(made, rest, finish, end.hand_on)

    def enter_all(self, node):
        """Enter the contexts of a statement; return them."""
        entered = [self.enter(each.context_expr) for each in node.items]
        for item, (_, made) in zip(node.items, entered):
            if item.optional_vars is not None:
                self.assign_to(item.optional_vars, made, node)
        return entered

    def enter(self, node):
        call = node if isinstance(node, ast.Call) else None
        found = self.expression(call.func) if call else self.expression(node)
        if is_instance_value(found) or isinstance(found, Known) and is_script_class(found.value):
            return self.enter_instance(self.value(node))
        found = found.value if call and isinstance(found, Known) else None
        name = getattr(found, "__name__", "")
        if name == "record_function" and 0 < len(call.args) < 3 and not call.keywords:
            return self.enter_record(node, [self.value(each) for each in call.args])
        if name not in ("no_grad", "enable_grad", "inference_mode") or (call and call.args):
            self.source.refuse(
                node, "scripts know no contexts but torch.no_grad(), torch.enable_grad() and record_function()"
            )
        made = self.emit("prim::CreateObject", (), [ModuleKind(f"__torch__.torch.autograd.grad_mode.{name}")], node)
        self.emit("prim::CallMethod", [made], [none], node, ("name", "__init__", '[name="__init__"]'))
        self.emit("prim::Enter", [made], [none])
        return made, self.constant(None)

    def enter_record(self, node, given):
        """Enter ``torch.autograd.profiler.record_function``, which returns itself."""
        kind = ModuleKind("__torch__.torch.autograd.profiler.record_function")
        made = self.emit("prim::CreateObject", (), [kind], node)
        given = given if len(given) > 1 else [*given, self.constant(None)]
        self.emit("prim::CallMethod", [made, *given], [none], node, ("name", "__init__", '[name="__init__"]'))
        return made, self.emit("prim::Enter", [made], [kind])

    def leave(self, entered):
        for each, _ in reversed(entered):
            self.emit("prim::Exit", [each], [Tensor])
