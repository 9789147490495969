"""Help commands: `%help`, `name?` and `name??`."""

import inspect
import pkgutil

from tensh.cli.session.events import Value
from tensh.cli.session.magics.registry import MAGICS, MagicError, describe_unknown, magic
from tensh.cli.session.magics.tasks import MORE, TASKS
from tensh.cli.session.sources.elements import write_elements
from tensh.support.language import _


@magic("help", "%help [NAME]", "the commands by task, or what a name is")
def help_(session, command):
    from tensh.cli.session.help.view import Listing

    wanted = command.argument
    if not wanted:
        tasks = [(_(task), "  ".join(commands.split())) for task, commands in TASKS.items()]
        yield Value(Listing([*tasks, *((usage, _(summary)) for usage, summary in MORE)]), command)
    elif wanted == "commands":
        yield Value(Listing([(each.usage, _(each.summary)) for each in MAGICS.values()]), command)
    elif wanted == "keys" and wanted not in session.namespace:
        if session.keys is None:
            raise MagicError(_("%help keys works only at the prompt"))
        yield Value(Listing([(_(key), _(action)) for key, action in session.keys]), command)
    else:
        yield from page(session, command, with_source=False)


@magic("?", "name?, ?name", "what a name is: its signature, its documentation, its derivative, an example")
def question(session, command):
    yield from page(session, command, with_source=False)


@magic("??", "name??", "the same with its source: the declaration, and the function generated from it")
def double_question(session, command):
    yield from page(session, command, with_source=True)


def page(session, command, with_source):
    """Show the help page of a name or a command."""
    from tensh.cli.session.help import lookup, view  # they load tables that nothing else needs

    name = write_elements(command.argument)
    if not name:  # a `?` alone
        yield from help_(session, command)
        return
    try:
        if name.startswith("%") or name in MAGICS and name not in session.namespace:
            tokens = page_of_command(name.removeprefix("%"))
        else:
            tokens = lookup.find_session_page(name, session.namespace, with_source)
        yield Value(view.HelpPage(tokens), command)
    except lookup.Unknown as error:
        raise MagicError(str(error)) from None


def page_of_command(name):
    """Yield (kind, text) pairs that describe a command: its usage, its effect, and the function it calls."""
    if name not in MAGICS:
        raise MagicError(describe_unknown(name))
    command = MAGICS[name]
    yield "keyword", f"{command.usage}\n"
    yield "prose", f"\n{_(command.summary)}\n"
    path = (command.sugar or "").partition("(")[0]
    if "." in path:
        from tensh.cli.session.help import page as pages

        function = pkgutil.resolve_name(path.replace("torch.", "tensh."))

        yield "title", f"\n{path}"
        yield "signature", f"{pages.signature(function)}\n"
        yield "plain", "\n"
        text, mark, example = pages.indent(clean_documentation(function)).partition("  >>> ")
        yield "prose", text
        yield "example", mark + example


def clean_documentation(function):
    """Return the documentation of a function, its examples as they appear on a screen."""
    return (inspect.getdoc(function) or "").replace("<BLANKLINE>", "").replace("``", "`")
