"""Start of MPI in processes that ``mpiexec`` did not start together: they meet at a store.

When MPI starts, it asks a process manager for its rank and for the addresses of the others, in lines of text over a
socket (PMI 1, which MPICH and its derivatives use). Here a thread of each process is that manager, and the store of the
process group keeps what processes publish. Tensors are then carried by MPI as usual.
"""

import ctypes
import multiprocessing.util
import os
import secrets
import socket
import threading
import time

from tensh.distributed.errors import DistBackendError
from tensh.distributed.stores.store import PrefixStore

PATIENCE = 2  # seconds for the others to receive this process's last messages, before it exits
LIMITS = "kvsname_max=256 keylen_max=256 vallen_max=1024"


class ProcessManager:
    """Answers the requests of this process's MPI in PMI 1: (command, fields) -> fields of the answer."""

    def __init__(self, store, rank, size):
        self.store, self.rank, self.size = store, rank, size
        self.world, self.barriers = store.get("world").decode(), 0

    def serve(self, connection):
        """Answer until the connection ends."""
        with connection, connection.makefile("rw", newline="\n") as lines:
            for line in lines:
                fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
                try:
                    answer = self.answer(fields.pop("cmd", ""), fields)
                except (RuntimeError, OSError) as error:  # raised by the store
                    answer = f"cmd=error rc=-1 msg={type(error).__name__}"
                lines.write(answer + "\n")
                lines.flush()

    def answer(self, command, fields):
        """Return the answer to a command; an unknown command gets an error."""
        match command:
            case "init":
                return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
            case "get_maxes":
                return f"cmd=maxes rc=0 {LIMITS}"
            case "get_appnum":
                return "cmd=appnum rc=0 appnum=0"
            case "get_my_kvsname":
                return f"cmd=my_kvsname rc=0 kvsname={self.world}"
            case "get_universe_size":
                return f"cmd=universe_size rc=0 size={self.size}"
            case "put":
                self.store.set(fields["key"], fields["value"])
                return "cmd=put_result rc=0 msg=success"
            case "get":
                if not self.store.check([fields["key"]]):
                    return "cmd=get_result rc=-1 msg=not_found value=unknown"
                return f"cmd=get_result rc=0 msg=success value={self.store.get(fields['key']).decode()}"
            case "barrier_in":
                self.barriers += 1
                self.store.barrier(f"barrier {self.barriers}", self.size)
                return "cmd=barrier_out rc=0"
            case "finalize":
                return "cmd=finalize_ack rc=0"
        return f"cmd={command}_result rc=-1 msg=unknown"


def begin_at_store(store, rank, size, timeout):
    """Start MPI as process ``rank`` of ``size``, all of which call this with one store.  Return ``mpi4py.MPI``.

    Raise DistBackendError if not all arrive in time, or this MPI needs another kind of manager.
    """
    store = PrefixStore("mpi", store)
    if rank == 0:  # MPICH names shared memory by it, which worlds on one machine must not have in common
        store.set("world", f"tensh_{secrets.token_hex(8)}")
    try:
        store.barrier("all", size, timeout)
    except RuntimeError:
        come = int(store.add("all/num_members", 0))
        raise DistBackendError(
            f"timed out after {timeout.total_seconds():g} s: {come} of {size} processes reached init_process_group"
        ) from None
    import mpi4py

    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    from mpi4py import MPI

    here, there = socket.socketpair()
    serve = ProcessManager(store, rank, size).serve
    threading.Thread(target=serve, args=(here,), name="tensh-rendezvous", daemon=True).start()
    variables = {"PMI_FD": str(there.fileno()), "PMI_RANK": str(rank), "PMI_SIZE": str(size)}
    os.environ |= variables
    try:
        # through ctypes, which lets the thread run meanwhile, unlike MPI.Init_thread of mpi4py
        failed = ctypes.CDLL(MPI.__file__).MPI_Init_thread(
            None, None, MPI.THREAD_MULTIPLE, ctypes.byref(ctypes.c_int())
        )
    finally:
        there.detach()  # MPI owns it now
        for name in variables:
            del os.environ[name]  # processes started by this one must not inherit it
    if failed or MPI.COMM_WORLD.size != size:
        raise DistBackendError(
            f"MPI ({MPI.get_vendor()[0]}) cannot start in processes that it did not launch: run the program with "
            f"tensh launch -n {size} FILE"
        )
    for communicator in (MPI.COMM_WORLD, MPI.COMM_SELF):
        communicator.Set_errhandler(MPI.ERRORS_RETURN)
    multiprocessing.util.Finalize(None, leave, (MPI.COMM_WORLD,), exitpriority=0)  # also runs in forked children
    return MPI


def leave(world):
    """Wait briefly until all are about to exit, so that no messages to them are lost.

    MPI is not finalized, because that would wait indefinitely for processes that have died.
    """
    end, request = time.monotonic() + PATIENCE, world.Ibarrier()
    while not request.Test() and time.monotonic() < end:
        time.sleep(0.001)
