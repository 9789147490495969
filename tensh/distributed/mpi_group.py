"""A group of processes whose tensors MPI carries.

Each collective first agrees on what is called (``agreement``), then calls MPI with the memory of the tensors themselves. Those
that ``async_op`` asks for are carried out by a thread of the group, in their order.
"""

from datetime import timedelta

import numpy as np

from tensh.distributed.agreement import agree, agree_on_success, wait_for
from tensh.distributed.errors import DistBackendError
from tensh.distributed.mpi_world import load_mpi
from tensh.distributed.operations import RedOpType, check_reduction, reduction_of
from tensh.distributed.process_group import ProcessGroup, flat
from tensh.distributed.works import Line, MessageWork, PendingWork
from tensh.engine.core.clock import stamp_write

LONGEST_WAIT = timedelta(minutes=30)
WIDE = {"float16": "float32", "bfloat16": "float32", "complex32": "complex64"}
"""Dtypes that MPI does not know -> those that their sums are computed in."""
OF_BOOLS = {
    RedOpType.SUM: RedOpType.BOR,
    RedOpType.PRODUCT: RedOpType.BAND,
    RedOpType.MAX: RedOpType.BOR,
    RedOpType.MIN: RedOpType.BAND,
}
NAMES = {RedOpType.SUM: "SUM", RedOpType.AVG: "SUM", RedOpType.PRODUCT: "PROD"} | {
    each: each.name for each in (RedOpType.MIN, RedOpType.MAX, RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
}


def read(tensor):
    """The elements of a tensor without gaps: its own memory where that is so."""
    return np.ascontiguousarray(tensor.array).reshape(tensor.array.shape)


def write(tensor, array):
    """Write elements into a tensor, unless they lie in it."""
    if tensor.array is not array:
        tensor.array[...] = array
    stamp_write(tensor.array)


def as_bytes(array):
    """The memory of an array without gaps as bytes."""
    return array.reshape(-1).view(np.uint8)


def facts_of(tensor):
    """The shape and dtype of a tensor, as a call tells them."""
    return ("shape", list(tensor.shape)), ("dtype", str(tensor.dtype).removeprefix("torch."))


class MPIGroup(ProcessGroup):
    """A group of several processes."""

    def __init__(self, communicator, *args, timeout=None, **options):
        super().__init__(*args, **options)
        self._mpi = load_mpi()
        self._communicator = communicator
        self._messages = communicator.Dup()  # of programs, apart from those of collectives
        self._line = Line()
        self.set_timeout(timeout or LONGEST_WAIT)

    def set_timeout(self, timeout):
        """Set how long collectives wait for other processes."""
        self._seconds = timeout.total_seconds()

    def shutdown(self):
        """End the group, when what is in progress has ended."""
        self._line.end()

    abort = shutdown

    def _begin(self, tensors, call, function):
        """A work that agrees on a call and does it."""

        def run():
            agree(self._communicator, call, self._seconds)
            function()

        return self._line.add(PendingWork(self._line, tensors, run))

    # ── reductions ───────────────────────────────────────────────────────────
    def _reduce_with(self, source, op, exchange):
        """Call ``exchange`` with an array and an operation of MPI, for any dtype and reduction."""
        op, dtype = reduction_of(op), source.dtype
        if dtype.kind == "b":
            op, source = OF_BOOLS.get(op, op), source.view(np.uint8)
        elif dtype.name in WIDE:
            source = source.astype(WIDE[dtype.name])
        result = exchange(source, getattr(self._mpi, NAMES[op]))
        if result is None:
            return None
        if op is RedOpType.AVG:
            result = result / self._size if result.dtype.kind in "fc" else result // self._size
        return result.view(dtype) if dtype.kind == "b" else result.astype(dtype, copy=False)

    def allreduce(self, tensors, op=RedOpType.SUM):
        """Reduce tensors over the processes, in place."""
        tensors = flat(tensors)
        for each in tensors:
            check_reduction(op, each)

        def exchange(array, operation):
            if array.flags.writeable:
                self._communicator.Allreduce(self._mpi.IN_PLACE, array, operation)
                return array
            out = np.empty_like(array)
            self._communicator.Allreduce(array, out, operation)
            return out

        def run():
            for each in tensors:
                write(each, self._reduce_with(read(each), op, exchange))

        return self._begin(tensors, self._call("all_reduce", tensors, op=op), run)

    def _call(self, name, tensors, **others):
        """The description of a call."""
        facts = [fact for each in tensors for fact in facts_of(each)]
        others = [(key, reduction_of(value).name if key == "op" else value) for key, value in others.items()]
        return (name, *facts, *others)

    def reduce(self, tensors, root, op=RedOpType.SUM):
        """Reduce tensors over the processes into those of one."""
        self.check_root("reduce", root)
        tensors = flat(tensors)
        for each in tensors:
            check_reduction(op, each)

        def exchange(array, operation):
            out = np.empty_like(array) if self._rank == root else None
            self._communicator.Reduce(array, out, operation, root)
            return out

        def run():
            for each in tensors:
                result = self._reduce_with(read(each), op, exchange)
                if result is not None:
                    write(each, result)

        return self._begin(tensors, self._call("reduce", tensors, op=op, root=root), run)

    def reduce_scatter(self, output, inputs, op=RedOpType.SUM):
        """Fill a tensor with the reduction of this process's part of all lists."""
        if len(inputs) != self._size:
            raise RuntimeError("invalid input tensor list size, must be world size")
        self.check_equal("reduce_scatter", output, inputs)
        return self._scatter_reduced(output, lambda: np.stack([read(each) for each in inputs]), op)

    def reduce_scatter_tensor(self, output, input, op=RedOpType.SUM):
        """Fill a tensor with the reduction of this process's part of all inputs."""
        if output.dtype != input.dtype:
            raise RuntimeError(f"reduce_scatter: output and input differ in dtype: {output.dtype} and {input.dtype}")
        if output.numel() * self._size != input.numel():
            raise RuntimeError(
                f"reduce_scatter: the input {list(input.shape)} must be {self._size} times the output {list(output.shape)}"
            )
        return self._scatter_reduced(output, lambda: read(input).reshape(self._size, *output.shape), op)

    def _scatter_reduced(self, output, make_parts, op):
        check_reduction(op, output)

        def exchange(array, operation):
            out = np.empty(array.shape[1:], array.dtype)
            self._communicator.Reduce_scatter_block(array, out, operation)
            return out

        def run():
            write(output, self._reduce_with(make_parts(), op, exchange).reshape(output.shape))

        return self._begin([output], self._call("reduce_scatter", [output], op=op), run)

    # ── what is moved ────────────────────────────────────────────────────────
    def broadcast(self, tensors, root=0):
        """Send tensors of one process to all."""
        self.check_root("broadcast", root)
        tensors = flat(tensors)

        def run():
            for each in tensors:
                array = read(each)
                if not array.flags.writeable:
                    array = array.copy()
                self._communicator.Bcast(as_bytes(array), root)
                if self._rank != root:
                    write(each, array)

        return self._begin(tensors, self._call("broadcast", tensors, root=root), run)

    def barrier(self):
        """Wait for all processes."""
        return self._begin([], ("barrier",), lambda: None)

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """Wait for all processes; RuntimeError on the first that names one that did not come, or all of them."""
        self._line.settle()
        seconds = self._seconds if timeout is None else timeout.total_seconds()
        note = np.zeros(1, np.uint8)
        if self._rank:
            wait_for(
                self._messages.Isend(note, 0, BARRIER), seconds, lambda: "rank 0 did not come to monitored_barrier"
            )
            try:
                wait_for(self._messages.Irecv(note, 0, BARRIER), seconds, lambda: "")
            except DistBackendError:
                raise RuntimeError(f"rank {self._rank} waited {seconds:g} s in monitored_barrier for rank 0") from None
            return
        missing = []
        for rank in range(1, self._size):
            request = self._messages.Irecv(note.copy(), rank, BARRIER)
            try:
                wait_for(request, seconds if not missing else 0, lambda: "")
            except DistBackendError:
                request.Cancel()
                missing.append(rank)
                if not wait_all_ranks:
                    break
        if missing:
            who = f"Rank {missing[0]}" if len(missing) == 1 else f"Ranks {', '.join(map(str, missing))}"
            raise RuntimeError(f"{who} failed to pass monitoredBarrier in {1000 * seconds:.0f} ms")
        for rank in range(1, self._size):
            self._messages.Send(note, rank, BARRIER)

    def allgather(self, outputs, inputs):
        """Fill a list for each input with the input of every process."""
        self.check_outputs(outputs, inputs)

        def run():
            for given, tensor in zip(outputs, inputs, strict=True):
                for each, part in zip(given, self._gather_all(tensor), strict=True):
                    write(each, part)

        return self._begin(flat(outputs), self._call("all_gather", inputs), run)

    def _gather_all(self, tensor):
        """The elements of a tensor of all processes [processes, *shape]."""
        array = read(tensor)
        out = np.empty((self._size, *array.shape), array.dtype)
        self._communicator.Allgather(as_bytes(array), as_bytes(out))
        return out

    def allgather_into_tensor(self, output, input):
        """Fill a tensor with the inputs of all processes, one after the other."""
        if output.numel() != input.numel() * self._size:
            raise RuntimeError(
                f"all_gather: the output {list(output.shape)} must be {self._size} times the input {list(input.shape)}"
            )
        if output.dtype != input.dtype:
            raise RuntimeError(f"all_gather: output and input differ in dtype: {output.dtype} and {input.dtype}")

        def run():
            write(output, self._gather_all(input).reshape(output.shape))

        return self._begin([output], self._call("all_gather_single", [input]), run)

    def gather(self, output, input, root=0):
        """Fill the list of one process with the inputs of all."""
        self.check_root("gather", root)
        if self._rank == root:
            self.check_length("gather", "output", output)
            self.check_equal("gather", input, output)

        def run():
            array = read(input)
            out = np.empty((self._size, *array.shape), array.dtype) if self._rank == root else None
            self._communicator.Gather(as_bytes(array), None if out is None else as_bytes(out), root)
            for each, part in zip(output, () if out is None else out):
                write(each, part)

        return self._begin(output, self._call("gather", [input], root=root), run)

    def scatter(self, output, inputs, root=0):
        """Fill a tensor with this process's part of the list of one."""
        self.check_root("scatter", root)
        if self._rank == root:
            self.check_length("scatter", "input", inputs)
            self.check_equal("scatter", output, inputs)

        def run():
            parts = as_bytes(np.stack([read(each) for each in inputs])) if self._rank == root else None
            array = np.empty(output.array.shape, output.array.dtype)
            self._communicator.Scatter(parts, as_bytes(array), root)
            write(output, array)

        return self._begin([output], self._call("scatter", [output], root=root), run)

    def alltoall(self, outputs, inputs):
        """Send each process its tensor of a list, and fill another list with the received ones."""
        for what, tensors in (("input", inputs), ("output", outputs)):
            if len(tensors) != self._size:
                raise RuntimeError(
                    f"ProcessGroupGloo::alltoall: {what} tensor list size {len(tensors)} does not match world size {self._size}"
                )

        def run():
            row = np.concatenate([as_bytes(read(each)) for each in inputs])
            sizes = [each.array.nbytes for each in outputs]
            parts = np.split(
                self._exchange_rows(row, [each.array.nbytes for each in inputs], sizes), np.cumsum(sizes)[:-1]
            )
            for each, part in zip(outputs, parts, strict=True):
                write(each, part.view(each.array.dtype).reshape(each.array.shape))

        return self._begin(outputs, ("all_to_all", facts_of(inputs[0])[1]), run)

    def alltoall_base(self, output, input, output_split_sizes=(), input_split_sizes=()):
        """Send each process its rows of a tensor, and fill another tensor with the received ones."""
        sizes = [self._rows(*each) for each in ((input, input_split_sizes), (output, output_split_sizes))]

        def run():
            row = self._exchange_rows(as_bytes(read(input)), *sizes)
            write(output, row.view(output.array.dtype).reshape(output.array.shape))

        return self._begin([output], ("all_to_all_single", facts_of(input)[1]), run)

    def _rows(self, tensor, sizes):
        """The bytes of a tensor's rows for each process."""
        total = tensor.size(0) if tensor.dim() else 1
        if not sizes:
            if total % self._size:
                raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
            sizes = [total // self._size] * self._size
        if len(sizes) != self._size:
            raise RuntimeError("Number of tensor splits not equal to group size")
        if sum(sizes) != total:
            raise RuntimeError("Split sizes doesn't match total dim 0 size")
        row = tensor.array.nbytes // total if total else 0
        return [int(size) * row for size in sizes]

    def _exchange_rows(self, row, sent, expected):
        """Send each process so many bytes of a row; the row of those received.  Raise RuntimeError on all where numbers differ."""
        coming = self._communicator.alltoall(sent)
        wrong = [rank for rank in range(self._size) if coming[rank] != expected[rank]]
        error = None
        if wrong:
            error = (
                f"all_to_all: rank {wrong[0]} sends {coming[wrong[0]]} bytes to rank {self._rank}, whose output has room for "
                f"{expected[wrong[0]]}"
            )
        agree_on_success(self._communicator, error, self._seconds)
        out = np.empty(sum(expected), np.uint8)
        self._communicator.Alltoallv([row, sent], [out, expected])
        return out

    # ── messages ─────────────────────────────────────────────────────────────
    def send(self, tensor, target, tag=0):
        """Begin to send a tensor to a process of the group."""
        self.check_root("send", target)
        array = read(tensor)
        request = self._messages.Isend(as_bytes(array), target, tag)

        def finish(seconds):
            seconds = self._seconds if seconds is None else seconds
            wait_for(
                request, seconds, lambda: f"rank {target} did not receive {array.nbytes} bytes"
            )  # which live until then

        return MessageWork(tensor, finish, request.Test)

    def receive(self, tensor, source=None, tag=0):
        """Begin to fill a tensor with that of a process of the group, or of any."""
        mpi = self._mpi
        if source is not None:
            self.check_root("recv", source)
        array = np.empty(tensor.array.shape, tensor.array.dtype)
        request = self._messages.Irecv(as_bytes(array), mpi.ANY_SOURCE if source is None else source, tag)
        status = mpi.Status()

        def finish(seconds):
            who = "any rank" if source is None else f"rank {source}"
            try:
                seconds = self._seconds if seconds is None else seconds
                wait_for(Asking(lambda: request.Test(status)), seconds, lambda: f"{who} sent nothing")
            except mpi.Exception as error:
                if error.Get_error_class() != mpi.ERR_TRUNCATE:
                    raise
                raise RuntimeError(
                    f"recv: {who} sent more than the {array.nbytes} bytes of {list(array.shape)}"
                ) from None
            count = status.Get_count(mpi.BYTE)
            if count != array.nbytes:
                raise RuntimeError(
                    f"recv: rank {status.Get_source()} sent {count} bytes, and a tensor {list(array.shape)} of {tensor.dtype} "
                    f"has {array.nbytes}"
                )
            write(tensor, array)
            return status.Get_source()

        return MessageWork(tensor, finish, lambda: request.Get_status())

    # ── objects ──────────────────────────────────────────────────────────────
    def gather_objects(self, thing):
        """The objects of all processes, on all of them."""
        self._line.settle()
        agree(self._communicator, ("all_gather_object",), self._seconds)
        return self._communicator.allgather(thing)

    def broadcast_object(self, thing, root):
        """The object of one process, on all of them."""
        self.check_root("broadcast", root)
        self._line.settle()
        agree(self._communicator, ("broadcast_object_list", ("root", root)), self._seconds)
        return self._communicator.bcast(thing, root)

    def send_object(self, thing, target, tag=0):
        """Send an object to a process of the group."""
        self.check_root("send", target)
        wait_for(self._messages.isend(thing, target, tag), self._seconds, lambda: f"rank {target} received no object")

    def receive_object(self, source=None, tag=0):
        """(object, rank of the process that it came from)."""
        if source is not None:
            self.check_root("recv", source)
        status, who = self._mpi.Status(), self._mpi.ANY_SOURCE if source is None else source
        arrived = Asking(lambda: self._messages.Iprobe(who, tag, status))
        wait_for(arrived, self._seconds, lambda: f"{'any rank' if source is None else f'rank {source}'} sent no object")
        return self._messages.recv(source=status.Get_source(), tag=tag), status.Get_source()


class Asking:
    """The condition of ``wait_for`` as a question to MPI."""

    def __init__(self, question):
        self.Test = question


BARRIER = 32_767  # the tag of messages of ``monitored_barrier``: the largest that every MPI has
