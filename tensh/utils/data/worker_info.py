"""Facts about a worker process for the code of a dataset that runs in it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker of a loader: its number, how many there are, its seed, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


current = None  # the worker that this process is


def get_worker_info():
    """Return the ``WorkerInfo`` of this process if it is a worker of a loader, otherwise None.

    >>> from tensh.utils.data import get_worker_info
    >>> get_worker_info() is None  # in the main process
    True
    """
    return current


def set_worker_info(info):
    """Set this process's worker info."""
    global current
    current = info
