"""Agreement of the processes of a group before tensors move, with which every collective begins.

Each process brings the number of a description of its call: which collective, of which shape and dtype, with which reduction.
The largest of all numbers and the largest of all negative numbers tell every process whether they are equal, in one exchange
of 16 bytes. Where they differ all processes exchange the descriptions, and all raise the same error. A process that does not
come is an error at the time limit.
"""

import time
import zlib

import numpy as np

from tensh.distributed.errors import DistBackendError

SPINS = 1000  # looks at a request without a pause, of about a microsecond: what is asked for often comes in that time
SHORTEST, LONGEST = 10e-6, 1e-3  # seconds between later looks, each longer than the last, so that others may compute


def wait_for(request, seconds, describe):
    """Wait for a request of MPI.  DistBackendError after ``seconds``, with what ``describe`` says."""
    for _ in range(SPINS):
        if request.Test():
            return
    end, pause = time.monotonic() + seconds, SHORTEST
    while not request.Test():
        if time.monotonic() > end:
            raise DistBackendError(f"timed out after {seconds:g} s: {describe()}")
        time.sleep(pause)
        pause = min(1.1 * pause, LONGEST)


def agree(communicator, call, seconds):
    """Return when all processes of a communicator make the same ``call``, a tuple of facts.

    Raise RuntimeError on all of them where calls differ, DistBackendError where some process does not come in time.
    """
    text = repr(call).encode()
    number = zlib.crc32(text) << 16 | len(text) & 0xFFFF
    found = np.array([number, -number])
    wait_for(_exchange(communicator, found), seconds, lambda: f"not all processes came to {say(call)}")
    if found[0] == -found[1]:
        return
    calls = communicator.allgather(call)
    others = [rank for rank, each in enumerate(calls) if each != calls[0]]
    rank = others[0]
    raise RuntimeError(f"processes disagree: rank 0 calls {say(calls[0])}, rank {rank} calls {say(calls[rank])}")


def agree_on_success(communicator, error, seconds):
    """Raise an error of any process on all: its own on the one that has it."""
    failed = np.array([error is not None, 0], np.int64)
    wait_for(_exchange(communicator, failed), seconds, lambda: "not all processes came to a collective")
    if not failed[0]:
        return
    texts = communicator.allgather(error)
    rank = next(rank for rank, text in enumerate(texts) if text)
    raise RuntimeError(error or f"rank {rank}: {texts[rank]}")


def _exchange(communicator, numbers):
    from mpi4py import MPI

    return communicator.Iallreduce(MPI.IN_PLACE, numbers, MPI.MAX)


def say(call):
    """A call as text, such as ``all_reduce(shape=[2, 3], dtype=float32, op=SUM)``."""
    name, *facts = call
    return f"{name}({', '.join(f'{fact}={value}' for fact, value in facts)})"
