"""torch.multiprocessing: Python's multiprocessing, with tensors passed in shared memory without copying.

Tensors that are sent through a queue, a pipe or as arguments of a process are moved to shared memory, where both
processes see each other's writes. That memory has no name: nothing remains when its processes end, however they end.
"""

import multiprocessing
from multiprocessing import *  # noqa: F403

from tensh.multiprocessing.reductions import init_reductions
from tensh.multiprocessing.spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [  # noqa: PLE0604
    *multiprocessing.__all__,
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]

_strategy = "file_descriptor"


def get_all_sharing_strategies():
    """Return the names of the sharing strategies. All of them mean unnamed files here."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """Return the name of the sharing strategy."""
    return _strategy


def set_sharing_strategy(new_strategy):
    """Set the sharing strategy, which is only a name here, because one strategy has the advantages of both.

    Raise AssertionError for an unknown name.
    """
    global _strategy
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {get_all_sharing_strategies()}"
        )
    _strategy = new_strategy


init_reductions()


def __getattr__(name):
    return getattr(multiprocessing, name)
