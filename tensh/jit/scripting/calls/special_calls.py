"""Calls in a script that are not evaluated like calls: marks, tests of types, tasks, attributes by name, and containers."""

import ast
import typing
import warnings

from tensh.jit.language import marks
from tensh.jit.language.classes import attributes_of, functions_of
from tensh.jit.language.types import members_of_union, name_of, origin_of, short_name_of
from tensh.jit.running.forking import fork, wait
from tensh.jit.scripting.calls.classes import is_instance_value
from tensh.jit.scripting.graphs.blocks import ScriptValue, lines_of
from tensh.jit.scripting.kinds import members_of, none, parts_of
from tensh.jit.scripting.sugar import Items, Known, ModuleRef

__all__ = ["SpecialCalls"]


class SpecialCalls:
    """The part of the compiler for calls that are not evaluated like others."""

    def special(self, function, node):
        """Return the result of a call that has its own meaning; None for other calls."""
        name = getattr(function, "__name__", "")
        if is_isinstance(function):
            return self.instance(node)
        if name == "annotate" and self.of_library(function):
            return self.annotated(self.source.evaluate(node.args[0]), node.args[1])
        if name in ("is_scripting", "is_tracing"):
            return self.constant(name == "is_scripting", node)
        if function in (fork, wait):
            return self.fork(node) if function is fork else self.wait(self.value(node.args[0]), node)
        if function is typing.cast:
            return self.value(node.args[1])
        if function is print:
            self.emit("prim::Print", self.arguments(node), (), node)
            return self.constant(None)
        if function is warnings.warn:
            return self.warn(node)
        if function in (getattr, hasattr):
            return self.attribute_by_name(function, node)
        return self.container(function, node)

    def attribute_by_name(self, function, node):
        """Return the result of ``getattr`` or ``hasattr`` of an instance or a module; None for other values."""
        owner = self.expression(node.args[0])
        if not (is_instance_value(owner) or isinstance(owner, ModuleRef)):
            return None
        if function is hasattr:
            return self.constant(bool(self.decide_call(node)), node)
        find = self.attribute_of_instance if is_instance_value(owner) else self.member
        return find(owner, node.args[1].value, node)

    def container(self, function, node):
        """Return the result of a function of containers whose arguments are not all values; None for other calls."""
        if function is slice:
            return self.slice(node)
        if function in (tuple, enumerate, zip, range, reversed):
            return self.sequence(function, node)
        if function is dict and not node.args:
            return self.compile_Dict(ast.copy_location(ast.Dict([], []), node))
        if function is list and not node.args:
            return self.compile_List(ast.copy_location(ast.List([]), node))
        if function is list and isinstance(node.args[0], ast.Call) and getattr(node.args[0].func, "id", "") == "range":
            made = self.emit("prim::ListConstruct", [], [list[int]])
            return self.collect(made, self.expression(node.args[0]), node)
        if (
            function is len
            and isinstance(node.args[0], (ast.Name, ast.Attribute))
            and isinstance(owner := self.expression(node.args[0]), ModuleRef)
        ):
            return self.constant(len(owner.module._modules), node)
        if function is list and isinstance(found := self.expression(node.args[0]), Items):
            parts = [self.as_value(each, node) for each in found.parts]
            return self.emit("prim::ListConstruct", parts, [list[parts[0].value_kind]])
        return None

    def warn(self, node):
        """Emit a warning: each has a number, so that a run shows it once."""
        options = {each.arg: self.option(each) for each in node.keywords}
        if len(node.args) != 1 or options.keys() - {"stacklevel"}:
            self.source.refuse(node, "a warning of a script has a text and a stacklevel, no category")
        number = sum(line.kind() == "aten::warn" for line in lines_of(self.graph))
        given = [self.value(node.args[0]), options.get("stacklevel") or self.constant(2, node)]
        self.emit("aten::warn", given, (), node, ("warn_id", number, f"[warn_id={number}]"))
        return self.constant(None)

    # ── tests that types may decide ──────────────────────────────────────────────
    def decide_call(self, node):
        """Return True or False for a call whose result the types decide, None for others."""
        function = self.expression(node.func) if isinstance(node.func, (ast.Name, ast.Attribute)) else None
        function = function.value if isinstance(function, Known) else None
        if getattr(function, "__name__", "") in ("is_scripting", "is_tracing"):
            return function.__name__ == "is_scripting"
        if (
            function is hasattr
            and len(node.args) == 2
            and isinstance(owner := self.expression(node.args[0]), ModuleRef)
        ):
            return hasattr(owner.module, node.args[1].value)
        if function is hasattr and len(node.args) == 2 and is_instance_value(owner := self.expression(node.args[0])):
            cls, name = owner.value_kind, node.args[1].value
            return name in attributes_of(cls) or name in functions_of(cls)
        if not is_isinstance(function):
            return None
        value, wanted = self.value(node.args[0]), self.source.evaluate(node.args[1])
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        if value.value_kind in (typing.Any, object):
            return None
        found = {any(is_instance(kind, each) for each in wanted) for kind in members_of(value.value_kind)}
        return found.pop() if len(found) == 1 else None

    def instance(self, node):
        decided = self.decide_call(node)
        if decided is not None:
            return self.constant(decided, node.args[0])
        wanted = self.source.evaluate(node.args[1])
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        if len(wanted) > 1:  # stands in the order of a union
            wanted = members_of_union(typing.Union[wanted]) or wanted  # noqa: UP007
        names, shown = (", ".join(write_class(each, write) for each in wanted) for write in (name_of, short_name_of))
        names = f"({names})" if len(wanted) > 1 else names
        attribute = ("types", names, f"[types=[{shown}]]")
        return self.emit("prim::isinstance", [self.value(node.args[0])], [bool], None, attribute)

    def narrow_instance(self, node, holds):
        """Narrow the type of a name to those that a test for instances leaves."""
        value = self.names.get(getattr(node.args[0], "id", None))
        if isinstance(value, ScriptValue) and value.value_kind in (typing.Any, object):
            wanted = self.source.evaluate(node.args[1]) if holds else typing.Any
            self.cast(node.args[0].id, typing.Union[wanted] if isinstance(wanted, tuple) else wanted)  # noqa: UP007
        kinds = members_of(value.value_kind) if isinstance(value, ScriptValue) else ()
        if len(kinds) < 2:
            return
        wanted = self.source.evaluate(node.args[1])
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        left = tuple(kind for kind in kinds if any(is_instance(kind, each) for each in wanted) is holds)
        if left and len(left) < len(kinds):
            self.cast(node.args[0].id, typing.Union[left])  # noqa: UP007


def write_class(cls, write):
    """Return a class that a test for instances names."""
    return cls.__name__ if cls in (list, dict, tuple) else write(cls)


def is_isinstance(function):
    """Return True for Python's ``isinstance``, and that of ``torch.jit``."""
    return function is isinstance or function is marks.isinstance


def is_instance(kind, wanted):
    """Return True for a type whose values are instances of a class or an annotation."""
    if wanted in (list, dict, tuple):
        return origin_of(kind) is wanted or wanted is tuple and parts_of(kind) is not None
    return kind == wanted or wanted is none and kind is none
