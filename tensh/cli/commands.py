"""The command line, declared for Typer: what can be asked for. It is carried out elsewhere.

A command returns what is to be done as a function without parameters, so that user code runs outside Typer.
"""

import inspect
from enum import Enum
from functools import partial
from typing import Annotated

import typer

from tensh.cli import program
from tensh.cli.options import Options, UsageError
from tensh.cli.shell import public_names

CHOICES = {
    "echo": ("none", "values", "all"),
    "traceback": ("short", "full"),
    "engine": ("tensh", "torch"),
    "color": ("auto", "always", "never"),
    "view": ("auto", "tree", "tape", "dag"),
    "mode": ("forward", "reverse"),
    "format": ("text", "dot", "mermaid", "json", "svg", "png"),
    "asked": ("show", "path"),
}
Echo, Traceback, Engine, Color, View, Mode, Format, Asked = (
    Enum(name.title(), {each: each for each in names}) for name, names in CHOICES.items()
)


# The options of everything that runs code: name, type, flag, how a value is written, and what it does.
# Before the name of a command they mean the same as after it.
RUNNING = (
    ("settings", list[str] | None, "--set", "NAME=VALUE", "Another value for a plain assignment of the script."),
    ("seed", int | None, "--seed", "N", "Start all random numbers at N."),
    ("engine", Engine | None, "--engine", None, "What torch is: tensh, or an installed PyTorch."),
    ("bare", bool, "--no-preload", None, "Do not define torch, nn, F, np and math."),
    ("keep_going", bool, "--keep-going", None, "Go on after an error, with the next cell or statement."),
    ("timeout", float | None, "--timeout", "SECONDS", "Stop after this time, with status 124."),
)
SHOWING = (
    ("echo", Echo | None, "--echo", None, "Show nothing, the values of bare expressions, or the code as well."),
    ("timed", bool, "--time", None, "Say how long each statement took."),
    ("traceback", Traceback | None, "--traceback", None, "After an error, show your own lines (short) or every frame."),
    ("color", Color | None, "--color", None, "Whether to use colour."),
    ("plain", bool, "--plain", None, "No escape sequences at all."),
    ("ascii", bool, "--ascii", None, "No characters beyond ASCII."),
)


def option(name, kind, flag, metavar, help, panel):
    """A parameter of a command function that is an option of the command line."""
    details = typer.Option(flag, metavar=metavar, help=help, rich_help_panel=panel)
    default = False if kind is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, details])


SHARED = [
    *(option(*row, "How it runs") for row in RUNNING),
    *(option(*row, "What is shown") for row in SHOWING),
]


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


EXAMPLES = "\n\n".join(
    ("Try", "tensh", "tensh -c 'torch.arange(4) ** 2'", "tensh run FILE --set lr=0.1 --seed 0", "tensh - < FILE")
)


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
    """PyTorch's tensors and autograd on NumPy: run code, see what it computes. Without arguments, a prompt."""
    env = environment(ctx, options)
    ctx.obj["options"] = options
    if version:
        from tensh.cli.app import say_version

        return partial(say_version, env)
    if code and ctx.invoked_subcommand:
        raise UsageError(f"-c and {ctx.invoked_subcommand} are two things to run: ask for one of them")
    if code:
        return partial(run_program, env, options, program.from_codes, code)
    if ctx.invoked_subcommand is None and not env.is_terminal(env.stdin):
        return partial(run_program, env, options, program.from_input, env.stdin)
    if ctx.invoked_subcommand is None:
        return partial(prompt, env, options)
    return None


@with_options
def run_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .tsh script, a .py file or an .ipynb notebook.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="What the script finds in sys.argv.")
    ] = None,
    stay: Annotated[bool, typer.Option("-i", help="Stay: open the prompt after it, with its names.")] = False,
    *,
    options: Options,
):
    """Run a script, a Python file or a notebook.

    A .tsh script shows its bare expressions (a ; keeps one quiet) and has torch, nn, F, np and math.

    A notebook shows the last value of each cell, a .py file what it prints.

    Options for the script itself go after --.
    """
    options = options.over(ctx.obj["options"])
    env = environment(ctx, options)
    if stay:
        return partial(prompt, env, options, program.from_file, file, arguments or [])
    if file == "-":
        return partial(run_program, env, options, program.from_input, env.stdin, arguments or [])
    return partial(run_program, env, options, program.from_file, file, arguments or [])


@with_options
def input_(ctx: typer.Context, *, options: Options):
    """Run a script from standard input."""
    return run_(ctx=ctx, file="-", **options._asdict())


@with_options
def open_(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scripts, notebooks, .npy and .npz files.")],
    *,
    options: Options,
):
    """Open the prompt with files: tensors are names there, scripts run first.

    A .npy file is a tensor named as the file is; a .npz file has names of its own.
    """
    options = options.over(ctx.obj["options"])
    return partial(prompt, environment(ctx, options), options, program.from_files, files)


@with_options
def graph_(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE] [NAME]", help="A script, and which tensor: by default the one computed last."),
    ] = None,
    code: Annotated[list[str] | None, typer.Option("-c", metavar="CODE", help="Code instead of a file.")] = None,
    view: Annotated[View, typer.Option("--view", help="How it is laid out.")] = View.auto,
    form: Annotated[Format, typer.Option("--format", help="What it is written as.")] = Format.text,
    values: Annotated[bool, typer.Option("--values", help="Show values where they are known.")] = False,
    grads: Annotated[bool, typer.Option("--grads", help="Show gradients that were kept.")] = False,
    types: Annotated[bool, typer.Option("--types", help="Show dtypes.")] = False,
    formulas: Annotated[bool, typer.Option("--formulas", help="Show what each operand's gradient is.")] = False,
    depth: Annotated[int | None, typer.Option("--depth", metavar="N", help="Levels of a tree.", min=1)] = None,
    focus: Annotated[str | None, typer.Option("--focus", metavar="NAME", help="Only what leads to NAME.")] = None,
    why: Annotated[
        str | None, typer.Option("--why", metavar="NAME", help="Why NAME's gradient is what it is: the chain rule.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Do not fold repeated blocks.")] = False,
    steps: Annotated[bool, typer.Option("--steps", help="A backward pass, node by node.")] = False,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Derivatives by forward or reverse accumulation.")] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write it to a file.")] = None,
    *,
    options: Options,
):
    """Show the autograd graph behind a tensor of a program.

    The root comes first, below it what it was made of; names are those of the program.
    """
    from tensh.cli import graphs

    options = options.over(ctx.obj["options"])
    file, name = graph_of(words or [], code)
    found = program.from_codes(code) if code else program.from_file(file)
    wish = graphs.Wish(
        name, view.value, form.value, values, grads, types, formulas, depth, focus, whole, output, why,
        steps, mode and mode.value,
    )  # fmt: skip
    return partial(graphs.show, environment(ctx, options), options, found, wish)


def graph_of(words, code):
    """(file or None, name of the tensor or None) in what stands after `graph`."""
    if len(words) > (1 if code else 2):
        raise UsageError(
            f"tensh graph: what is {words[-1]}? It is tensh graph FILE [NAME], or tensh graph -c CODE [NAME]"
        )
    if code:
        return None, words[0] if words else None
    if not words:
        raise UsageError("tensh graph: which program? tensh graph FILE [NAME], or tensh graph -c CODE [NAME]")
    return words[0], words[1] if len(words) == 2 else None


def env_(ctx: typer.Context):
    """Show versions, threads and what the terminal can do."""
    from tensh.cli import report

    options = ctx.obj["options"]
    return partial(report.show, environment(ctx, options))


def config_(
    ctx: typer.Context,
    asked: Annotated[Asked, typer.Argument(metavar="[show|path]", help="The settings, or the file they are in.")] = (
        Asked.show
    ),
):
    """Show the settings, or the path of the file they are kept in.

    The file holds lines such as  theme = "light"  and may be missing. A variable TENSH_THEME counts more than the file.
    """
    from tensh.cli import config

    action = {"show": config.show, "path": config.show_path}[asked.value]
    return partial(action, environment(ctx, ctx.obj["options"]))


Source = Annotated[bool, typer.Option("--source", help="Show the declaration, and the function written from it.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
Missing = Annotated[bool, typer.Option("--missing", help="Show PyTorch's names that tensh lacks, and why.")]


def doc_(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="sum, linalg.svd, ...", autocompletion=public_names)],
    source: Source = False,
    json: Json = False,
):
    """Explain a name: how it is called, what it does, its derivative, an example."""
    from tensh.cli import doc

    return partial(doc.show, environment(ctx, ctx.obj["options"]), name, source, json)


def api_(
    ctx: typer.Context,
    prefix: Annotated[
        str, typer.Argument(metavar="[PREFIX]", help="What they begin with: fft, ...", autocompletion=public_names)
    ] = "",
    missing: Missing = False,
    json: Json = False,
):
    """List the public names."""
    from tensh.cli import api

    return partial(api.show, environment(ctx, ctx.obj["options"]), prefix, missing, json)


@with_options
def check_(
    ctx: typer.Context,
    patterns: Annotated[
        list[str], typer.Argument(metavar="FILE...", help=".ipynb, .md, .tsh and .py files, folders, or patterns.")
    ],
    update: Annotated[bool, typer.Option("--update", help="Accept the new outputs: write them into the file.")] = False,
    write: Annotated[str | None, typer.Option("--write", metavar="FILE", help="Write the executed file here.")] = None,
    lax: Annotated[bool, typer.Option("--lax", help="Only errors count, not what is shown.")] = False,
    rtol: Annotated[float | None, typer.Option("--rtol", metavar="R", help="Relative tolerance of numbers.")] = None,
    atol: Annotated[float | None, typer.Option("--atol", metavar="A", help="Absolute tolerance of numbers.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="torch", help="Compare with PyTorch instead: torch, or a Python that has it."
        ),
    ] = None,
    *,
    options: Options,
):
    """Run the code of documents again and compare what it shows with what is stored beside it.

    A notebook has its outputs, Markdown a block behind the code or a session with >>>, a script lines with #>.

    Numbers may differ by the tolerance of their dtype. The status is 3 if a cell differs.
    """
    from tensh.cli.checking import check

    options = options.over(ctx.obj["options"])
    wish = check.Wish(check.Limits(lax, rtol, atol), update, write, json, against)
    return partial(check.show, environment(ctx, options), options, patterns, wish)


def convert_(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A .tsh, .py, .ipynb or .md file.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The file to write; its extension says as what.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there already.")] = False,
):
    """Write a script, Python file, notebook or Markdown file as another of these: prose, code and outputs.

    In .tsh and .py files # %% begins a cell and #> is an output; in Markdown a block of output follows one of code.
    """
    from tensh.cli.documents import convert

    return partial(convert.show, environment(ctx, ctx.obj["options"]), source, target, force)


def environment(ctx, options):
    """The environment of the process, as the options want it."""
    return ctx.obj["environment"].configured(options.color, options.plain, options.ascii)


def run_program(env, options, origin, *what):
    """Run the program that `origin` makes of the rest."""
    from tensh.cli.run import Run

    return Run(env, options, origin(*what)).whole()


def prompt(env, options, origin=None, *what):
    """Open the prompt, after the program that `origin` makes of the rest."""
    if not env.is_interactive:
        raise UsageError("the prompt needs a terminal to read from and to write to; tensh run FILE and -c CODE do not")
    from tensh.cli.repl import loop

    return loop.start(env, options, origin(*what)) if origin else loop.start(env, options)


def application(env):
    """The Typer application. Its help is drawn by Rich on a terminal and plain text elsewhere."""
    pretty = env.is_terminal(env.stdout) and not env.plain and env.variables.get("TERM") != "dumb"
    app = typer.Typer(
        rich_markup_mode="rich" if pretty else None, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(invoke_without_command=True, epilog=EXAMPLES)(root)
    app.command("run")(run_)
    app.command("open")(open_)
    app.command("-", hidden=True)(input_)
    app.command("graph")(graph_)
    app.command("doc")(doc_)
    app.command("api")(api_)
    app.command("check")(check_)
    app.command("convert")(convert_)
    app.command("env")(env_)
    app.command("config")(config_)
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
    from tensh.cli.session.suggest import close

    message = error.format_message()
    option = getattr(error, "option_name", None)
    if option:
        meant = close(option, getattr(error, "possibilities", None) or ())
        message = f"No such option: {option}" + (f"; did you mean {meant}?" if meant else "")
    ctx = getattr(error, "ctx", None)
    name = ctx.command_path if ctx else "tensh"
    word = next((each for each in arguments if each.endswith((".tsh", ".py", ".ipynb"))), None)
    if word and "No such command" in message:
        return f"{name}: {message}\nto run a file: tensh run {word}"
    if "No such option" in message and name.endswith(" run"):
        message += "\nan option of the script goes after --: tensh run FILE -- OPTION"
    return f"{name}: {message}\nall options: {name} --help"
