"""The command that runs a script with many settings."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import environment, number_of


def split_names(text):
    """Return the names in a text with commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def sweep_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The script; or the file of its runs, to show them.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUES", help="The values: 0.1,0.01, or FIRST:LAST:STEP."),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option("--seeds", metavar="N", help="Each with so many seeds, from 0.", callback=number_of("--seeds")),
    ] = 1,
    random: Annotated[
        int | None,
        typer.Option(
            "--random", metavar="N", help="Only so many combinations, by chance.", callback=number_of("--random")
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="NAMES", help="The values to keep: loss,accuracy; else the numbers shown."),
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="PATH", help="The file of the runs; one that is there goes on.")
    ] = "runs.sqlite",
    resume: Annotated[bool, typer.Option("--resume", help="Do the runs that a file lacks.")] = False,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Dask's, such as tcp://host:8786.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", help="So many processes, not one a core.", callback=number_of("--workers")
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="SECONDS", help="Stop a run after this time.", callback=number_of("--time-limit")
        ),
    ] = None,
    memory_limit: Annotated[
        float | None,
        typer.Option(
            "--memory-limit", metavar="MIB", help="Memory that a run may take.", callback=number_of("--memory-limit")
        ),
    ] = None,
    sort: Annotated[
        str | None, typer.Option("--sort", metavar="VALUE", help="The best is the least; -VALUE: the largest.")
    ] = None,
    plot: Annotated[str | None, typer.Option("--plot", metavar="NAME", help="Draw the value over a parameter.")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="All runs, with commas.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
):
    """Run a script with all combinations of settings, by Dask on many cores or machines; keep and show what comes of it."""
    from tensh.cli.sweeping.sweep import Request, sweep

    options = ctx.obj["options"]
    request = Request(
        tuple(settings or ()), seeds, random, split_names(report), time_limit, memory_limit, scheduler, workers, output,
        resume, sort, plot, csv, json or options.json,
    )  # fmt: skip
    return partial(sweep, environment(ctx, options), file, request)
