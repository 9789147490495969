"""The command that runs a script with many settings."""

from functools import partial
from typing import Annotated

import typer

from tensh.cli.commands.shared import add_options, environment, option
from tensh.cli.sweeping.request import Request

TEXT, NUMBER, AMOUNT = str | None, int | None, float | None
OPTIONS = [
    option("settings", list[str] | None, "--set", "NAME=VALUES", "Values of a parameter: 0.1,0.01 or FIRST:LAST:STEP."),
    option("seeds", int, "--seeds", "N", "Run each combination with the seeds 0 to N-1.", default=1),
    option("random", NUMBER, "--random", "N", "Run only N combinations, chosen at random."),
    option("report", TEXT, "--report", "NAMES", "Values to keep: loss,accuracy. By default, all numbers shown."),
    option(
        "output", str, "-o --output", "PATH", "File of the runs; an existing one is continued.", default="runs.sqlite"
    ),
    option("resume", bool, "--resume", None, "Do the runs that are missing in the file."),
    option("scheduler", TEXT, "--scheduler", "ADDRESS", "Address of a Dask scheduler, such as tcp://host:8786."),
    option("workers", NUMBER, "--workers", "N", "Number of processes; by default, one for each core."),
    option("time_limit", AMOUNT, "--time-limit", "SECONDS", "Stop a run after this time."),
    option("memory_limit", AMOUNT, "--memory-limit", "MIB", "Limit the memory of a run."),
    option(
        "stop_below",
        TEXT,
        "--stop-below",
        "TAG",
        "Stop a run whose number is below the median of finished runs at the same step: a tag of add_scalar.",
    ),
    option(
        "stop_above",
        TEXT,
        "--stop-above",
        "TAG",
        "Like --stop-below, for numbers that should be small, such as a loss.",
    ),
    option("sort", TEXT, "--sort", "VALUE", "Sort by a value, smallest first; -VALUE: largest first."),
    option("plot", TEXT, "--plot", "NAME", "Plot the value against a parameter."),
    option("csv", bool, "--csv", None, "Print all runs as CSV."),
    option("json", bool, "--json", None, "Print one JSON object per line."),
]


def split_names(text):
    """Return the names in a text with commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


@partial(add_options, declared=OPTIONS, kind=Request, name="request")
def sweep_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A script to sweep, or a file of runs to show.")],
    *,
    request: Request,
):
    """Run a script with all combinations of settings, on many cores or machines, and show the results."""
    from tensh.cli.sweeping.sweep import sweep

    options = ctx.obj["options"]
    lists = {"settings": tuple(request.settings or ()), "report": split_names(request.report)}
    return partial(sweep, environment(ctx, options), file, request._replace(**lists, json=request.json or options.json))
