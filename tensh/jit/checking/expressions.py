"""The check of expressions: each gets a value with a type, or an object that is known beforehand."""

import ast
import enum
import types
from typing import get_args

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.checking.classes import require_enum
from tensh.jit.checking.values import UNKNOWN, Value, describe, fits, is_known, join, members
from tensh.jit.language.classes import is_enum, is_script_class
from tensh.jit.language.types import KEYS, NO_KEY, optional_of, origin_of
from tensh.jit.scripting.kinds import element_of, none, parts_of, text_of
from tensh.jit.scripting.sugar import Bound, Known
from tensh.nn.modules.module import Module

__all__ = ["Expressions", "Steps", "Unusable", "is_python_value", "name_python_value"]

SLICE = "Python slice value"
"""The name of a slice that is made by a call."""


def is_python_value(value):
    """Return True for a Python object that a script can use only as an argument, and cannot call."""
    return isinstance(value, Module) or not callable(value)


def name_python_value(value):
    """Return the words for an object of Python in errors; modules have the name of their type in Python."""
    kind = types.ModuleType if isinstance(value, types.ModuleType) else type(value)
    return f"python value of type '{kind.__name__.rpartition('.')[2]}'"


class Steps:
    """The values that a loop goes over: ``parts`` if they are known one by one, otherwise every ``element``."""

    def __init__(self, parts=None, element=UNKNOWN, name=None):
        self.parts, self.element, self.name = parts, element, name


class Unusable:
    """The result of a call that gives no value, and its ``name`` in errors."""

    def __init__(self, name):
        self.name = name


class Expressions:
    """The part of the checker that checks expressions."""

    def value(self, node, hint=None):
        """Return the value of an expression; ``hint`` is the type that is expected there."""
        self.pending = node
        return self.as_value(self.expression(node, hint), node)

    def as_value(self, found, node):
        """Return an object as a value; refuse one of Python that scripts have no values for."""
        if isinstance(found, Value):
            return found
        if isinstance(found, tuple):
            kinds = [self.as_value(each, node).kind for each in found]
            return Value(tuple[tuple(kinds)] if kinds else tuple[()])
        if isinstance(found, Bound) and isinstance(found.owner, Value):
            self.refuse(node, "builtin cannot be used as a value")
        if isinstance(found, (Steps, Unusable)) and found.name is not None:
            self.refuse(node, f"{found.name} cannot be used as a value")
        if not isinstance(found, Known):
            return UNKNOWN
        value = found.value
        if value is None:
            return Value(none)
        if isinstance(value, (dtype, layout, memory_format)):
            return Value(int)
        if isinstance(value, device):
            return Value(device)
        if isinstance(value, enum.Enum):
            require_enum(type(value))
            return Value(type(value))
        if is_enum(value) or is_script_class(value):
            self.refuse(node, f"{'EnumClass' if is_enum(value) else 'Python type'} cannot be used as a value")
        if is_python_value(value):
            self.refuse(
                node,
                f"{name_python_value(value)} cannot be used as a value. Perhaps it is a closed over global variable? If so, "
                "please consider passing it in as an argument or use a local variable instead.",
            )
        if self.is_program(value):
            self.program.function(value, self, node)
            self.refuse(node, "function cannot be used as a value")
        return UNKNOWN

    def expression(self, node, hint=None):
        """Return a value, or an object that is known beforehand."""
        method = getattr(self, f"check_{type(node).__name__}", None)
        if method is None:
            return UNKNOWN
        if type(node) in (ast.List, ast.Dict, ast.IfExp, ast.Call):
            return method(node, hint)
        return method(node)

    # ── literals and names ───────────────────────────────────────────────────
    def check_Constant(self, node):
        if node.value is ...:
            return UNKNOWN
        return Value(type(node.value), constant=node.value)

    def check_Name(self, node):
        found = self.frame.find(node.id)
        if found is not None:
            return found
        found = self.lookup(node.id)
        if found is not None:
            return found
        reason = self.frame.find_error(node.id)
        self.refuse(node, f"undefined value {node.id}" if reason is None else f"{reason}and was used here")

    def elements(self, nodes):
        """Return the values of the elements of a literal; None if not all of them are known one by one."""
        found, whole = [], True
        for each in nodes:
            if isinstance(each, ast.Starred):
                parts = parts_of(self.value(each.value).kind)
                whole = whole and parts is not None
                found += map(Value, parts or ())
            else:
                found.append(self.value(each))
        return found if whole else None

    def check_List(self, node, hint=None):
        parts = self.elements(node.elts)
        if parts is None or hint is not None and not is_known(hint):
            return UNKNOWN
        wanted = optional_of(hint) or hint
        if wanted is not None and len(members(wanted)) > 1:
            return UNKNOWN
        element = None if wanted is None else element_of(wanted)
        if wanted is not None and element is None:
            self.refuse(node, f"Expected an annotation of type List but got {describe(wanted)}")
        if not parts:
            return Value(wanted or list[Tensor], empty=wanted is None)
        kind = self.unify(parts)
        if element is not None and not fits(kind, element):
            shown = describe(Value(kind, all(each.inferred for each in parts)))
            self.refuse(
                node,
                f"List type annotation `{describe(wanted)}` did not match the types of the given list elements, which were unified to "
                f"{shown}",
            )
        return Value(list[kind if element is None else element])

    @staticmethod
    def unify(values):
        """Return the type of elements of a literal, a union if they have several."""
        kind = values[0].kind
        for each in values[1:]:
            if not is_known(kind) or not is_known(each.kind):
                return UNKNOWN.kind
            joined = join(kind, each.kind)
            kind = kind | each.kind if joined is None else joined
        return kind

    def check_Tuple(self, node):
        parts = self.elements(node.elts)
        if parts is None:
            return UNKNOWN
        return Value(tuple[tuple(each.kind for each in parts)] if parts else tuple[()], parts=parts)

    def check_Dict(self, node, hint=None):
        keys = [self.value(each) if each is not None else UNKNOWN for each in node.keys]
        values = [self.value(each) for each in node.values]
        require_key(keys)
        wanted = optional_of(hint) or hint
        if wanted is not None and (not is_known(wanted) or len(members(wanted)) > 1):
            return UNKNOWN
        if wanted is not None and origin_of(wanted) is not dict:
            self.refuse(node, f"Expected an annotation of type Dict but got {describe(wanted)}")
        if not keys:
            return Value(wanted or dict[str, Tensor])
        for each, at in zip(keys, node.keys):
            if is_known(each.kind) and is_known(keys[0].kind) and each.kind != keys[0].kind:
                text = "Dict keys must contain only a single type. Expected: "
                self.refuse(at, f"{text}{describe(keys[0])} but found {describe(each)} instead")
        key, kind = keys[0].kind, self.unify(values)
        if wanted is not None:
            own, other = get_args(wanted)
            if not fits(key, own):
                text = f"Type annotation was inferred to be {describe(wanted)}but the type of keys given by the dict literal is "
                self.refuse(node, text + describe(key))
            if not fits(kind, other):
                text = f"Type annotation was inferred to be `{describe(wanted)}`, but the type of values given by the dict literal is "
                self.refuse(node, text + describe(kind))
        return Value(wanted or dict[key, kind])

    def check_JoinedStr(self, node):
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                self.value(each.value)
        return Value(str)

    def check_ListComp(self, node):
        loop, found = node.generators[0], []
        steps = self.steps_of(self.expression(loop.iter), node)

        def run():
            self.assign(loop.target, steps.element if steps.parts is None else UNKNOWN, node)
            found.append(self.value(node.elt))

        if steps.parts is not None:
            for each in steps.parts:
                self.within(
                    lambda each=each: (self.assign(loop.target, each, node), found.append(self.value(node.elt)))
                )
            return Value(list[self.unify(found)]) if found else UNKNOWN
        self.within(run)
        return Value(list[found[0].kind])

    def check_GeneratorExp(self, node):
        return self.check_ListComp(node)

    def check_DictComp(self, node):
        loop = node.generators[0]
        steps = self.steps_of(self.expression(loop.iter), node)
        found = []

        def run():
            self.assign(loop.target, steps.element if steps.parts is None else UNKNOWN, node)
            found.extend([self.value(node.key), self.value(node.value)])

        self.within(run)
        return Value(dict[found[0].kind, found[1].kind])


def require_key(keys):
    """Raise RuntimeError for keys of a type that dictionaries do not have."""
    if keys and is_known(keys[0].kind) and keys[0].kind not in KEYS:
        raise RuntimeError(NO_KEY.format(text_of(keys[0].kind)))
