"""The command line, declared for Typer; other modules carry it out.

A command returns its work as a function without parameters, so that user code runs outside Typer.
"""

import contextlib
import io
import re
from functools import cache

import typer

from tensh.cli.commands import speaking
from tensh.cli.commands.aliasing import alias_, exec_
from tensh.cli.commands.documents import check_, convert_
from tensh.cli.commands.exporting import export_
from tensh.cli.commands.graph import graph_
from tensh.cli.commands.launching import launch_
from tensh.cli.commands.learning import learn_
from tensh.cli.commands.notebooks import kernel_
from tensh.cli.commands.running import input_, open_, root, run_
from tensh.cli.commands.shared import SPELLINGS
from tensh.cli.commands.sweeping import sweep_
from tensh.cli.commands.telling import api_, config_, doc_, env_
from tensh.cli.commands.watching import watch_
from tensh.cli.process import status
from tensh.cli.programs.options import Options, UsageError
from tensh.support.escaping import shell_word
from tensh.support.language import _

EXAMPLES = "\n\n".join(
    ("Try", "tensh", "tensh -c 'torch.arange(4) ** 2'", "tensh run FILE --set lr=0.1 --seed 0", "tensh - < FILE")
)

BOXED = 60  # columns: Rich cuts the names of options in narrower boxes
SHELLS = "bash", "zsh", "fish", "powershell", "pwsh"


COMMANDS = {
    "run": run_, "exec": exec_, "launch": launch_, "sweep": sweep_, "alias": alias_, "open": open_, "-": input_, "graph": graph_, "learn": learn_,
    "doc": doc_, "api": api_, "check": check_, "convert": convert_, "export": export_, "kernel": kernel_, "env": env_,
    "config": config_, "watch": watch_,
}  # fmt: skip
SETTINGS = {"launch": {"context_settings": {"allow_interspersed_args": False}}, "-": {"hidden": True}}


@cache
def application(pretty, words=None):
    """Return the Typer application, with help drawn by Rich on a terminal and plain text elsewhere.

    ``words`` are the words of the command line: a command that is not among them is declared by its name and first line
    only. Typer takes 2 ms to read the parameters of each.
    """
    app = typer.Typer(
        rich_markup_mode="rich" if pretty else None, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(cls=speaking.Group, invoke_without_command=True, epilog=EXAMPLES)(root)
    for name, function in COMMANDS.items():
        is_asked = words is None or name in words
        app.command(name, cls=speaking.Command, **SETTINGS.get(name, {}))(function if is_asked else mention(function))
    return typer.main.get_command(app)


def mention(function):
    """Return a command without parameters, for the list of commands."""

    def command():
        raise NotImplementedError(function.__name__)

    command.__doc__ = function.__doc__
    return command


def is_pretty(env):
    """Return True if help is drawn with boxes, in a terminal that is wide enough for the names of all options."""
    if not env.is_terminal(env.stdout) or env.plain or env.variables.get("TERM") == "dumb":
        return False
    return env.width(env.stdout) >= BOXED


def task(arguments, env):
    """Parse the arguments: return a function to call, or the exit status if nothing is left to do (help)."""
    if arguments[:1] in (["--show-completion"], ["--install-completion"]):
        require_shell(arguments[0])
    try:
        pretty = is_pretty(env)
        with contextlib.nullcontext() if pretty else collect_output(env):
            words = None if "_TENSH_COMPLETE" in env.variables else frozenset(arguments)
            return application(pretty, words).main(
                [*spell_out(arguments)],
                prog_name="tensh",
                standalone_mode=False,
                obj={"environment": env, "options": Options()},
            )
    except SystemExit as error:  # shell completions have been written
        return error.code or status.OK
    except typer.BadParameter.__base__ as error:  # Click's UsageError, whose module differs between versions of Typer
        raise UsageError(*explain_error(error, arguments)) from error


@contextlib.contextmanager
def collect_output(env):
    """A context that collects help or completions, and writes them to stdout at the end.

    Click would report a failed write as a failure of the program.
    """
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text):
            yield
    finally:
        with env.writing():
            env.stdout.write(text.getvalue())


def require_shell(option):
    """Raise UsageError for shell completions unless a supported shell is detected."""
    try:
        import shellingham

        name = shellingham.detect_shell()[0]
    except (ImportError, RuntimeError, OSError):  # shellingham's own error is a RuntimeError
        name = None
    if name not in SHELLS:
        found = _("no shell started this process") if name is None else _("this shell is {name}").format(name=name)
        raise UsageError(
            _("{option} is for {shells} and PowerShell, but {found}").format(
                option=option, shells=", ".join(SHELLS[:-2]), found=found
            ),
            _("run it in one of them"),
        )


def spell_out(arguments):
    """Translate arguments to the parser's spelling, up to --, after which they are the script's."""
    is_ours = True
    for each in arguments:
        is_ours = is_ours and each != "--"
        yield SPELLINGS.get(each, each) if is_ours else each


def explain_error(error, arguments):
    """Return the message of a usage error, with the option or command that was probably meant; then a hint."""
    from tensh.support.spelling import close

    message = error.format_message().replace("\n\t", " ")  # Click lists choices a line each
    option = getattr(error, "option_name", None)
    if option and hasattr(error, "possibilities"):
        meant = find_choice(error, option) or close(option, error.possibilities or ())
        message = _("No such option: {option}").format(option=option) + (
            _("; did you mean {meant}?").format(meant=meant) if meant else ""
        )
    ctx = getattr(error, "ctx", None)
    name = ctx.command_path if ctx else "tensh"
    word = next((each for each in arguments if each.endswith((".tsh", ".py", ".ipynb", ".md"))), None)
    if ctx and (unknown := re.match(r"No such command '(.*?)'", message)):  # wording differs between versions of click
        meant = close(unknown[1], ctx.command.list_commands(ctx))
        if not meant and (hint := suggest_file(arguments, word)):
            return f"{name}: {speaking.translate_error(unknown[0])}", hint
        message = speaking.translate_error(unknown[0]) + (
            _("; did you mean {meant}?").format(meant=meant) if meant else ""
        )
    hints = [_("all options: {name} --help").format(name=name)]
    if repeated := find_repeated(ctx, message, arguments):
        hints.insert(0, _("{option} is repeated for each of them: {example}").format(**repeated))
    if option and name.endswith(" run"):
        hints.insert(0, _("an option of the script goes after --: tensh run FILE -- OPTION"))
    return f"{name}: {speaking.translate_error(message)}", *hints


def find_repeated(ctx, message, arguments):
    """Return an option that is given once for each of its values, and how, if values follow the first; None for others."""
    extra = re.match(r"Got unexpected extra argument(?:s|\(s\))? \((\S+?)\)?(?:\s|$)", message)
    for each in ctx.command.params if extra and ctx else ():
        option = next((name for name in each.opts if name in arguments), None)
        if option and getattr(each, "multiple", False):
            return {"option": option, "example": f"{option} {extra[1]}"}
    return None


def find_choice(error, option):
    """Return the option whose value was given as an option: `--view tree` for `--tree`; None if there is none."""
    for each in error.ctx.command.params if error.ctx else ():
        if option.lstrip("-") in getattr(each.type, "choices", ()):
            return f"{each.opts[-1]} {option.lstrip('-')}"
    return None


def suggest_file(arguments, program):
    """Suggest the command for a file given without one; `program` is the argument that is one, or None."""
    from tensh.cli.session.files.opening import FORMATS

    if program:
        return _("to run a file: tensh run {word}").format(word=shell_word(program))
    for each in arguments:
        if each.lower().endswith(FORMATS):
            return _("to open a file: tensh open {word}").format(word=shell_word(each))
    return None
