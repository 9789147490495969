"""The check of conditions: which types decide before anything runs, and what they say about names where they hold."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.checking.values import ANYTHING, UNKNOWN, Value, describe, fits, is_known, members, settle
from tensh.jit.language.classes import is_enum, is_script_class, methods_of
from tensh.jit.language.types import is_named_tuple, origin_of
from tensh.jit.scripting.kinds import none, parts_of
from tensh.jit.scripting.sugar import Known, ModuleRef

__all__ = ["Condition", "Conditions"]


class Condition:
    """The outcome of a condition that types decide (``static``); the types of names where it holds and where it fails."""

    def __init__(self, static=None, holding=None, failing=None):
        self.static, self.holding, self.failing = static, holding or {}, failing or {}

    def negate(self):
        """Return the condition that holds where this one fails."""
        return Condition(None if self.static is None else not self.static, self.failing, self.holding)


class Conditions:
    """The part of the checker that checks conditions."""

    def condition(self, node):
        """Return a condition."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.condition(node.operand).negate()
        if isinstance(node, ast.BoolOp):
            return self.join_conditions(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.identity(node)
        if isinstance(node, ast.Call):
            decided = self.decide_call(node)
            if decided is not None:
                return decided
        value = self.value(node)
        self.check_truth(value, node)
        return Condition(bool(value.constant) if isinstance(value.constant, (bool, int, float)) else None)

    def check_truth(self, value, node):
        """Refuse a value that is neither true nor false."""
        kind = value.kind
        if is_script_class(kind) and "__bool__" in methods_of(kind):
            self.magic("Bool", [value], node)
        elif is_known(kind) and (
            kind in (none, device, ANYTHING)
            or is_enum(kind)
            or is_script_class(kind)
            or len(members(kind)) > 1
            or parts_of(kind) is not None
        ):
            self.refuse(node, f"Could not cast value of type {describe(value)} to bool")

    def join_conditions(self, node):
        both = isinstance(node.op, ast.And)
        found = self.condition(node.values[0])
        for each in node.values[1:]:
            first, made = found, []
            if first.static is not None and first.static is not both:
                return first
            self.within(
                lambda each=each, first=first, made=made: (
                    self.refine(first.holding if both else first.failing),
                    made.append(self.condition(each)),
                )
            )
            found = self.combine(first, made[0], both)
        return found

    @staticmethod
    def combine(one, other, both):
        """Return the condition that both of two hold, or one of them."""
        decided = {one.static, other.static}
        static = (not both) if (not both) in decided else both if decided == {both} else None
        if both:
            return Condition(static, {**one.holding, **other.holding}, common(one.failing, other.failing))
        return Condition(static, common(one.holding, other.holding), {**one.failing, **other.failing})

    def identity(self, node):
        """Return the condition of ``is`` and ``is not``."""
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        holds = isinstance(node.ops[0], ast.Is)
        states = can_be_none(left), can_be_none(right)
        if None in states:
            return Condition()
        if states == (True, True):
            return Condition(holds)
        if set(states) == {True, False}:
            return Condition(not holds)
        if states[1] is True and isinstance(node.left, ast.Name) and isinstance(left, Value):
            found = Condition(failing={node.left.id: self.without(left.kind, (none,))})
            return found if holds else found.negate()
        return Condition()

    def decide_call(self, node):
        """Return the condition of a call that types decide; None for other calls."""
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            return None
        function = self.expression(node.func)
        function = function.value if isinstance(function, Known) else None
        name = getattr(function, "__name__", "")
        if name in ("is_scripting", "is_tracing") and not node.args:
            return Condition(name == "is_scripting")
        if function is hasattr and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            owner = self.expression(node.args[0])
            if isinstance(owner, Value) and is_script_class(owner.kind):
                return Condition(self.has_attribute(owner, node.args[1].value, node))
            if isinstance(owner, Value) and is_known(owner.kind) and not is_named_tuple(owner.kind):
                text = f"hasattr's first argument must be an object or NamedTuple, got {describe(owner)} instead"
                self.refuse(node.args[0], text)
            return Condition(
                self.has_member(owner.module, node.args[1].value) if isinstance(owner, ModuleRef) else None
            )
        return self.instance(node) if (function is isinstance or self.is_jit_isinstance(function)) else None

    @staticmethod
    def is_jit_isinstance(function):
        return getattr(function, "__name__", "") == "isinstance" and (
            getattr(function, "__module__", "") or ""
        ).startswith(("torch.jit", "tensh.jit"))

    def instance(self, node):
        """Return the condition of ``isinstance``."""
        if len(node.args) != 2:
            return Condition()
        value = self.value(node.args[0])
        classes = self.classes(node.args[1])
        if classes is None:
            name = getattr(node.args[0], "id", None)
            both = {name: UNKNOWN.kind} if name is not None and isinstance(self.frame.find(name), Value) else {}
            return Condition(None, both, both)
        if value.kind is ANYTHING:
            name = getattr(node.args[0], "id", None)
            return Condition(None, {} if name is None else {name: any_of(classes)})
        kinds = members(value.kind)
        found = {each: any(is_instance(each, wanted) for wanted in classes) for each in kinds}
        if not is_known(value.kind) or value.kind is none or None in found.values():
            return Condition()
        if len(set(found.values())) == 1:
            return Condition(next(iter(found.values())))
        name = getattr(node.args[0], "id", None)
        if name is None:
            return Condition()
        fails, holds = ([each for each in kinds if found[each] is not wanted] for wanted in (True, False))
        return Condition(
            None, {name: self.without(value.kind, tuple(fails))}, {name: self.without(value.kind, tuple(holds))}
        )

    def classes(self, node):
        """Return the classes of a test for instances; None if one of them is not known."""
        if isinstance(node, ast.Tuple):
            found = [self.classes(each) for each in node.elts]
            return None if None in found else [each for part in found for each in part]
        known, note = self.evaluate(node)
        if known and note in (list, dict, tuple):
            return [note]
        self.check_note(node)
        if not known:
            return None
        kind = settle(note)
        return [kind] if is_known(kind) else None


def is_instance(kind, wanted):
    """Return True for a type whose values are instances of a class."""
    if wanted in (list, dict, tuple):
        return origin_of(kind) is wanted or wanted is tuple and parts_of(kind) is not None
    if kind is bool and wanted is not bool:
        return False
    return fits(kind, wanted) if wanted is not Tensor or kind is Tensor else False


def any_of(classes):
    """Return the union of classes as the type of an instance; Any if one is a container, whose contents are unknown."""
    if any(each in (list, dict, tuple) for each in classes):
        return UNKNOWN.kind
    found = classes[0]
    for each in classes[1:]:
        found = found | each
    return found


def can_be_none(found):
    """Return True for None, False for a value that is never None, "maybe" if it can be, and None for an unknown one."""
    if isinstance(found, Known):
        return found.value is None
    if isinstance(found, (tuple, ModuleRef)):
        return False
    if not isinstance(found, Value) or not is_known(found.kind):
        return None
    if found.kind is ANYTHING:
        return "maybe"
    return found.kind is none or ("maybe" if none in members(found.kind) else False)


def common(one, other):
    """Return the types of names about which two conditions say the same."""
    return {name: kind for name, kind in one.items() if other.get(name) == kind}
