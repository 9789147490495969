"""The table of commands.

A command is a function of the session and the line it stands on, that yields events; `@magic` puts it into MAGICS under
its name. `%help`, completion, "did you mean" and the export to Python read that table, so a command is written down
once.
"""

from typing import NamedTuple

from tensh.spelling import close

MAGICS = {}

# What people type who know another prompt: the command that does it here, or a sentence.
ELSEWHERE = {
    "whos": "who", "rewind": "undo", "recall": "history", "notebook": "export", "store": "save", "page": "full",
    "precision": "set", "config": "set", "prun": "timeit", "lsmagic": "help", "magic": "help", "quickref": "help",
    "run": "tensh run FILE runs a file, tensh run -i FILE stays at the prompt afterwards",
    "matplotlib": "curves are drawn by %plot",
    "pip": "install outside of tensh: pip install NAME",
    "cd": "write import os; os.chdir(...)",
    "pwd": "write import os; os.getcwd()",
    "ls": "write import os; os.listdir()",
}  # fmt: skip


class Magic(NamedTuple):
    """A command: how it is written, what it does in a few words, and the function that does it.

    `sugar` is the call of a public function that the command stands for; `{}` in it is the argument. `needs_journal`
    says that it looks at what was done before, so that it must have been written down, `needs_snapshots` at what that
    changed, `needs_places` that it asks where in the code operations were recorded.
    """

    usage: str
    summary: str
    run: object
    sugar: str | None = None
    needs_journal: bool = False
    needs_places: bool = False
    needs_snapshots: bool = False


class MagicError(Exception):
    """A command that does not exist, or cannot do what it was asked."""


def magic(name, usage, summary, sugar=None, **needs):
    """Register a command. `usage` is how it is written."""

    def register(function):
        MAGICS[name] = Magic(usage, summary, function, sugar, **needs)
        return function

    return register


def perform(session, command):
    """Run a command: yields events, raises MagicError or what the user's code raises."""
    if command.name not in MAGICS:
        raise MagicError(unknown(command.name))
    if command.argument in ("?", "??"):  # %who?
        command = command._replace(name=command.argument, argument=f"%{command.name}")
    yield from MAGICS[command.name].run(session, command)


def needs_journal(command):
    """Whether a command looks at what was done before it."""
    return command.name in MAGICS and MAGICS[command.name].needs_journal


def needs_snapshots(command):
    """Whether a command looks at what the lines before it have changed."""
    return command.name in MAGICS and MAGICS[command.name].needs_snapshots


def needs_places(command):
    """Whether a command asks where in the code operations were recorded."""
    return command.name in MAGICS and MAGICS[command.name].needs_places


def unknown(name):
    """What to say of a command that does not exist."""
    if name.startswith("%"):
        return f"%{name}: there are no cell commands here; a command is one line, such as %time"
    meant = ELSEWHERE.get(name)
    if meant and meant not in MAGICS:
        return f"%{name}: no such command; {meant}"
    meant = meant or close(name.lower(), MAGICS)
    return f"%{name}: no such command; " + (f"did you mean %{meant}?" if meant else "%help lists them")
