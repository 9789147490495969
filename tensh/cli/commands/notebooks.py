"""The command that registers the kernel with Jupyter."""

from enum import Enum
from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment

Action = Enum("Action", {each: each for each in ("install", "remove")})


def kernel_(
    ctx: typer.Context,
    action: Annotated[Action, typer.Argument(metavar="install|remove", help="Tell Jupyter of the kernel, or no more.")],
    user: Annotated[bool, typer.Option("--user", help="For you alone, whatever the environment.")] = False,
    prefix: Annotated[
        str | None, typer.Option("--prefix", metavar="FOLDER", help="The environment that Jupyter is in.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name that Jupyter knows it by.")] = "tensh",
):
    """Make a Jupyter kernel in which torch is tensh, by default for the environment that tensh is in."""
    from tensh.cli.kernel import installing

    act = {"install": installing.install, "remove": installing.remove}[action.value]
    return partial(act, environment(ctx, ctx.obj["options"]), user, prefix, name)
