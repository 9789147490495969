"""MPI, which carries tensors between processes: whether it is there, and the communicator of all processes of a program."""

import os
from importlib.util import find_spec

from tensh.distributed.errors import DistBackendError

MISSING = (
    "process groups of several processes need MPI: pip install 'tensh[mpi]' (mpi4py and mpich), "
    "then start the program with tensh launch -n 4 FILE"
)


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


def join_world(rank, size):
    """A communicator of all ``size`` processes, this one being ``rank`` of them.

    Raises DistBackendError where MPI did not start so many processes together.
    """
    world = load_mpi().COMM_WORLD
    if world.size != size:
        started = "was started alone" if world.size == 1 else f"was started as one of {world.size}"
        raise DistBackendError(
            f"world_size is {size}, but this process {started}: MPI carries tensors between processes that it has started "
            f"together. Run the program with tensh launch -n {size} FILE"
        )
    return world.Split(0, rank)


def started_by_launcher():
    """True for a process of ``tensh launch`` or ``mpiexec``, as its environment tells."""
    return any(name in os.environ for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK"))
