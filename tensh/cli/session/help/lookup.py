"""Finding the help page for a name of the session, a public name, or a name that only PyTorch has."""

import builtins
import inspect
import re
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)

from tensh.alias.parts import own_name
from tensh.cli.session.help import matching, names, page, values
from tensh.cli.session.help.unknown import Unknown
from tensh.cli.session.static.known import find_known, find_parts
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.methods.unsupported import NotInTensh, write_sentence
from tensh.support.language import _
from tensh.support.spelling import close

ROUTINES = (
    FunctionType | MethodType | BuiltinFunctionType | MethodDescriptorType | WrapperDescriptorType | MethodWrapperType
)
# type(value) is used throughout: isinstance would query the value, which can fail for a proxy.


def find_session_page(text, namespace, with_source):
    """Return the page of a dotted name of a session, else of a public name, as (kind, text) pairs.

    Never evaluates a property.
    """
    if "*" in text:
        return matching.list_matching(text, namespace)
    first, *rest = re.split(r"[.\[]", text)
    if first not in namespace and first not in vars(builtins):
        found = names.find_name(text)
        if found is not None:
            return page.page(found, with_source)
        raise Unknown(
            _("{text}?: the name {first!r} is not defined{meant}").format(
                text=text, first=first, meant=suggest_name(first, [*namespace, *vars(builtins)])
            )
        )
    if "[" in text:
        found = find_known(text, namespace)
        if found is None or not found.has_value:
            words = _("{name}?: its value is not known until it runs; assign it to a name, and ask about that")
            raise Unknown(words.format(name=text))
        return values.page(text, found.value, namespace, with_source)
    value = namespace[first] if first in namespace else vars(builtins)[first]
    known = public(value)
    for part in rest:
        known, value = step(known, value, part, text)
    if known is not None:
        return page.page(known, with_source)
    return values.page(text, value, namespace, with_source)


def public(value):
    """Return the Name of a module of tensh, of Tensor, or of a function or class; None for other values."""
    if issubclass(type(value), ModuleType):
        root, _, rest = own_name(value).partition(".")
        return names.find_name(f"torch.{rest}") if root == "tensh" and rest else None
    if not issubclass(type(value), ROUTINES | type):
        return None
    module, name = getattr(value, "__module__", None), name_in_space(value)
    if not isinstance(module, str):
        return None
    if module.partition(".")[0] != "torch" or not isinstance(name, str):
        return None
    found = names.find_name(f"{module}.{name}") or names.find_name(name)
    return found if found is not None and names.function(found) is inspect.unwrap(value) else None


def step(known, value, part, text):
    """Return (the Name or None, the value) of an attribute."""
    space = space_of(value)
    if space is not None:
        found = names.find_name(f"{space}.{part}")
        if found is not None:
            return found, found.value if found.kind != "property" else None
        if names.is_only_in_pytorch(f"{space}.{part}"):
            raise NotInTensh(write_sentence(f"{space}.{part}"))
    try:
        if issubclass(type(value), ModuleType):
            return None, getattr(value, part)
        return None, inspect.getattr_static(value, part)
    except AttributeError:
        parts = {} if issubclass(type(value), ModuleType | type) else find_parts(value)
        if part in parts:
            return None, parts[part]
        known = dir(value) if issubclass(type(value), ModuleType | type) else [*dir(type(value)), *parts]
        raise Unknown(
            _("{text}?: there is no {part!r}{meant}").format(text=text, part=part, meant=suggest_name(part, known))
        ) from None


def space_of(value):
    """Return the namespace ``torch.x.y`` of a module or of tensors; None for other values."""
    if issubclass(type(value), ModuleType):
        root, dot, rest = own_name(value).partition(".")
        return f"torch{dot}{rest}" if root == "tensh" else None
    from tensh.engine.core.tensor import Tensor

    return "torch.Tensor" if issubclass(type(value), Tensor) or value is Tensor else None


def find_public_page(text, with_source=False):
    """Return the page of a public name, with or without its namespace."""
    found = names.find_name(text)
    if found is None:
        absent = names.find_missing(text)
        if absent:
            raise NotInTensh(write_sentence(absent))
        raise Unknown(
            _("{text}: neither tensh nor PyTorch has this name{meant}").format(text=text, meant=suggest_public(text))
        )
    return page.page(found, with_source)


def suggest_name(word, known):
    """Return `; did you mean NAME?`, or ""."""
    best = close(word, known)
    return _("; did you mean {name}?").format(name=best) if best else ""


def suggest_public(text):
    """Suggest a public name, from the given namespace or from any."""
    space, _point, word = names.spell_out(text).rpartition(".")
    known = {name: f"{place}.{name}" for place in reversed(names.spaces()) for name in names.entries(place)}
    best = close(word, names.entries(space)) if space != "torch" else None
    path = f"{space}.{best}" if best else known.get(close(word, known))
    return _("; did you mean {name}?").format(name=path) if path else ""
