"""Commands that report names, settings and the machine, without running user code."""

from enum import Enum
from functools import partial
from typing import Annotated

import typer

from tensh.cli.actions.shell import public_names, setting_names
from tensh.cli.commands.shared import environment
from tensh.cli.programs.options import UsageError
from tensh.support.language import _

Asked = Enum("Asked", {each: each for each in ("show", "path", "set", "unset")})
Source = Annotated[bool, typer.Option("--source", help="Show the declaration, and the function generated from it.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
Missing = Annotated[bool, typer.Option("--missing", help="Show PyTorch's names that tensh lacks, and why.")]


def doc_(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="sum, linalg.svd, ...", autocompletion=public_names)],
    source: Source = False,
    json: Json = False,
):
    """Explain a name: how it is called, what it does, its derivative, an example."""
    from tensh.cli.actions import doc

    return partial(doc.show, environment(ctx, ctx.obj["options"]), name, source, json or ctx.obj["options"].json)


def api_(
    ctx: typer.Context,
    prefix: Annotated[
        str, typer.Argument(metavar="[PREFIX]", help="A prefix of the names: fft, ...", autocompletion=public_names)
    ] = "",
    missing: Missing = False,
    json: Json = False,
):
    """List the public names."""
    from tensh.cli.actions import api

    return partial(api.show, environment(ctx, ctx.obj["options"]), prefix, missing, json or ctx.obj["options"].json)


def env_(ctx: typer.Context):
    """Show versions, threads and what the terminal can do."""
    from tensh.cli.actions import report

    options = ctx.obj["options"]
    return partial(report.show, environment(ctx, options))


def config_(
    ctx: typer.Context,
    asked: Annotated[
        Asked,
        typer.Argument(
            metavar="[show|path|set|unset]", help="Show the settings or the path of their file, or change a setting."
        ),
    ] = Asked.show,
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The setting to change.", autocompletion=setting_names)
    ] = "",
    value: Annotated[str, typer.Argument(metavar="[VALUE]", help="Its new value, which is saved.")] = "",
):
    """Show the settings or the path of their file, or change a setting there.

    The file holds lines such as  theme = "light"  and may be missing. A variable such as TENSH_THEME overrides the file.
    """
    from tensh.cli.settings import config

    given = [word for word in (name, value) if word]
    wanted = {"set": 2, "unset": 1}.get(asked.value, 0)
    if len(given) != wanted:
        usage = {"set": _(" NAME VALUE, such as theme light"), "unset": " NAME"}.get(asked.value, "")
        raise UsageError(
            _("tensh config {value}: write tensh config {value}{usage}").format(value=asked.value, usage=usage)
        )
    env = environment(ctx, ctx.obj["options"])
    if not wanted:
        return partial({"show": config.show, "path": config.show_path}[asked.value], env)
    from tensh.cli.settings import changing as setting

    return partial({"set": setting.set_value, "unset": setting.unset}[asked.value], env, *given)
