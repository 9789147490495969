"""The table of commands.

A command is a function of the session and the line it stands on, that yields events; `@magic` puts it into MAGICS under
its name. `%help` prints that table, so a command is written down once.
"""

from typing import NamedTuple

MAGICS = {}


class Magic(NamedTuple):
    """A command: how it is written, what it does in a few words, and the function that does it."""

    usage: str
    summary: str
    run: object


class MagicError(Exception):
    """A command that does not exist, or cannot do what it was asked."""


def magic(name, usage, summary):
    """Register a command. `usage` is how it is written."""

    def register(function):
        MAGICS[name] = Magic(usage, summary, function)
        return function

    return register


def perform(session, command):
    """Run a command: yields events, raises MagicError or what the user's code raises."""
    if command.name not in MAGICS:
        raise MagicError(_unknown(command.name))
    yield from MAGICS[command.name].run(session, command)


def _unknown(name):
    import difflib

    if name.startswith("%"):
        return f"%{name}: there are no cell commands here; a command is one line, such as %time"
    close = difflib.get_close_matches(name, MAGICS, 1)
    return f"%{name}: no such command; " + (f"did you mean %{close[0]}?" if close else "%help lists them")
