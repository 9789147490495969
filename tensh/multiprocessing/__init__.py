"""torch.multiprocessing: Python's, under this name, with tensors that are handed over in shared memory without a copy.

What goes through a queue, a pipe or the arguments of a process is moved into shared memory, where both processes see what
either writes. That memory has no name: nothing is left of it when its processes have ended, however they did.
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
    """The names of the ways in which tensors can be shared. All mean files without a name here."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """The name of the way in which tensors are shared."""
    return _strategy


def set_sharing_strategy(new_strategy):
    """Set the way in which tensors are shared: only its name, since one way has the advantages of both.

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
