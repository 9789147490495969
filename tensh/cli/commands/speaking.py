"""Help in the chosen language: translate the texts that Typer writes, including its own."""

import contextlib
import re

import typer.core

import tensh.support.language as language
from tensh.support.language import ENGLISH, _, deferred

WORDS = (
    deferred("Usage"), deferred("Options"), deferred("Arguments"), deferred("Commands"),
    deferred("Show this message and exit."), deferred("[required]"), deferred("[default: {}]"),
    deferred("Install completion for the current shell."),
    deferred("Show completion for the current shell, to copy it or customize the installation."),
)  # fmt: skip
TITLES = "OPTIONS_PANEL_TITLE", "ARGUMENTS_PANEL_TITLE", "COMMANDS_PANEL_TITLE"  # titles of Typer's boxes
ERRORS = {  # the parser's messages, in the wording of every version of click
    r"No such command '(.*)'\.?": deferred("No such command '{}'"),
    r"Missing argument '(.*)'\.": deferred("Missing argument '{}'"),
    r"Missing argument '(.*)'\. Choose from: (.*)": deferred("Missing argument '{}': one of {}"),
    r"Missing option '(.*)'\.": deferred("Missing option '{}'"),
    r"Option '(.*)' requires an argument\.": deferred("Option '{}' requires an argument"),
    r"Option '(.*)' does not take a value\.": deferred("Option '{}' does not take a value"),
    r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)": deferred("Got unexpected extra arguments: {}"),
    r"Invalid value for '(.*)': (.*) is not one of (.*?)\.?": deferred("Invalid value for '{}': {} is not one of {}"),
    r"Invalid value for '(.*)': .* valid int.*": deferred("Invalid value for '{}': expected a whole number"),
    r"Invalid value for '(.*)': .* valid (?:float|number).*": deferred("Invalid value for '{}': expected a number"),
}
STOPS = ". ", "。"  # ends of a sentence
NARROWEST = 20  # columns that help is wrapped to


def first_sentence(text):
    """Return the first sentence of a help text without its full stop, for the list of commands."""
    line = text.partition("\n\n")[0]
    return min((line.partition(stop)[0] for stop in STOPS), key=len).rstrip(".。")


def join_lines(text):
    """Return a help text with each paragraph on one line, since Typer's boxes keep the line breaks of the source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def texts(application):
    """Yield all translatable texts in the help of an application."""
    for command in (application, *application.commands.values()):
        yield command.help
        for parameter in command.params:
            yield from filter(None, (parameter.help, getattr(parameter, "rich_help_panel", None)))


def translate_error(message):
    """Translate the parser's error message, without the names of its checks."""
    message = message.replace("Value error, ", "")
    for pattern, text in ERRORS.items():
        found = re.fullmatch(pattern, message)
        if found:
            return _(text).format(*found.groups())
    return message


@contextlib.contextmanager
def translated(command, ctx):
    """A context in which the texts of a command, and the first sentences of its subcommands, are translated."""
    commands = [*getattr(command, "commands", {}).values()]
    changes = [(each, "short_help", first_sentence(_(each.help or ""))) for each in commands]
    changes += [(command, "help", join_lines(_(command.help or "")))]
    if language.current != ENGLISH:
        changes += [(each, "help", _(each.help or "")) for each in commands]
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
    """Yield Typer's module of boxes if it draws the command's help."""
    if getattr(command, "rich_markup_mode", None):
        from typer import rich_utils

        yield rich_utils


class Formatter(typer.core.TyperCommand.context_class.formatter_class):
    """Writes help as plain text, with its headings translated."""

    def write_usage(self, prog, args="", prefix=None):
        super().write_usage(prog, args, _("Usage") + ": ")

    def section(self, name):
        return super().section(_(name))

    def write_dl(self, rows, col_max=30, col_spacing=2):
        narrower = min(col_max, self.width // 2 - col_spacing)  # longer names have a separate line
        super().write_dl([(name, translate_marks(text)) for name, text in rows], narrower, col_spacing)


def translate_marks(text):
    """Translate `[required]` and `[default: X]`, which Typer appends to a row."""
    text = text.replace("[required]", _("[required]"))
    return re.sub(r"\[default: (.*?)\]", lambda found: _("[default: {}]").format(found[1]), text)


class Context(typer.core.TyperCommand.context_class):
    """The context of a parsed command line, which also translates the usage in error messages."""

    formatter_class = Formatter

    def make_formatter(self):
        formatter, env = super().make_formatter(), self.obj["environment"]
        formatter.width = min(formatter.width, max(env.width(env.stdout) - 2, NARROWEST))  # Click assumes 50 or more
        return formatter


class TranslatedCommand:
    """A command whose help is translated when it is shown."""

    context_class = Context

    def format_help(self, ctx, formatter):
        with translated(self, ctx):
            super().format_help(ctx, formatter)


class Command(TranslatedCommand, typer.core.TyperCommand):
    pass


class Group(TranslatedCommand, typer.core.TyperGroup):
    pass
