"""MPI, which carries tensors between processes: whether it is there, and the communicator of all processes of a program."""

import contextlib
import os
import re
import sys
from importlib.util import find_spec

from tensh.distributed.errors import DistBackendError
from tensh.distributed.mpi_rendezvous import begin_at_store

MISSING = "process groups of several processes need MPI: pip install 'tensh[mpi]' (mpi4py and mpich)"


def is_mpi_there():
    """True if mpi4py is installed; nothing is imported."""
    return find_spec("mpi4py") is not None


def load_mpi():
    """The module ``mpi4py.MPI``, which begins MPI on first use.  Raise DistBackendError where it is not there."""
    if not is_mpi_there():
        raise DistBackendError(MISSING)
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # mpi4py without the library of an MPI
        raise DistBackendError(f"mpi4py finds no MPI: {error}. pip install mpich gives it one") from None
    return MPI


def count_started():
    """(rank, size) of this process among those that ``mpiexec`` started together."""
    world = load_mpi().COMM_WORLD
    return world.rank, world.size


def join_world(rank, size, store, timeout):
    """A communicator of all ``size`` processes, this one being ``rank`` of them.

    Those that ``mpiexec`` has not started together begin MPI here, where they meet at a store. Raise DistBackendError where MPI
    did not start so many processes together, or has begun before in this process alone.
    """
    if is_mpi_there() and not (is_started_together() or "mpi4py.MPI" in sys.modules):
        world = begin_at_store(store, rank, size, timeout).COMM_WORLD
    else:
        world = load_mpi().COMM_WORLD
    if world.size != size:
        started = "was started alone" if world.size == 1 else f"was started as one of {world.size}"
        raise DistBackendError(
            f"world_size is {size}, but this process {started}: MPI begins once in a process, and carries tensors between "
            f"those that began together. Run the program with tensh launch -n {size} FILE"
        )
    forget_names(world)
    return world.Split(0, rank)


def forget_names(world):
    """Take the names of memory that MPI shares between processes, so that nothing is left of it when they end, however they do."""
    world.Barrier()  # until all have it
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            found = {match[0] for line in file if (match := re.search(r"/dev/shm/mpich_shm_\w+", line))}
    except OSError:
        return
    for path in found:
        with contextlib.suppress(OSError):
            os.unlink(path)


STARTED = "PMI_SIZE", "PMI_RANK", "PMI_FD", "PMI_PORT", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK"
"""Variables by which ``mpiexec`` tells a process that it has started it with others."""


def is_started_together():
    """True for a process that ``tensh launch`` or ``mpiexec`` has started, as its environment tells."""
    return any(name in os.environ for name in STARTED)


def leave_world():
    """Have MPI begin anew in a process that one of the world has started."""
    for name in STARTED:
        os.environ.pop(name, None)
