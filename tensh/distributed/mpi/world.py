"""MPI, which carries tensors between processes: its availability, and the communicator of a program."""

import contextlib
import os
import re
import sys
from importlib.util import find_spec

from tensh.distributed import departures
from tensh.distributed.errors import DistBackendError
from tensh.distributed.mpi.rendezvous import begin_at_store

MISSING = "process groups of several processes need MPI: pip install 'tensh[mpi]' (mpi4py and mpich)"

OTHER = (
    "{starter} started {size} processes, but mpi4py uses another MPI, {library}. pip install mpich brings an mpiexec for it; "
    "pip install --no-binary mpi4py mpi4py rebuilds mpi4py for the installed MPI"
)


def is_mpi_there():
    """Return True if mpi4py is installed, without importing it."""
    return find_spec("mpi4py") is not None


def load_mpi():
    """Return the module ``mpi4py.MPI``, which starts MPI on first use.  Raise DistBackendError if it is missing."""
    if not is_mpi_there():
        raise DistBackendError(MISSING)
    import mpi4py

    if "mpi4py.MPI" not in sys.modules:  # begun below, once it is known that it can be
        mpi4py.rc.initialize, mpi4py.rc.finalize = False, True
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # mpi4py without an MPI library
        raise DistBackendError(f"mpi4py finds no MPI: {error}. pip install mpich gives it one") from None
    if not MPI.Is_initialized():
        check_starter(MPI)
        MPI.Init_thread()
    return MPI


def check_starter(mpi):
    """Raise DistBackendError where ``mpiexec`` belongs to another MPI, which would end the process, or wait for ever."""
    is_open, by_open = "Open MPI" in mpi.Get_library_version(), "OMPI_COMM_WORLD_SIZE" in os.environ
    by_mpich = not by_open and "PMI_RANK" in os.environ and "TENSH_LAUNCHED" in os.environ
    if by_open and not is_open or by_mpich and is_open:
        size = os.environ.get("WORLD_SIZE") or os.environ.get("OMPI_COMM_WORLD_SIZE")
        starter = "Open MPI's mpiexec" if by_open else "MPICH's mpiexec"
        raise DistBackendError(OTHER.format(starter=starter, size=size, library=describe(mpi)))


def count_started():
    """Return (rank, size) of this process among those that ``mpiexec`` started together."""
    world = load_mpi().COMM_WORLD
    return world.rank, world.size


def join_world(rank, size, store, timeout):
    """Return a communicator of all ``size`` processes, in which this one has the rank ``rank``.

    Processes that ``mpiexec`` did not start together start MPI here, where they meet at a store. Raise DistBackendError
    if MPI started another number of processes, or already runs in this process alone.
    """
    if is_mpi_there() and not (is_started_together() or "mpi4py.MPI" in sys.modules):
        world = begin_at_store(store, rank, size, timeout).COMM_WORLD
    else:
        world = load_mpi().COMM_WORLD
    if world.size != size and os.environ.get("TENSH_LAUNCHED"):
        raise DistBackendError(OTHER.format(starter="mpiexec", size=size, library=describe(load_mpi())))
    if world.size != size:
        started = "was started alone" if world.size == 1 else f"was started as one of {world.size}"
        raise DistBackendError(
            f"world_size is {size}, but this process {started}: MPI starts once in a process, and connects only "
            f"processes that were started together. Run the program with tensh launch -n {size} FILE"
        )
    forget_names(world)
    departures.watch(load_mpi(), world)
    return world.Split(0, rank)


def describe(mpi):
    """Return the name and version of an MPI."""
    return re.split(r"[,\n\0]|\s{2,}", mpi.Get_library_version().replace("Version:", " ").replace("\t", ""))[0].strip()


def require_mpi(world_size, would_count):
    """Raise DistBackendError, before any process waits, if MPI is needed (or ``would_count`` processes) but missing."""
    count = str(world_size if world_size > 0 else os.environ.get("WORLD_SIZE", "2" if would_count else "1"))
    if count.isdigit() and int(count) > 1 and not is_mpi_there():
        raise DistBackendError(MISSING)


def forget_names(world):
    """Unlink the memory that MPI shares between processes, so that nothing remains when they end, however they end."""
    world.Barrier()  # until all have opened it
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            found = {match[0] for line in file if (match := re.search(r"/dev/shm/mpich_shm_\w+", line))}
    except OSError:
        return
    for path in found:
        with contextlib.suppress(OSError):
            os.unlink(path)


STARTED = "PMI_SIZE", "PMI_RANK", "PMI_FD", "PMI_PORT", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK"
"""Environment variables by which ``mpiexec`` marks the processes that it has started together."""


def is_started_together():
    """Return True if ``tensh launch`` or ``mpiexec`` has started this process, according to its environment."""
    return any(name in os.environ for name in STARTED)


def leave_world():
    """Let MPI start anew in a process that was started by one of the world."""
    for name in STARTED:
        os.environ.pop(name, None)
