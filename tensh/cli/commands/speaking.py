"""Help in the language that is spoken: Typer writes what this hands it, and its own few words."""

import contextlib
import re

import typer.core

import tensh.language as language
from tensh.language import ENGLISH, _, deferred

WORDS = (
    deferred("Usage"), deferred("Options"), deferred("Arguments"), deferred("Commands"),
    deferred("Show this message and exit."), deferred("[required]"), deferred("[default: {}]"),
    deferred("Install completion for the current shell."),
    deferred("Show completion for the current shell, to copy it or customize the installation."),
)  # fmt: skip
TITLES = "OPTIONS_PANEL_TITLE", "ARGUMENTS_PANEL_TITLE", "COMMANDS_PANEL_TITLE"  # of Typer's boxes
ERRORS = {  # what the parser says, as it is with every version of click
    r"No such command '(.*)'\.?": deferred("No such command '{}'"),
    r"Missing argument '(.*)'\.": deferred("Missing argument '{}'"),
    r"Option '(.*)' requires an argument\.": deferred("Option '{}' requires an argument"),
    r"Option '(.*)' does not take a value\.": deferred("Option '{}' does not take a value"),
    r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)": deferred("Got unexpected extra arguments: {}"),
    r"Invalid value for '(.*)': (.*) is not one of (.*?)\.?": deferred("Invalid value for '{}': {} is not one of {}"),
    r"Invalid value for '(.*)': .* valid int.*": deferred("Invalid value for '{}': a whole number was expected"),
    r"Invalid value for '(.*)': .* valid (?:float|number).*": deferred("Invalid value for '{}': a number was expected"),
}
STOPS = ". ", "。"  # what a sentence ends with


def first_sentence(text):
    """The first sentence of a help text, without its full stop: what stands in the list of commands."""
    line = text.partition("\n\n")[0]
    return min((line.partition(stop)[0] for stop in STOPS), key=len).rstrip(".。")


def texts(application):
    """All texts of the help of an application that can be translated."""
    for command in (application, *application.commands.values()):
        yield command.help
        for parameter in command.params:
            yield from filter(None, (parameter.help, getattr(parameter, "rich_help_panel", None)))


def translate_error(message):
    """The parser's message on a command line, in the chosen language, without the names of the parser's checks."""
    message = message.replace("Value error, ", "")
    for pattern, text in ERRORS.items():
        found = re.fullmatch(pattern, message)
        if found:
            return _(text).format(*found.groups())
    return message


@contextlib.contextmanager
def translated(command, ctx):
    """Within, the texts of a command, and the first sentences of the commands below it, are translated."""
    commands = [*getattr(command, "commands", {}).values()]
    changes = [(each, "short_help", first_sentence(_(each.help or ""))) for each in commands]
    if language.current != ENGLISH:
        changes += [(each, "help", _(each.help or "")) for each in (command, *commands)]
        for parameter in command.get_params(ctx):
            names = ("help", "rich_help_panel")
            changes += [
                (parameter, name, _(getattr(parameter, name, None))) for name in names if getattr(parameter, name, None)
            ]
        changes += [(boxes, name, _(getattr(boxes, name))) for boxes in boxes_of(command) for name in TITLES]
    before = [(holder, name, getattr(holder, name)) for holder, name, _new in changes]
    for holder, name, text in changes:
        setattr(holder, name, text)
    try:
        yield
    finally:
        for holder, name, text in before:
            setattr(holder, name, text)


def boxes_of(command):
    """Typer's module of boxes, where a command's help is drawn in them."""
    if getattr(command, "rich_markup_mode", None):
        from typer import rich_utils

        yield rich_utils


class Formatter(typer.core.TyperCommand.context_class.formatter_class):
    """Writes help as plain text, its own words translated."""

    def write_usage(self, prog, args="", prefix=None):
        super().write_usage(prog, args, _("Usage") + ": ")

    def section(self, name):
        return super().section(_(name))

    def write_dl(self, rows, *widths, **more):
        super().write_dl([(name, translate_marks(text)) for name, text in rows], *widths, **more)


def translate_marks(text):
    """The text of a row with `[required]` and `[default: X]` translated, as Typer puts them behind it."""
    text = text.replace("[required]", _("[required]"))
    return re.sub(r"\[default: (.*?)\]", lambda found: _("[default: {}]").format(found[1]), text)


class Context(typer.core.TyperCommand.context_class):
    """The parsing of a command line; the usage in errors is translated, too."""

    formatter_class = Formatter


class TranslatedCommand:
    """A command whose help is in the language that is spoken when it is asked for."""

    context_class = Context

    def format_help(self, ctx, formatter):
        with translated(self, ctx):
            super().format_help(ctx, formatter)


class Command(TranslatedCommand, typer.core.TyperCommand):
    pass


class Group(TranslatedCommand, typer.core.TyperGroup):
    pass
