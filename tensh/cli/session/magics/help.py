"""Asking: `%help`, `name?` and `name??`."""

from tensh.cli.session.events import Text
from tensh.cli.session.magics.registry import MAGICS, MagicError, magic


@magic("help", "%help", "this list")
def help_(session, command):
    width = max(len(each.usage) for each in MAGICS.values())
    rows = "".join(f"{each.usage:{width}}  {each.summary}\n" for each in MAGICS.values())
    yield Text([("plain", rows)])


@magic("?", "name?", "what a name is: its signature, its documentation, its derivative, an example")
def question(session, command):
    yield Text(page(session, command.argument, with_source=False))


@magic("??", "name??", "the same with its source: the declaration, and the function written from it")
def double_question(session, command):
    yield Text(page(session, command.argument, with_source=True))


def page(session, name, with_source):
    """The help page of a name, as (kind, text) pairs."""
    from tensh.cli.session.help import lookup  # reads tables that only this needs

    try:
        return [*lookup.in_session(name, session.namespace, with_source)]
    except lookup.Unknown as error:
        raise MagicError(str(error)) from None
