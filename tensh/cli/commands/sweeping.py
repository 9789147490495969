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
    file: Annotated[str, typer.Argument(metavar="FILE", help="A script to sweep, or a file of runs to show.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUES", help="Values of a parameter: 0.1,0.01 or FIRST:LAST:STEP."),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds", metavar="N", help="Run each combination with the seeds 0 to N-1.", callback=number_of("--seeds")
        ),
    ] = 1,
    random: Annotated[
        int | None,
        typer.Option(
            "--random", metavar="N", help="Run only N combinations, chosen at random.", callback=number_of("--random")
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="NAMES", help="Values to keep: loss,accuracy. By default, all numbers shown."),
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="PATH", help="File of the runs; an existing one is continued.")
    ] = "runs.sqlite",
    resume: Annotated[bool, typer.Option("--resume", help="Do the runs that are missing in the file.")] = False,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler, such as tcp://host:8786."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="Number of processes; by default, one for each core.",
            callback=number_of("--workers"),
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
            "--memory-limit", metavar="MIB", help="Limit the memory of a run.", callback=number_of("--memory-limit")
        ),
    ] = None,
    stop_below: Annotated[
        str | None,
        typer.Option(
            "--stop-below",
            metavar="TAG",
            help="Stop a run whose number is below the median of finished runs at the same step: a tag of add_scalar.",
        ),
    ] = None,
    stop_above: Annotated[
        str | None,
        typer.Option(
            "--stop-above", metavar="TAG", help="Like --stop-below, for numbers that should be small, such as a loss."
        ),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option("--sort", metavar="VALUE", help="Sort by a value, smallest first; -VALUE: largest first."),
    ] = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="NAME", help="Plot the value against a parameter.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print all runs as CSV.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
):
    """Run a script with all combinations of settings, on many cores or machines, and show the results."""
    from tensh.cli.sweeping.sweep import Request, sweep

    options = ctx.obj["options"]
    request = Request(
        tuple(settings or ()), seeds, random, split_names(report), time_limit, memory_limit, stop_below, stop_above, scheduler, workers, output,
        resume, sort, plot, csv, json or options.json,
    )  # fmt: skip
    return partial(sweep, environment(ctx, options), file, request)
