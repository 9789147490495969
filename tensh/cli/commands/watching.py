"""The command that plots the metrics of training programs."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment


def watch_(
    ctx: typer.Context,
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Where SummaryWriter or tensh sweep writes: runs, runs.sqlite, ...")
    ],
    tag: Annotated[
        str | None, typer.Option("--tag", metavar="PATTERN", help="Show only matching tags: loss, 'train/*', ...")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Show the data once, without waiting for more.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print all numbers as CSV.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
):
    """Show event files of TensorBoard and sweeps as they grow: curves, values, histograms, images, texts, the best runs."""
    from tensh.cli.watching.showing import watch

    options = ctx.obj["options"]
    return partial(watch, environment(ctx, options), folder, tag, once, csv, json or options.json)
