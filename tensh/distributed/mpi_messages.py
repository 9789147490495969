"""Messages between two processes of a group: tensors, objects, and the notes of ``monitored_barrier``.

They use a separate communicator, so that they cannot be confused with collectives.
"""

import numpy as np

from tensh.distributed.agreement import wait_for
from tensh.distributed.errors import DistBackendError
from tensh.distributed.mpi_memory import as_bytes, read, write
from tensh.distributed.works import MessageWork

BARRIER = 32_767  # the tag for messages of ``monitored_barrier``, the largest that every MPI supports


class Condition:
    """A condition that ``wait_for`` polls if MPI has no request."""

    def __init__(self, question):
        self.Test = question


class Messages:
    """The messages of a process, which by default wait ``seconds`` for other processes."""

    def __init__(self, mpi, communicator, seconds):
        self._mpi, self._communicator, self.seconds = mpi, communicator, seconds

    # ── tensors ──────────────────────────────────────────────────────────────
    def send(self, tensor, target, tag):
        """Start to send a tensor."""
        array = read(tensor)  # kept alive until the message has been sent
        request = self._communicator.Isend(as_bytes(array), target, tag)

        def finish(seconds):
            seconds = self.seconds if seconds is None else seconds
            wait_for(request, seconds, lambda: f"rank {target} did not receive {array.nbytes} bytes")

        return MessageWork(tensor, finish, request.Test, "send")

    def receive(self, tensor, source, tag):
        """Start to receive a tensor from a process, or from any for None."""
        mpi, who = self._mpi, describe_source(source)
        array = np.empty(tensor.array.shape, tensor.array.dtype)
        request = self._communicator.Irecv(as_bytes(array), self._rank_of(source), tag)
        status = mpi.Status()

        def finish(seconds):
            seconds = self.seconds if seconds is None else seconds
            try:
                wait_for(Condition(lambda: request.Test(status)), seconds, lambda: f"{who} sent nothing")
            except mpi.Exception as error:
                if error.Get_error_class() != mpi.ERR_TRUNCATE:
                    raise
                raise RuntimeError(
                    f"recv: {who} sent more than the {array.nbytes} bytes of {list(array.shape)}"
                ) from None
            count = status.Get_count(mpi.BYTE)
            if count != array.nbytes:
                raise RuntimeError(
                    f"recv: rank {status.Get_source()} sent {count} bytes, but a tensor {list(array.shape)} of {tensor.dtype} "
                    f"has {array.nbytes}"
                )
            write(tensor, array)
            return status.Get_source()

        return MessageWork(tensor, finish, lambda: request.Get_status(), "recv")

    def _rank_of(self, source):
        return self._mpi.ANY_SOURCE if source is None else source

    # ── objects ──────────────────────────────────────────────────────────────
    def send_object(self, thing, target, tag):
        """Send an object."""
        request = self._communicator.isend(thing, target, tag)
        wait_for(request, self.seconds, lambda: f"rank {target} received no object")

    def receive_object(self, source, tag):
        """Return (object, rank of the sender)."""
        status, rank = self._mpi.Status(), self._rank_of(source)
        arrived = Condition(lambda: self._communicator.Iprobe(rank, tag, status))
        wait_for(arrived, self.seconds, lambda: f"{describe_source(source)} sent no object")
        return self._communicator.recv(source=status.Get_source(), tag=tag), status.Get_source()

    # ── a barrier that names missing processes ───────────────────────────────
    def report_to_first(self, seconds):
        """Tell rank 0 that this process has arrived, and wait for its answer."""
        note = np.zeros(1, np.uint8)
        reported = self._communicator.Isend(note, 0, BARRIER)
        wait_for(reported, seconds, lambda: "rank 0 did not reach monitored_barrier")
        try:
            wait_for(self._communicator.Irecv(note, 0, BARRIER), seconds, lambda: "")
        except DistBackendError:
            rank = self._communicator.Get_rank()
            raise RuntimeError(f"rank {rank} waited {seconds:g} s in monitored_barrier for rank 0") from None

    def await_others(self, seconds, name_all):
        """Wait on rank 0 for all others, and answer them.  Raise RuntimeError, naming a missing process or all."""
        others, missing = range(1, self._communicator.Get_size()), []
        for rank in others:
            request = self._communicator.Irecv(np.zeros(1, np.uint8), rank, BARRIER)
            try:
                wait_for(request, seconds if not missing else 0, lambda: "")
            except DistBackendError:
                request.Cancel()
                missing.append(rank)
                if not name_all:
                    break
        if missing:
            who = f"Rank {missing[0]}" if len(missing) == 1 else f"Ranks {', '.join(map(str, missing))}"
            raise RuntimeError(f"{who} failed to pass monitoredBarrier in {1000 * seconds:.0f} ms")
        for rank in others:
            self._communicator.Send(np.zeros(1, np.uint8), rank, BARRIER)


def describe_source(source):
    return "any rank" if source is None else f"rank {source}"
