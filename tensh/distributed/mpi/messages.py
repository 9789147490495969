"""Messages between two processes of a group: tensors, objects, and the notes of ``monitored_barrier``.

They use separate communicators, so that they cannot be confused with collectives. A message begins with its kind, which is
the dtype of its elements or that of objects, so that no process takes one for another; a long one continues in a second
message, straight from the memory of the tensor.
"""

import pickle

import numpy as np

from tensh.distributed.agreement import wait_for
from tensh.distributed.errors import DistBackendError
from tensh.distributed.mpi.memory import as_bytes, read, write
from tensh.distributed.works import MessageWork

BARRIER = 32_767  # the tag for messages of ``monitored_barrier``, the largest that every MPI supports
SERIALS = 32_767  # the tags of continuations: the number of the message
SHORT = 2**12  # bytes that are copied to follow the beginning at once
BEGINNING = 3 * 8  # bytes: kind, length, number
OBJECT = 0
DTYPES = (
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64 complex128 uint16 uint32 uint64 "
    "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


def kind_of(tensor):
    """Return the kind of a tensor's message."""
    return 1 + DTYPES.index(tensor.dtype.name)


def describe_kind(kind):
    return "an object" if kind == OBJECT else f"a tensor of {DTYPES[kind - 1]}"


def describe_source(source):
    return "any rank" if source is None else f"rank {source}"


class Condition:
    """A condition that ``wait_for`` polls if MPI has no request."""

    def __init__(self, question):
        self.Test = question


class Incoming:
    """A message that is received for a tensor: its beginning, and the rest of a long one."""

    def __init__(self, messages, tensor, source, tag):
        self._messages, self._tensor = messages, tensor
        self.array = np.empty(tensor.array.shape, tensor.array.dtype)
        self._begun = np.empty(BEGINNING + SHORT, np.uint8)
        self._status, self._rest = messages.mpi.Status(), None
        self._request = messages.begun.Irecv(self._begun, source, tag)

    def Test(self):
        """Return True once the message has come.  Raise RuntimeError for another kind or length."""
        if self._rest is None:
            if not self._request.Test(self._status):
                return False
            kind, length, number = self._begun[:BEGINNING].view(np.int64).tolist()
            self._check(kind, length, number)
            if length <= SHORT:
                as_bytes(self.array)[:] = self._begun[BEGINNING : BEGINNING + length]
                return True
            self._rest = self._messages.rest.Irecv(as_bytes(self.array), self.source(), number)
        return self._rest.Test()

    def _check(self, kind, length, number):
        """Raise RuntimeError for another kind or length than expected; the rest of the message is dropped."""
        expected = kind_of(self._tensor), self.array.nbytes
        if (kind, length) == expected:
            return
        self._messages.drop(length, number, self.source())
        if kind != expected[0]:
            refuse(self.source(), kind, expected[0])
        raise RuntimeError(
            f"recv: rank {self.source()} sent {length} bytes, but a tensor {list(self.array.shape)} of {self._tensor.dtype} has "
            f"{self.array.nbytes}"
        )

    def source(self):
        """Return the rank of the sender."""
        return self._status.Get_source()


def refuse(source, kind, expected):
    raise RuntimeError(
        f"recv: rank {source} sent {describe_kind(kind)}, but {describe_kind(expected)} is expected here"
    )


class Messages:
    """The messages of a process, which by default wait ``seconds`` for other processes."""

    def __init__(self, mpi, communicator, seconds):
        self.mpi, self.seconds = mpi, seconds
        self.begun, self.rest = communicator.Dup(), communicator.Dup()
        self._sent = 0

    def _start(self, kind, array, target, tag):
        """Start to send an array of bytes; return what ``wait_for`` polls."""
        self._sent = (self._sent + 1) % SERIALS
        beginning = np.array([kind, array.nbytes, self._sent]).view(np.uint8)
        if array.nbytes <= SHORT:
            return self.begun.Isend(np.concatenate([beginning, array]), target, tag)
        both = [self.begun.Isend(beginning, target, tag), self.rest.Isend(array, target, self._sent)]
        return Condition(lambda: self.mpi.Request.Testall(both))

    def drop(self, length, number, source):
        """Receive the rest of a message that is not wanted, for which its sender waits."""
        if length > SHORT:
            self.rest.Recv(np.empty(length, np.uint8), source, number)

    def partners(self, rank):
        """Return what ``wait_for`` needs to notice that a process has ended; nothing for a message from any."""
        return () if rank is None else (self.begun, [rank])

    def _rank_of(self, source):
        return self.mpi.ANY_SOURCE if source is None else source

    # ── tensors ──────────────────────────────────────────────────────────────
    def send(self, tensor, target, tag):
        """Start to send a tensor."""
        array = as_bytes(read(tensor))
        request = self._start(kind_of(tensor), array, target, tag)

        def finish(seconds):
            seconds = self.seconds if seconds is None else seconds
            wait_for(
                request, seconds, lambda: f"rank {target} did not receive {array.nbytes} bytes", *self.partners(target)
            )

        return MessageWork(tensor, finish, request.Test, "send")

    def receive(self, tensor, source, tag):
        """Start to receive a tensor from a process, or from any for None."""
        incoming = Incoming(self, tensor, self._rank_of(source), tag)

        def finish(seconds):
            seconds = self.seconds if seconds is None else seconds
            wait_for(incoming, seconds, lambda: f"{describe_source(source)} sent nothing", *self.partners(source))
            write(tensor, incoming.array)
            return incoming.source()

        return MessageWork(tensor, finish, incoming.Test, "recv")

    # ── objects ──────────────────────────────────────────────────────────────
    def send_object(self, thing, target, tag):
        """Send an object."""
        request = self._start(OBJECT, np.frombuffer(pickle.dumps(thing), np.uint8), target, tag)
        wait_for(request, self.seconds, lambda: f"rank {target} received no object", *self.partners(target))

    def receive_object(self, source, tag):
        """Return (object, rank of the sender)."""
        status, rank = self.mpi.Status(), self._rank_of(source)
        arrived = Condition(lambda: self.begun.Iprobe(rank, tag, status))
        wait_for(arrived, self.seconds, lambda: f"{describe_source(source)} sent no object", *self.partners(source))
        source, content = status.Get_source(), np.empty(status.Get_count(self.mpi.BYTE), np.uint8)
        self.begun.Recv(content, source, tag)
        kind, length, number = content[:BEGINNING].view(np.int64).tolist()
        if kind != OBJECT:
            self.drop(length, number, source)
            refuse(source, kind, OBJECT)
        content = content[BEGINNING:]
        if length > SHORT:
            content = np.empty(length, np.uint8)
            self.rest.Recv(content, source, number)
        return pickle.loads(content), source

    # ── a barrier that names missing processes ───────────────────────────────
    def report_to_first(self, seconds):
        """Tell rank 0 that this process has arrived, and wait for its answer."""
        note = np.zeros(1, np.uint8)
        reported = self.rest.Isend(note, 0, BARRIER)
        wait_for(reported, seconds, lambda: "rank 0 did not reach monitored_barrier")
        try:
            wait_for(self.rest.Irecv(note, 0, BARRIER), seconds, lambda: "")
        except DistBackendError:
            rank = self.rest.Get_rank()
            raise RuntimeError(f"rank {rank} waited {seconds:g} s in monitored_barrier for rank 0") from None

    def await_others(self, seconds, name_all):
        """Wait on rank 0 for all others, and answer them.  Raise RuntimeError, naming a missing process or all."""
        others, missing = range(1, self.rest.Get_size()), []
        for rank in others:
            request = self.rest.Irecv(np.zeros(1, np.uint8), rank, BARRIER)
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
            self.rest.Send(np.zeros(1, np.uint8), rank, BARRIER)
