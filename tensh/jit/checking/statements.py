"""The check of statements."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.jit.checking.expressions import is_python_value
from tensh.jit.checking.values import UNKNOWN, Value, convert, describe, fits, is_known, join
from tensh.jit.language.classes import is_interface, is_script_class
from tensh.jit.scripting.kinds import element_of, none, parts_of
from tensh.jit.scripting.sugar import Known, ModuleRef
from tensh.jit.scripting.syntax.expressions import BINARY

__all__ = ["Statements"]

WRITABLE = ("requires_grad", "data", "grad")
"""Attributes of tensors that scripts assign."""
INPLACE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
"""Operators of augmented assignments that write into a tensor."""


class Statements:
    """The part of the checker that checks statements."""

    def run(self, statements):
        """Check statements, up to the first that leaves the block."""
        for each in statements:
            self.pending = each
            getattr(self, f"do_{type(each).__name__}")(each)
            if self.frame.exits:
                return

    def do_Pass(self, node):
        pass

    do_Break = do_Continue = do_Pass  # the statements after them are checked, too

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant) and node.value.value is ...:
            self.refuse(node.value, "Cannot emit expr for: (dots)\n")
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.expression(node.value)

    def do_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.expression(target)
                self.frame.names.pop(target.id, None)
            else:
                self.expression(target)

    def do_Assert(self, node):
        def fail():
            if node.msg is not None:
                self.value(node.msg)
            self.frame.exits = True

        self.branch(node, self.condition(node.test), (lambda: None, fail))

    def do_Raise(self, node):
        if node.exc is not None:
            found = self.expression(node.exc)
            instance = isinstance(found, Known) and is_python_value(found.value)
            if instance or isinstance(found, Value) and is_known(found.kind):
                self.refuse(node, "exceptions must derive from BaseException")
        self.frame.exits = True

    def do_Return(self, node):
        wanted, seen = self.wanted, self.returned
        value = Value(none) if node.value is None else self.value(node.value, wanted)
        self.frame.exits = True
        if wanted is not None:
            value = self.as_result(value, wanted)
            if not fits(value.kind, wanted):
                text = f"Return value was annotated as having type {describe(wanted)} but is actually of type {describe(value)}"
                self.refuse(node, text)
            return
        self.returned = self.merge_result(seen, value, node)

    @staticmethod
    def as_result(value, wanted):
        return value if value.kind is none and wanted is Tensor else convert(value, wanted)

    def merge_result(self, seen, value, node):
        """Return what a function returns that has returned ``seen`` before."""
        kind = value.kind if seen is None else join(seen.kind, value.kind)
        if kind is None:
            self.refuse(
                node,
                f"Previous return statement returned a value of type {describe(seen)} but this return statement returns a value of type "
                f"{describe(value)}",
            )
        return Value(kind, value.inferred and (seen is None or seen.inferred))

    def end(self, tree):
        """Check the result at the end of a function's statements, where no ``return`` has ended it."""
        if self.frame.exits:
            return
        if self.wanted is not None and self.wanted is not none:
            if is_known(self.wanted):
                text = "Function was not annotated as having type None, but does not return along all paths"
                self.refuse(tree, text)
        elif self.wanted is None:
            self.returned = self.merge_result(self.returned, Value(none), tree)

    # ── branches, loops, contexts ────────────────────────────────────────────
    def do_If(self, node):
        arms = lambda: self.run(node.body), lambda: self.run(node.orelse)
        self.branch(node, self.condition(node.test), arms)

    def do_While(self, node):
        self.within(lambda: self.condition(node.test))
        self.within(lambda: self.run(node.body))

    def do_For(self, node):
        steps = self.steps_of(self.expression(node.iter), node)
        if steps.parts is None:
            self.within(lambda: (self.assign(node.target, steps.element, node), self.run(node.body)))
            return
        for each in steps.parts:
            self.assign(node.target, each, node)
            self.run(node.body)
            self.frame.exits = False

    def do_With(self, node):
        for item in node.items:
            self.expression(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, UNKNOWN, node)
        self.run(node.body)

    # ── assignments ──────────────────────────────────────────────────────────
    def do_Assign(self, node):
        found = self.expression(node.value)
        for target in node.targets:
            self.assign(target, found, node, node.value)

    def do_AnnAssign(self, node):
        kind = self.annotation(node.annotation)
        if is_interface(self.evaluate(node.annotation)[1]) and isinstance(node.value, ast.Subscript):
            self.value(node.value.slice)
            found = UNKNOWN
        else:
            found = self.expression(node.value, kind)
        if isinstance(node.target, ast.Name):
            self.store(node.target.id, found, node.target, kind)
        else:
            self.assign(node.target, found, node, node.value)

    def assign(self, target, found, node, source=None):
        """Assign to a target; ``node`` is the statement, ``source`` the expression of the value."""
        if isinstance(target, ast.Name):
            self.store(target.id, found, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.assign_parts(target, found, node, source)
        elif isinstance(target, ast.Subscript):
            self.assign_subscript(target, self.as_value(found, source or node), node)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(target, self.as_value(found, source or node), node)

    def assign_parts(self, target, found, node, source):
        starred = any(isinstance(each, ast.Starred) for each in target.elts)
        parts = None
        if isinstance(found, Value):
            if element_of(found.kind) is not None and starred:
                self.refuse(source or node, "cannot statically infer the expected size of a list in this context")
            if element_of(found.kind) is not None:
                parts = [Value(element_of(found.kind))] * len(target.elts)
            elif is_known(found.kind):
                parts = parts_of(found.kind)
                if parts is None:
                    self.refuse(source or node, f"{describe(found)} cannot be used as a tuple")
                parts = list(map(Value, parts))
        elif isinstance(found, tuple):
            parts = list(found)
        if starred or parts is None:
            parts = [UNKNOWN] * len(target.elts)
        have, need = len(parts), len(target.elts)
        if have < need:
            self.refuse(target, f"need {need} values to unpack but found only {have}")
        if have > need:
            self.refuse(target, f"too many values to unpack: need {need} but found {have}")
        for each, part in zip(target.elts, parts):
            self.assign(each.value if isinstance(each, ast.Starred) else each, part, node)

    def assign_subscript(self, target, value, node):
        owner = self.value(target.value)
        if not is_known(owner.kind):
            self.indices(target.slice)
            return
        if owner.kind is Tensor:
            self.index_tensor(target)
            if is_known(value.kind) and value.kind is not Tensor and value.kind not in (int, float, bool, complex):
                self.operate("copy_", [Value(Tensor), value], node)
            return
        if parts_of(owner.kind) is not None:
            self.refuse(target, f"{describe(owner)} does not support subscripted assignment")
        if isinstance(target.slice, ast.Slice):
            parts = ast.copy_location(ast.Tuple([target.value, target.slice]), target)
            self.refuse(
                parts, "Sliced expression not yet supported for subscripted assignment. File a bug if you want this"
            )
        self.operate("_set_item", [owner, self.value(target.slice), value], node)

    def assign_attribute(self, target, value, node):
        owner = self.expression(target.value)
        known = isinstance(owner, Value) and is_known(owner.kind)
        if known and is_script_class(owner.kind):
            self.assign_to_instance(owner, target, value, node)
            return
        if known and (owner.kind is not Tensor or target.attr not in WRITABLE):
            self.refuse(node, f"Tried to set an attribute: {target.attr} on a non-class: {describe(owner)}")
        if not isinstance(owner, ModuleRef):
            return
        if not self.has_member(owner.module, target.attr):
            text = f"Tried to set nonexistent attribute: {target.attr}. Did you forget to initialize it in __init__()?"
            self.refuse(node, text)
        old = self.member(owner, target.attr, target)
        if isinstance(old, Known) and old.value is None:
            old = Value(none)
        if isinstance(old, Value) and not fits(convert(value, old.kind).kind, old.kind):
            text = f"Wrong type for attribute assignment. Expected {describe(old.kind)} but got {describe(value)}"
            self.refuse(node, text)

    def do_AugAssign(self, node):
        target = node.target
        if isinstance(target, ast.Subscript):
            self.expression(target)
            self.value(node.value)
            return
        owner, value = self.value(target), self.value(node.value)
        name = BINARY[type(node.op)]
        inplace = owner.kind is Tensor or element_of(owner.kind) is not None
        if is_script_class(owner.kind):
            made = self.augment_instance(name, owner, value, node)
        elif type(node.op) in INPLACE and inplace:
            made = self.operate(f"{name}_", [owner, value], node)
        elif owner.kind is Tensor:
            made = UNKNOWN
        else:
            made = self.binary(name, owner, value, node)
        if isinstance(target, ast.Name):
            self.store(target.id, made, target)
        elif isinstance(target, ast.Attribute) and is_known(made.kind) and is_known(owner.kind):
            self.assign_attribute(target, made, node)
