"""The command that registers the kernel with Jupyter."""

from enum import Enum
from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment

Action = Enum("Action", {each: each for each in ("install", "remove")})


def kernel_(
    ctx: typer.Context,
    action: Annotated[
        Action, typer.Argument(metavar="install|remove", help="Register the kernel with Jupyter, or remove it.")
    ],
    user: Annotated[bool, typer.Option("--user", help="For your user only, in any environment.")] = False,
    prefix: Annotated[
        str | None, typer.Option("--prefix", metavar="FOLDER", help="The environment in which Jupyter is installed.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name of the kernel in Jupyter.")] = "tensh",
):
    """Install a Jupyter kernel in which torch is tensh, by default for the environment of tensh."""
    from tensh.cli.kernel import installing

    act = {"install": installing.install, "remove": installing.remove}[action.value]
    return partial(act, environment(ctx, ctx.obj["options"]), user, prefix, name)
