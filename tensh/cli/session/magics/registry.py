"""The table of commands.

A command is a function of the session and the line it stands on, that yields events; `@magic` puts it into MAGICS under
its name. `%help`, completion, "did you mean" and the export to Python read that table, so a command is written down
once.
"""

from typing import NamedTuple

from tensh.cli.session.magics.writing import add_names, as_python
from tensh.language import _
from tensh.spelling import close

MAGICS = {}

# Names known from other prompts: the command that does the same here, or a sentence.
ELSEWHERE = {
    "whos": "who", "rewind": "undo", "recall": "history", "notebook": "export", "store": "save", "page": "full",
    "precision": "set", "config": "set", "lsmagic": "help", "magic": "help", "quickref": "help",
    "pdb": "debug", "system": "write !COMMAND", "sx": "write !COMMAND", "psearch": "write torch.*norm?",
    "matplotlib": "curves are drawn by %plot",
    "pip": "install outside of tensh: pip install NAME",
    "pwd": "write !pwd",
    "ls": "write !ls",
}  # fmt: skip


class Magic(NamedTuple):
    """A command: how it is written, what it does in a few words, and the function that does it.

    `sugar` is the call of a public function that the command stands for; `{}` in it is the argument, or the part of it
    that `subject` finds, and `named` the keyword, if any, by which it is told what that is called (see
    `writing.write_name_argument`). `switches` are its options that no value follows. `needs_journal` says that it looks
    at what was done before, so that it must have been written down, `needs_snapshots` at what that changed,
    `needs_places` that it asks where in the code operations were recorded.
    """

    usage: str
    summary: str
    run: object
    sugar: str | None = None
    subject: object = str
    named: str = ""
    switches: tuple[str, ...] = ()
    needs_journal: bool = False
    needs_places: bool = False
    needs_snapshots: bool = False
    is_usual: bool = False

    def python(self, argument):
        """The call that the command stands for with an argument; None where it stands for none."""
        if self.sugar is None or self.sugar == "{}":
            return self.sugar and argument
        return self.sugar.format(add_names(as_python(self.subject(argument), self.switches), self.named))


class MagicError(Exception):
    """A command that does not exist, or cannot do what was asked."""


def magic(name, usage, summary, sugar=None, **more):
    """Register a command. `usage` is how it is written."""

    def register(function):
        MAGICS[name] = Magic(usage, summary, function, sugar, **more)
        return function

    return register


def perform(session, command):
    """Run a command: yields events, raises MagicError or what the user's code raises."""
    if command.name not in MAGICS or MAGICS[command.name].is_usual:
        found = session.other_commands(command) if session.other_commands else None
        if found is not None:
            yield from found
            return
    if command.name not in MAGICS:
        raise MagicError(describe_unknown(command.name))
    if command.argument in ("?", "??"):  # %who?
        command = command._replace(name=command.argument, argument=f"%{command.name}")
    yield from MAGICS[command.name].run(session, command)


def needs_journal(command):
    """True if a command needs the journal of earlier lines."""
    return command.name in MAGICS and MAGICS[command.name].needs_journal


def needs_snapshots(command):
    """True if a command needs the changes that earlier lines made."""
    return command.name in MAGICS and MAGICS[command.name].needs_snapshots


def needs_places(command):
    """True if a command asks where in the code operations were recorded."""
    return command.name in MAGICS and MAGICS[command.name].needs_places


def describe_unknown(name):
    """Return the message for a command that does not exist."""
    if name.startswith("%"):
        return _("%{name}: there are no cell commands here; a command is one line, such as %time").format(name=name)
    meant = ELSEWHERE.get(name)
    if meant and meant not in MAGICS:
        return _("%{name}: no such command; {meant}").format(name=name, meant=_(meant))
    meant = meant or close(name.lower(), MAGICS)
    if meant:
        return _("%{name}: no such command; did you mean %{meant}?").format(name=name, meant=meant)
    return _("%{name}: no such command; %help lists them").format(name=name)
