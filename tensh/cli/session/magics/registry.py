"""The table of commands.

A command is a function of the session and its line that yields events; `@magic` registers it in MAGICS. `%help`,
completion, suggestions and the export to Python use that table, so that a command is declared once.
"""

from typing import NamedTuple

from tensh.cli.session.magics.writing import add_names, as_python
from tensh.cli.session.sources.elements import write_elements
from tensh.support.language import _
from tensh.support.spelling import close

MAGICS = {}

# Names from other shells: the equivalent command here, or a sentence.
ELSEWHERE = {
    "whos": "who", "rewind": "undo", "recall": "history", "notebook": "export", "store": "save", "page": "full",
    "precision": "set", "config": "set", "lsmagic": "help", "magic": "help", "quickref": "help",
    "pdb": "debug", "system": "write !COMMAND", "sx": "write !COMMAND", "psearch": "write torch.*norm?",
    "who_ls": "who", "rerun": "edit", "macro": "edit", "logstart": "export", "env": "write !env", "cat": "write !cat FILE",
    "bash": "write !COMMAND", "sh": "write !COMMAND", "pinfo": "write NAME?", "pdoc": "write NAME?", "pfile": "write NAME??",
    "paste": "a paste needs no command", "cpaste": "a paste needs no command", "memit": "memory",
    "explain": "a failure is explained below its message, a name by NAME?, a gradient by %why",
    "matplotlib": "curves are drawn by %plot",
    "pip": "install outside of tensh: pip install NAME",
    "pwd": "write !pwd",
    "ls": "write !ls",
}  # fmt: skip


class Magic(NamedTuple):
    """A command: its usage, its summary, and its function.

    `sugar` is the equivalent call of a public function: `{}` is the argument, or the part of it that `subject` selects,
    and `named` the keyword, if any, for the name of the argument (see `writing.write_name_argument`). `switches` are
    options without a value. `needs_journal` means that the command reads earlier lines, which must therefore be
    recorded; `needs_snapshots` that it undoes their changes; `needs_places` that it uses the code locations of
    operations.
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
        """Return the equivalent call for an argument; None if there is none."""
        if self.sugar is None or self.sugar == "{}":
            return self.sugar and write_elements(argument)
        return self.sugar.format(add_names(as_python(self.subject(argument), self.switches), self.named))


class MagicError(Exception):
    """Raised for an unknown command, or one that cannot do what was asked."""


def magic(name, usage, summary, sugar=None, **more):
    """Register a command."""

    def register(function):
        MAGICS[name] = Magic(usage, summary, function, sugar, **more)
        return function

    return register


def perform(session, command):
    """Run a command: yield its events; raise MagicError, or what the user's code raises."""
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
    """Return True if a command needs the journal of earlier lines."""
    return command.name in MAGICS and MAGICS[command.name].needs_journal


def needs_snapshots(command):
    """Return True if a command needs snapshots of earlier lines."""
    return command.name in MAGICS and MAGICS[command.name].needs_snapshots


def needs_places(command):
    """Return True if a command needs the code locations of operations."""
    return command.name in MAGICS and MAGICS[command.name].needs_places


def describe_unknown(name):
    """Return the message for a command that does not exist."""
    if name.startswith("%"):
        return _("%{name}: there are no cell commands here; a command is one line, such as %time").format(name=name)
    meant = ELSEWHERE.get(name)
    if meant and meant not in MAGICS:
        return _("%{name}: no such command; {meant}").format(name=name, meant=_(meant))
    meant = meant or close(name.lower(), MAGICS) or find_only_longer(name.lower())
    if meant:
        return _("%{name}: no such command; did you mean %{meant}?").format(name=name, meant=meant)
    return _("%{name}: no such command; %help lists them").format(name=name)


def find_only_longer(name):
    """Return the only command that a name of two letters is with one letter left out, as %wy of %why; None otherwise."""
    longer = [each for each in MAGICS if len(each) == 3 and name in (each[1:], each[0] + each[2], each[:2])]
    return longer[0] if len(longer) == 1 else None
