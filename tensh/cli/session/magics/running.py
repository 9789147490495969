"""Commands that run a file (`%run`) or a shell command (`!ls`), or change the folder (`%cd`)."""

import os

from tensh.cli.session.events import Notice
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.support.language import _

SHARING = "-i"


def first_word(text):
    """Return the repr of the file to run."""
    import shlex

    return repr(shlex.split(text)[0])


@magic(
    "run",
    "%run [-i] FILE [ARGUMENTS]",
    "run a file and keep its names; with -i, it can use yours",
    sugar="globals().update(runpy.run_path({}, run_name='__main__'))",
    subject=first_word,
)
def run(session, command):
    import shlex

    from tensh.cli.programs.options import UsageError
    from tensh.cli.session.files import opening
    from tensh.cli.session.sources.programs import run_program

    try:
        words = shlex.split(command.argument)
    except ValueError as error:
        raise MagicError(f"%run: {error}") from None
    shares_names = words[:1] == [SHARING]
    del words[:shares_names]
    if not words:
        raise MagicError(_("%run: expected a file: %run train.py"))
    if os.path.splitext(words[0])[1].lower() in opening.FORMATS:
        raise MagicError(_("%run {path}: it contains tensors, not code; %load {path} loads it").format(path=words[0]))
    if session.read_program is None:
        raise MagicError(_("%run: there are no files here"))
    try:
        program = session.read_program(os.path.expanduser(words[0]), words[1:])
    except UsageError as error:
        raise MagicError(f"%run: {error}") from None
    try:
        yield from run_program(session, program, shares_names)
    except SystemExit as error:  # ends only the file
        if error.code not in (None, 0):
            code = error.code
            text = _("exit status {status}").format(status=code) if isinstance(code, int) else code
            yield Notice(f"{words[0]}: {text}")


@magic("!", "!COMMAND", "run a line of the system's shell")
def shell(session, command):
    if not command.argument:
        raise MagicError(_("!: expected a command: !ls"))
    if session.run_in_shell is None:
        raise MagicError(_("!: there is no shell here"))
    status = session.run_in_shell(command.argument)
    if status:
        yield Notice(_("exit status {status}").format(status=status))
    if command.argument.split()[0] == "cd":
        yield Notice(_("this changed the folder only in that shell; %cd changes it here"))


def folder(text):
    """Return the folder that `%cd` changes to."""
    return os.path.expanduser(text.strip("'\"") or "~")


@magic(
    "cd",
    "%cd [FOLDER]",
    "go to a folder, or home",
    sugar="os.chdir({})",
    subject=lambda text: repr(folder(text)),
    is_usual=True,
)
def cd(session, command):
    path = folder(command.argument)
    try:
        os.chdir(path)
    except (OSError, ValueError) as error:
        raise MagicError(f"%cd {path}: {getattr(error, 'strerror', None) or error}") from None
    yield Notice(os.getcwd())
