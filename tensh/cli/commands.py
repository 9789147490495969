"""The command line, declared for Typer: what can be asked for. It is carried out elsewhere.

A command returns what is to be done as a function without parameters, so that user code runs outside Typer.
"""

import inspect
from enum import Enum
from functools import partial
from typing import Annotated

import typer

from tensh.cli.options import Options, UsageError

CHOICES = {
    "echo": ("none", "values", "all"),
    "traceback": ("short", "full"),
    "engine": ("tensh", "torch"),
    "color": ("auto", "always", "never"),
}
Echo, Traceback, Engine, Color = (Enum(name.title(), {each: each for each in names}) for name, names in CHOICES.items())


def option(name, kind, flag, help, default=None, **details):
    """A parameter of a command function that is an option of the command line."""
    annotation = Annotated[kind, typer.Option(flag, help=help, **details)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


# The options of everything that runs code. Before the name of a command they mean the same as after it.
SHARED = (
    option(
        "settings",
        list[str] | None,
        "--set",
        "Another value for a plain assignment of the script.",
        metavar="NAME=VALUE",
    ),
    option("seed", int | None, "--seed", "Start all random numbers at N.", metavar="N"),
    option("echo", Echo | None, "--echo", "Show nothing, the values of bare expressions, or the code as well."),
    option("keep_going", bool, "--keep-going", "Go on after an error, with the next cell or statement.", False),
    option("timed", bool, "--time", "Say how long each statement took.", False),
    option("timeout", float | None, "--timeout", "Stop after this time, with status 124.", metavar="SECONDS"),
    option("traceback", Traceback | None, "--traceback", "After an error, show your own lines (short) or every frame."),
    option("engine", Engine | None, "--engine", "What torch is: tensh, or an installed PyTorch."),
    option("bare", bool, "--no-preload", "Do not define torch, nn, F, np and math.", False),
    option("color", Color | None, "--color", "Whether to use colour."),
    option("plain", bool, "--plain", "No escape sequences at all.", False),
)


def with_options(function):
    """Give a command function the shared options, which it receives as one Options."""
    own = [each for each in inspect.signature(function).parameters.values() if each.name != "options"]

    def command(**given):
        shared = {each.name: given.pop(each.name) for each in SHARED}
        options = Options(**{name: value.value if isinstance(value, Enum) else value for name, value in shared.items()})
        return function(**given, options=options)

    command.__signature__ = inspect.Signature([*own, *SHARED])
    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    return command


@with_options
def root(
    ctx: typer.Context,
    code: Annotated[
        list[str] | None, typer.Option("-c", metavar="CODE", help="Run this code and show its values; again for more.")
    ] = None,
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version.")] = False,
    *,
    options: Options,
):
    """PyTorch's tensors and autograd on NumPy: run code, see what it computes."""
    from tensh.cli import run

    env = ctx.obj["environment"].configured(options.color, options.plain)
    ctx.obj["options"] = options
    if version:
        from tensh import __version__

        return partial(run.say, env, f"tensh {__version__}")
    if code and ctx.invoked_subcommand:
        raise UsageError(f"-c and {ctx.invoked_subcommand} are two things to run: ask for one of them")
    if code:
        return partial(run.run_code, env, code, options)
    if ctx.invoked_subcommand is None and not env.is_terminal(env.stdin):
        return partial(run.run_input, env, options)
    if ctx.invoked_subcommand is None:
        return partial(nothing_to_run, ctx)
    return None


@with_options
def run_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .tsh script, a .py file or an .ipynb notebook.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="What the script finds in sys.argv.")
    ] = None,
    *,
    options: Options,
):
    """Run a script, a Python file or a notebook.

    A .tsh script shows the value of every expression on a line of its own (a ; after it keeps it quiet) and finds
    torch, nn, F, np and math defined. A notebook shows the last value of each cell. A .py file shows what it prints.
    Options for the script itself go after --.
    """
    from tensh.cli import run

    options = options.over(ctx.obj["options"])
    env = ctx.obj["environment"].configured(options.color, options.plain)
    if file == "-":
        return partial(run.run_input, env, options, arguments or [])
    return partial(run.run_file, env, file, options, arguments or [])


@with_options
def input_(ctx: typer.Context, *, options: Options):
    """Run a script from standard input."""
    return run_(ctx=ctx, file="-", **options._asdict())


def env_(ctx: typer.Context):
    """Show versions, threads and what the terminal can do."""
    from tensh.cli import report

    options = ctx.obj["options"]
    return partial(report.show, ctx.obj["environment"].configured(options.color, options.plain))


def nothing_to_run(ctx):
    """There is nobody to ask and nothing to do: say what could be done."""
    typer.echo(ctx.get_help())
    return 2


def application(env):
    """The Typer application. Its help is drawn by Rich on a terminal and plain text elsewhere."""
    pretty = env.is_terminal(env.stdout) and not env.plain and env.variables.get("TERM") != "dumb"
    app = typer.Typer(
        rich_markup_mode="rich" if pretty else None, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(invoke_without_command=True)(root)
    app.command("run")(run_)
    app.command("-", hidden=True)(input_)
    app.command("env")(env_)
    return typer.main.get_command(app)


def task(arguments, env):
    """What the arguments ask for: a function to call, or the exit status of what is done already (help)."""
    try:
        return application(env).main(
            arguments, prog_name="tensh", standalone_mode=False, obj={"environment": env, "options": Options()}
        )
    except typer.BadParameter.__base__ as error:  # Click's UsageError, which each Typer has somewhere else
        raise UsageError(explained(error, arguments)) from error


def explained(error, arguments):
    """The message of a usage error, with what was probably meant."""
    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    name = ctx.command_path if ctx else "tensh"
    word = next((each for each in arguments if each.endswith((".tsh", ".py", ".ipynb"))), None)
    if word and "No such command" in message:
        return f"{name}: {message}\nto run a file: tensh run {word}"
    if "No such option" in message and name.endswith(" run"):
        message += "\nan option of the script goes after --: tensh run FILE -- OPTION"
    return f"{name}: {message}\nall options: {name} --help"
