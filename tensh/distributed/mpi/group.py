"""A process group whose tensors are carried by MPI.

Each collective first agrees on the call (``agreement``), then calls MPI with the memory of the tensors. Those with
``async_op`` are executed by a thread of the group, in order.
"""

from datetime import timedelta

import numpy as np

from tensh.distributed.agreement import agree, agree_on_success
from tensh.distributed.mpi.memory import as_bytes, facts_of, read, write
from tensh.distributed.mpi.messages import Messages
from tensh.distributed.mpi.reduction import reduce_with
from tensh.distributed.mpi.world import load_mpi
from tensh.distributed.operations import RedOpType, check_reduction, reduction_of
from tensh.distributed.process_group import ProcessGroup, flat
from tensh.distributed.works import Line, PendingWork
from tensh.support import timeline

LONGEST_WAIT = timedelta(minutes=30)


class MPIGroup(ProcessGroup):
    """A group of several processes."""

    def __init__(self, communicator, *args, timeout=None, **options):
        super().__init__(*args, **options)
        self._mpi = load_mpi()
        self._communicator = communicator
        self._seconds = (timeout or LONGEST_WAIT).total_seconds()
        self._messages = Messages(self._mpi, communicator, self._seconds)
        self._line = Line()

    def set_timeout(self, timeout):
        """Set how long collectives and messages wait for other processes."""
        self._seconds = self._messages.seconds = timeout.total_seconds()

    def shutdown(self):
        """End the group, after pending work has finished."""
        self._line.end()

    abort = shutdown

    def _begin(self, tensors, call, function):
        """Return a work that agrees on a call and executes it."""

        def run():
            begin = timeline.now()
            agree(self._communicator, call, self._seconds)
            met = timeline.now()
            function()
            timeline.note("wait", call[0], begin, met)
            timeline.note("transfer", call[0], met, timeline.now())

        return self._line.add(PendingWork(self._line, tensors, run, call[0]))

    # ── reductions ───────────────────────────────────────────────────────────
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
                write(each, self._reduce(read(each), op, exchange))

        return self._begin(tensors, self._call("all_reduce", tensors, op=op), run)

    def _reduce(self, source, op, exchange):
        return reduce_with(self._mpi, self._size, source, op, exchange)

    def _call(self, name, tensors, **others):
        """Return the description of a call."""
        facts = [fact for each in tensors for fact in facts_of(each)]
        others = [(key, reduction_of(value).name if key == "op" else value) for key, value in others.items()]
        return (name, *facts, *others)

    def reduce(self, tensors, root, op=RedOpType.SUM):
        """Reduce tensors over the processes into those of one process."""
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
                result = self._reduce(read(each), op, exchange)
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
            write(output, self._reduce(make_parts(), op, exchange).reshape(output.shape))

        return self._begin([output], self._call("reduce_scatter", [output], op=op), run)

    # ── movement ─────────────────────────────────────────────────────────────
    def broadcast(self, tensors, root=0):
        """Send the tensors of one process to all."""
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
        """Wait for all processes; raise RuntimeError on the first, naming one that did not arrive, or all of them."""
        self._line.settle()
        seconds = self._seconds if timeout is None else timeout.total_seconds()
        with timeline.noting("monitored_barrier"):
            if self._rank:
                self._messages.report_to_first(seconds)
            else:
                self._messages.await_others(seconds, name_all=wait_all_ranks)

    def allgather(self, outputs, inputs):
        """Fill a list for each input with the input of every process."""
        self.check_outputs(outputs, inputs)

        def run():
            for given, tensor in zip(outputs, inputs, strict=True):
                for each, part in zip(given, self._gather_all(tensor), strict=True):
                    write(each, part)

        return self._begin(flat(outputs), self._call("all_gather", inputs), run)

    def _gather_all(self, tensor):
        """Return the elements of a tensor on all processes [processes, *shape]."""
        array = read(tensor)
        out = np.empty((self._size, *array.shape), array.dtype)
        self._communicator.Allgather(as_bytes(array), as_bytes(out))
        return out

    def allgather_into_tensor(self, output, input):
        """Concatenate the inputs of all processes into a tensor."""
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
        """Send each process its tensor of a list, and fill another list with the received tensors."""
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
        """Send each process its rows of a tensor, and fill another tensor with the received rows."""
        sizes = [self._rows(*each) for each in ((input, input_split_sizes), (output, output_split_sizes))]

        def run():
            row = self._exchange_rows(as_bytes(read(input)), *sizes)
            write(output, row.view(output.array.dtype).reshape(output.array.shape))

        return self._begin([output], ("all_to_all_single", facts_of(input)[1]), run)

    def _rows(self, tensor, sizes):
        """Return the bytes of a tensor's rows for each process."""
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
        """Send each process some bytes of a buffer; return those received.  Raise RuntimeError if counts differ."""
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

    # ── objects ──────────────────────────────────────────────────────────────
    def gather_objects(self, thing):
        """Return the objects of all processes, on all of them."""
        self._line.settle()
        with timeline.noting("all_gather_object"):
            agree(self._communicator, ("all_gather_object",), self._seconds)
            return self._communicator.allgather(thing)

    def broadcast_object(self, thing, root):
        """Return the object of one process, on all of them."""
        self.check_root("broadcast", root)
        self._line.settle()
        with timeline.noting("broadcast_object_list"):
            agree(self._communicator, ("broadcast_object_list", ("root", root)), self._seconds)
            return self._communicator.bcast(thing, root)

    # ── messages ─────────────────────────────────────────────────────────────
    def send(self, tensor, target, tag=0):
        """Start to send a tensor to a process of the group."""
        self.check_root("send", target)
        return self._messages.send(tensor, target, tag)

    def receive(self, tensor, source=None, tag=0):
        """Start to receive a tensor from a process of the group, or from any."""
        if source is not None:
            self.check_root("recv", source)
        return self._messages.receive(tensor, source, tag)

    def send_object(self, thing, target, tag=0):
        """Send an object to a process of the group."""
        self.check_root("send", target)
        self._messages.send_object(thing, target, tag)

    def receive_object(self, source=None, tag=0):
        """Return (object, rank of the sender)."""
        if source is not None:
            self.check_root("recv", source)
        return self._messages.receive_object(source, tag)
