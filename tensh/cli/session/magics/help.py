"""Asking: `%help`, `name?` and `name??`."""

import inspect

from tensh.cli.session import describe
from tensh.cli.session.events import Text
from tensh.cli.session.magics.registry import MAGICS, MagicError, magic


@magic("help", "%help", "this list")
def help_(session, command):
    width = max(len(each.usage) for each in MAGICS.values())
    rows = "".join(f"{each.usage:{width}}  {each.summary}\n" for each in MAGICS.values())
    yield Text([("plain", rows)])


@magic("?", "name?", "what a name is: its signature and its documentation; name?? shows its source")
def question(session, command):
    value = lookup(session, command.argument)
    yield Text(page(command.argument, value, with_source=False))


@magic("??", "name??", "the same with its source")
def double_question(session, command):
    value = lookup(session, command.argument)
    yield Text(page(command.argument, value, with_source=True))


def lookup(session, name):
    """The object that a dotted name means."""
    first, *rest = name.split(".")
    try:
        value = session.namespace[first] if first in session.namespace else session.builtin(first)
    except KeyError:
        raise MagicError(f"{name}?: the name {first!r} is not defined") from None
    for part in rest:
        try:
            value = getattr(value, part)
        except AttributeError as error:
            raise MagicError(f"{name}?: {error}") from None
    return value


def page(name, value, with_source):
    """The help page of an object as (kind, text) pairs."""
    tokens = [("keyword", name), ("plain", _signature(value) + "\n")]
    documentation = inspect.getdoc(value)
    if not callable(value):
        brief = describe.brief(value)
        tokens.append(("note", f"{type(value).__name__} {brief}\n" if brief else f"{type(value).__name__}\n"))
        if type(value).__module__ == "builtins" or brief:
            documentation = None  # of int, list or Tensor, which is not what was asked about
    if documentation:
        tokens.append(("plain", "\n" + documentation + "\n"))
    if with_source:
        try:
            tokens.append(("code", "\n" + inspect.getsource(value).rstrip() + "\n"))
        except (OSError, TypeError):
            tokens.append(("note", "\nits source is not Python\n"))
    return tokens


def _signature(value):
    if not callable(value):
        return ""
    try:
        return str(inspect.signature(value))
    except (ValueError, TypeError):
        return "(...)"
