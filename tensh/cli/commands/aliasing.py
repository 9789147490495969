"""The commands that install tensh as torch for other programs."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment


def exec_(
    ctx: typer.Context,
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND [ARGS]...", help="The command to run, with its options.")
    ],
):
    """Run a command with tensh for torch in all its Python processes, children included.

    Its Python must have tensh installed: tensh exec pytest -q, tensh exec python train.py.
    """
    from tensh.cli.programs import whole_programs

    return partial(whole_programs.execute, command, environment(ctx, ctx.obj["options"]))


def alias_(
    ctx: typer.Context,
    venv: Annotated[
        bool, typer.Option("--venv", help="Change this Python's virtual environment, for all its programs.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Undo the change.")] = False,
):
    """Make torch mean tensh in every program of this virtual environment, and for packages that require torch.

    This installs a .pth file and the metadata of a package torch; --remove removes both.
    """
    from tensh.cli.actions import aliasing

    return partial(aliasing.change, environment(ctx, ctx.obj["options"]), venv, remove)
