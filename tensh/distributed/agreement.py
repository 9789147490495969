"""Agreement of a group's processes on a call before tensors move, the first step of every collective.

Each process contributes a number computed from a description of its call: the collective, shape, dtype, and reduction.
The maximum of all numbers and of all negated numbers tells every process whether they are equal, in one exchange of 16
bytes. If they differ, all processes exchange their descriptions and raise the same error. A missing process raises an
error at the time limit, or soon after it has ended.
"""

import time
import zlib

import numpy as np

from tensh.distributed.departures import find_ended
from tensh.distributed.errors import DistBackendError

SPINS = 1000  # polls without a pause, about a microsecond each; most requests complete in that time
SHORTEST, LONGEST = 10e-6, 1e-3  # seconds between later polls, which grow so that other processes can compute
LOOK = 1.0  # seconds between looks for processes that have ended
GRACE = 5.0  # seconds after that for what they have sent, which a busy machine may need


def wait_for(request, seconds, describe, *partners):
    """Wait for an MPI request.

    Raise DistBackendError after ``seconds``, with the text of ``describe()``, or earlier if one of the ``partners`` has
    ended: a communicator, and the ranks in it that the request needs.
    """
    for _ in range(SPINS):
        if request.Test():
            return
    begin, pause, gone = time.monotonic(), SHORTEST, None
    end, look = begin + seconds, begin + LOOK
    while not request.Test():
        now = time.monotonic()
        if now > end:
            why = f"timed out after {seconds:g} s" if gone is None else f"rank {gone} has ended"
            raise DistBackendError(f"{why}: {describe()}")
        if partners and gone is None and now > look:
            gone, look = find_ended(*partners), now + LOOK
            end = end if gone is None else min(end, now + GRACE)
        time.sleep(pause)
        pause = min(1.1 * pause, LONGEST)


def agree(communicator, call, seconds):
    """Return when all processes of a communicator make the same ``call``, a tuple of its name and arguments.

    Raise RuntimeError on all of them if calls differ, DistBackendError if a process does not arrive in time.
    """
    text = repr(call).encode()
    number = zlib.crc32(text) << 16 | len(text) & 0xFFFF
    found = np.array([number, -number])
    wait_for(_exchange(communicator, found), seconds, lambda: f"not all processes reached {say(call)}", communicator)
    if found[0] == -found[1]:
        return
    calls = communicator.allgather(call)
    others = [rank for rank, each in enumerate(calls) if each != calls[0]]
    rank = others[0]
    raise RuntimeError(f"processes disagree: rank 0 calls {say(calls[0])}, rank {rank} calls {say(calls[rank])}")


def agree_on_success(communicator, error, seconds):
    """Raise the error of any process on all of them; the failed process raises its own."""
    failed = np.array([error is not None, 0], np.int64)
    wait_for(_exchange(communicator, failed), seconds, lambda: "not all processes reached a collective", communicator)
    if not failed[0]:
        return
    texts = communicator.allgather(error)
    rank = next(rank for rank, text in enumerate(texts) if text)
    raise RuntimeError(error or f"rank {rank}: {texts[rank]}")


def _exchange(communicator, numbers):
    from mpi4py import MPI

    return communicator.Iallreduce(MPI.IN_PLACE, numbers, MPI.MAX)


def say(call):
    """Format a call, such as ``all_reduce(shape=[2, 3], dtype=float32, op=SUM)``."""
    name, *facts = call
    return f"{name}({', '.join(f'{fact}={value}' for fact, value in facts)})"
