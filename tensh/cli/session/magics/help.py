"""Asking: `%help`, `name?` and `name??`."""

import inspect
import pkgutil

from tensh.cli.session.events import Value
from tensh.cli.session.magics.registry import MAGICS, MagicError, magic, unknown


@magic("help", "%help [NAME]", "this list, or what a name is")
def help_(session, command):
    if command.argument:
        yield from page(session, command, with_source=False)
        return
    from tensh.cli.session.help.view import Listing

    yield Value(Listing([(each.usage, each.summary) for each in MAGICS.values()]), command)


@magic("?", "name?", "what a name is: its signature, its documentation, its derivative, an example")
def question(session, command):
    yield from page(session, command, with_source=False)


@magic("??", "name??", "the same with its source: the declaration, and the function written from it")
def double_question(session, command):
    yield from page(session, command, with_source=True)


def page(session, command, with_source):
    """Show the help page of a name or a command."""
    from tensh.cli.session.help import lookup, view  # they read tables that only this needs

    name = command.argument
    try:
        if name.startswith("%") or name in MAGICS and name not in session.namespace:
            tokens = page_of_command(name.removeprefix("%"))
        else:
            tokens = lookup.in_session(name, session.namespace, with_source)
        yield Value(view.HelpPage(tokens), command)
    except lookup.Unknown as error:
        raise MagicError(str(error)) from None


def page_of_command(name):
    """How a command is written, what it does, and the function that it stands for, as (kind, text) pairs."""
    if name not in MAGICS:
        raise MagicError(unknown(name))
    command = MAGICS[name]
    yield "keyword", f"{command.usage}\n"
    yield "plain", f"\n{command.summary}\n"
    path = (command.sugar or "").partition("(")[0]
    if path.isidentifier() or "." in path:
        from tensh.cli.session.help import page as pages

        function = pkgutil.resolve_name(path.replace("torch.", "tensh."))

        yield "title", f"\n{path}"
        yield "plain", f"{pages.signature(function)}\n\n{pages.indent(inspect.getdoc(function) or '')}"
