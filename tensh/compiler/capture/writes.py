"""Assignments to what is outside of a function: attributes, global variables and variables of enclosing functions."""

import dis
import inspect
import linecache
import re
import types
from typing import NamedTuple

from tensh.engine.autograd.context import FunctionCtx
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch

__all__ = ["ENCLOSED", "GLOBAL", "Write", "find_write", "is_known", "is_of_call", "settle"]

ATTRIBUTE = "attribute"
ENCLOSED = "variable"
GLOBAL = "global variable"


class Write(NamedTuple):
    """An assignment of an attribute, a global variable or a variable of an enclosing function.

    ``owner`` are the names that lead to the object of an attribute, or None if the source does not tell; the object is
    known before the function runs unless it ``is_late``.
    """

    kind: str
    name: str
    owner: tuple | None = None
    is_late: bool = False

    def __str__(self):
        return f"the {self.kind} {self.name}{' of the enclosing function' * (self.kind == ENCLOSED)} is set"


def find_write(code, name, positions):
    """Return the assignment of an attribute whose source is ``a.b.c = ...``.

    A local variable that is assigned may be another object by then; it is looked at when the function returns.
    """
    line, last, begin, end = positions
    text = linecache.getline(code.co_filename, line or 0).encode()[begin:end].decode() if line == last else ""
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+", text):
        return Write(ATTRIBUTE, name)
    *owner, _ = text.split(".")
    return Write(ATTRIBUTE, name, tuple(owner), owner[0] in list_assigned(code))


def list_assigned(code):
    """Return the local variables that a function assigns."""
    stored = [
        each.argval for each in dis.get_instructions(code) if each.opname.startswith(("STORE_FAST", "STORE_DEREF"))
    ]
    return {name for each in stored for name in (each if isinstance(each, tuple) else (each,))}


def find_object(frame, path):
    """Return the object to which a path of names leads from a frame, without calling anything; else None."""
    if path is None:
        return None
    head, *rest = path
    value = frame.f_locals.get(head, frame.f_globals.get(head))
    for name in rest:
        members = getattr(value, "__dict__", None) or {}
        inner = members.get("_modules") if isinstance(value, Module) else None
        value = members[name] if name in members else (inner or {}).get(name)
    return value


def is_known(write, frame, watch):
    """Return True if the guards note the changes of the object that is written."""
    guards, code = watch.guards, frame.f_code
    if write.kind == ENCLOSED:
        return code in guards.codes or any(code in each.co_consts for each in watch.codes)
    if write.kind == GLOBAL:
        return keep_variable(guards, frame.f_globals, write.name)
    owner = find_object(frame, write.owner)
    if isinstance(owner, types.ModuleType) and not is_of_torch(owner.__name__):
        return keep_variable(guards, vars(owner), write.name)
    if isinstance(owner, Module) and id(owner) in guards.contents.objects:
        guards.keep_members(owner)
    content = guards.contents.find(getattr(owner, "__dict__", None))
    return content is not None and content.is_outside


def is_of_call(write, frame, watch):
    """Return True if the call has made the object that is written."""
    owner = find_object(frame, write.owner) if write.kind == ATTRIBUTE else None
    return owner is not None and (id(owner) in watch.made or isinstance(owner, FunctionCtx))


def settle(write, frame, function):
    """Replace what a function has assigned by what another one makes of it."""
    values = {ENCLOSED: frame.f_locals, GLOBAL: frame.f_globals}.get(write.kind)
    if values is None:
        settle_attribute(find_object(frame, write.owner), write.name, function)
    elif write.name in values and (made := function(values[write.name])) is not values[write.name]:
        values[write.name] = made


def settle_attribute(owner, name, function):
    """Replace an attribute by what a function makes of it, without calling anything of the program."""
    value = inspect.getattr_static(owner, name, None)
    if isinstance(value, types.MemberDescriptorType) and not isinstance(owner, type):
        value = value.__get__(owner) if hasattr(owner, name) else None
    if (made := function(value)) is not value:
        (type if isinstance(owner, type) else object).__setattr__(owner, name, made)


def keep_variable(guards, members, name):
    """Note a variable of a module before it is assigned; return True."""
    guards.contents.keep(guards.constant(members, "g"), members, {name})
    return True
