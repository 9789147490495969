"""The command that plots the metrics of training programs."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment


def watch_(
    ctx: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where SummaryWriter writes: runs, ...")],
    tag: Annotated[
        str | None, typer.Option("--tag", metavar="PATTERN", help="Only what has such a name: loss, 'train/*', ...")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Show it once, and do not wait for more.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="All numbers, with commas.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
):
    """Show event files of TensorBoard in the terminal while they grow: curves, last values, histograms, images, texts."""
    from tensh.cli.event_files.showing import watch

    options = ctx.obj["options"]
    return partial(watch, environment(ctx, options), folder, tag, once, csv, json or options.json)
