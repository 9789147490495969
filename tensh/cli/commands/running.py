"""The commands that run code or open the prompt."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.actions import version as shown_version
from tensh.cli.commands.shared import add_options, environment, with_records
from tensh.cli.programs.options import Options, UsageError
from tensh.support.language import _


@with_records
def root(
    ctx: typer.Context,
    code: Annotated[
        list[str] | None, typer.Option("-c", metavar="CODE", help="Run this code and show its values; may be repeated.")
    ] = None,
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version.")] = False,
    *,
    options: Options,
):
    """PyTorch's tensors and autograd on NumPy: run code and see its results. Without arguments, open a prompt."""
    env = environment(ctx, options)
    ctx.obj["options"] = options
    if version:
        return partial(shown_version.say, env)
    if code and ctx.invoked_subcommand:
        raise UsageError(
            _("-c and {invoked_subcommand} cannot be combined").format(invoked_subcommand=ctx.invoked_subcommand)
        )
    if ctx.invoked_subcommand:
        return None
    from tensh.cli.programs import program

    if code:
        return partial(run_program, env, options, program.from_codes, code)
    if not env.is_terminal(env.stdin):
        return partial(run_program, env, options, program.from_input, env.stdin)
    return partial(prompt, env, options)


@with_records
def run_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .tsh, .py, .ipynb or .md file.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="The script's arguments, found in sys.argv.")
    ] = None,
    stay: Annotated[
        bool, typer.Option("-i", help="Open the prompt afterwards, or where it failed, with its names.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Run it again whenever it is saved, until ^C.")] = False,
    *,
    options: Options,
):
    """Run a script, a Python file, a notebook or the code in Markdown.

    A .tsh script shows its bare expressions (a ; suppresses one) and has torch, nn, F, np and math.

    A notebook shows the last value of each cell, Markdown that of each block, a .py file only what it prints.

    Options for the script itself go after --.

    tensh run -m MODULE ARGS... runs an installed module as its own program, with all that follows as its arguments.
    """
    from tensh.cli.programs import program

    options = options.complete_from(ctx.obj["options"])
    env = environment(ctx, options)
    if watch and (stay or file == "-"):
        raise UsageError(_("--watch cannot be combined with {what}").format(what="-i" if stay else "-"))
    if watch:
        return partial(watch_file, env, options, file, arguments or [])
    if stay:
        return partial(prompt, env, options, program.from_file, file, arguments or [])
    if file == "-":
        return partial(run_program, env, options, program.from_input, env.stdin, arguments or [])
    return partial(run_program, env, options, program.from_file, file, arguments or [])


@with_records
def input_(ctx: typer.Context, *, options: Options):
    """Run a script from standard input."""
    return run_(ctx=ctx, file="-", **options._asdict())


@add_options
def open_(
    ctx: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Scripts, notebooks, .pt, .pt2, .onnx, .safetensors, .npy and .npz files."
        ),
    ],
    *,
    options: Options,
):
    """Open the prompt with files: tensors are names there, scripts run first.

    A .npy file is a tensor named after the file, a model of torch.jit, torch.export or ONNX a module; .npz, .safetensors and
    .pt files contain names.
    """
    from tensh.cli.programs import program

    options = options.complete_from(ctx.obj["options"])
    return partial(prompt, environment(ctx, options), options, program.from_files, files)


def suggest_listing(files):
    """Yield the command that lists the tensors of files without a prompt."""
    from tensh.cli.session.files.opening import FORMATS
    from tensh.support.escaping import shell_word

    if all(each.lower().endswith(FORMATS) for each in files):
        loads = " ".join(f"-c {shell_word(f'%load {each}')}" for each in files)
        yield _("to list the tensors without it: {command}").format(command=f"tensh {loads} -c %who")


def run_program(env, options, origin, *what):
    """Run the program that `origin` builds from ``what``."""
    from tensh.cli.programs.runs import open_run

    with open_run(env, options, origin(*what)) as run:
        return run.run_all()


def watch_file(env, options, file, arguments):
    """Run a file each time it is saved."""
    from tensh.cli.programs.watch import Watch

    return Watch(env, options, file, arguments).run_all()


def prompt(env, options, origin=None, *what):
    """Open the prompt, after running the program that `origin` builds from ``what``."""
    if options.json or options.json_full:
        raise UsageError(_("--json is for programs that end; it cannot be used at a prompt"))
    if not env.is_interactive:
        raise UsageError(
            _("the prompt needs a terminal to read from and to write to; tensh run FILE and -c CODE do not"),
            *(suggest_listing(*what) if origin and origin.__name__ == "from_files" else ()),
        )
    from tensh.cli.repl import loop

    return loop.start(env, options, origin(*what)) if origin else loop.start(env, options)
