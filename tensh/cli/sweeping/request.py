"""The request to `tensh sweep`."""

from typing import NamedTuple


class Request(NamedTuple):
    """The options of `tensh sweep`."""

    settings: tuple[str, ...] = ()
    seeds: int = 1
    random: int | None = None
    report: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: float | None = None
    stop_below: str | None = None
    stop_above: str | None = None
    scheduler: str | None = None
    workers: int | None = None
    output: str = "runs.sqlite"
    resume: bool = False
    sort: str | None = None
    plot: str | None = None
    csv: bool = False
    json: bool = False
