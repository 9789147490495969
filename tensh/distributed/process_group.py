"""A process group and its collectives: here a group of one, in which every exchange is a copy.

Larger groups are in ``mpi.group``. A collective of a group takes tensors, writes into its outputs, and returns a
``Work``. The public functions (``collectives``) check their arguments and call these methods, so that another kind of
group needs only these methods.
"""

import pickle

from tensh.distributed.operations import ReduceOp, check_reduction
from tensh.futures import Future


class Work:
    """A collective in progress; this one is complete (others: ``works``).

    >>> import tensh as torch
    >>> torch.distributed.Work([]).wait()
    True
    """

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(self, tensors=()):
        self._tensors = list(tensors)

    def start(self):
        """Start the collective if necessary; return the work."""
        return self

    def wait(self, timeout=None):
        """Wait for completion; return True."""
        return True

    def synchronize(self):
        """Wait for completion."""

    def is_completed(self):
        """Return True if the work is complete."""
        return True

    def is_success(self):
        """Return True if the work is complete without an error."""
        return True

    def exception(self):
        """Return the error, or None."""

    def result(self):
        """Return the tensors that were filled."""
        return self._tensors

    def source_rank(self):
        """Return the sender of a message; raise RuntimeError, because a group of one receives none."""
        raise RuntimeError(
            "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call."
        )

    def get_future(self):
        """Return a future of the tensors."""
        found = Future()
        found.set_result(self._tensors)
        return found


def flat(tensors):
    """Return the tensors of an argument: a tensor, a list of them, or a list of lists of them."""
    if isinstance(tensors, (list, tuple)):
        return [t for each in tensors for t in flat(each)]
    return [tensors]


def fill(target, source):
    """Write values into a tensor, without recording."""
    target.detach().copy_(source.detach().reshape(target.shape))


class ProcessGroup:
    """A group of this process alone, with ``rank`` 0 and ``size`` 1.

    >>> import tensh as torch
    >>> group = torch.distributed.ProcessGroup(torch.distributed.HashStore(), 0, 1)
    >>> ones = torch.ones(2); group.allreduce([ones]).wait(), group.size()
    (True, 1)
    """

    __module__ = "torch.distributed.distributed_c10d"
    bound_device_id = None

    def __init__(self, store, rank, size, group_name="", group_desc="undefined", backend="gloo"):
        self._store, self._backend = store, backend
        self._rank, self._size = rank, size
        self.group_name, self.group_desc = group_name, group_desc

    def rank(self):
        """Return the number of this process in the group."""
        return self._rank

    def size(self):
        """Return the number of processes in the group."""
        return self._size

    def name(self):
        """Return the name of the backend that carries the group's tensors."""
        return self._backend

    def get_group_store(self):
        """Return the store at which the group met."""
        return self._store

    def set_timeout(self, timeout):
        """Set how long collectives wait; in a group of one they do not wait."""

    def shutdown(self):
        """End the group."""

    abort = shutdown

    def check_root(self, name, root):
        """Raise RuntimeError for a process that is not in the group."""
        if not 0 <= root < self._size:
            raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {root}")

    # In a group of one, reductions and broadcasts change nothing.

    def allreduce(self, tensors, op=ReduceOp.SUM):
        """Reduce tensors over the processes, in place."""
        tensors = flat(tensors)
        for each in tensors:
            check_reduction(op, each)
        return Work(tensors)

    def reduce(self, tensors, root, op=ReduceOp.SUM):
        """Reduce tensors over the processes into those of one process."""
        self.check_root("reduce", root)
        return self.allreduce(tensors, op)

    def broadcast(self, tensors, root=0):
        """Send the tensors of one process to all."""
        self.check_root("broadcast", root)
        return Work(flat(tensors))

    def barrier(self):
        """Wait for all processes."""
        return Work()

    def monitored_barrier(self, timeout=None, wait_all_ranks=False):
        """Wait for all processes, and name missing ones."""

    # Messages need another process.

    def send(self, tensor, target, tag=0):
        """Raise RuntimeError: a group of one process has no receiver."""
        raise RuntimeError(f"send: there is no process {target} in a group of 1")

    def receive(self, tensor, source=None, tag=0):
        """Raise RuntimeError: a group of one process has no sender."""
        raise RuntimeError(f"recv: there is no process {source} in a group of 1")

    # Objects are pickled.

    def gather_objects(self, thing):
        """Return the objects of all processes, on all of them."""
        return [pickle.loads(pickle.dumps(thing))]

    def broadcast_object(self, thing, root):
        """Return the object of one process, on all of them."""
        self.check_root("broadcast", root)
        return pickle.loads(pickle.dumps(thing))

    def send_object(self, thing, target, tag=0):
        """Raise RuntimeError: a group of one process has no receiver."""
        raise RuntimeError(f"send_object_list: there is no process {target} in a group of 1")

    def receive_object(self, source=None, tag=0):
        """Raise RuntimeError: a group of one process has no sender."""
        raise RuntimeError(f"recv_object_list: there is no process {source} in a group of 1")

    # Other collectives copy to another tensor.

    def allgather(self, outputs, inputs):
        """Fill a list for each input with the input of every process."""
        self.check_outputs(outputs, inputs)
        for given, tensor in zip(outputs, inputs, strict=True):
            fill(given[0], tensor)
        return Work(flat(outputs))

    def allgather_into_tensor(self, output, input):
        """Concatenate the inputs of all processes into a tensor."""
        self.check_equal("allgather", input, [output])
        fill(output, input)
        return Work([output])

    def gather(self, output, input, root=0):
        """Fill the list of one process with the inputs of all."""
        self.check_root("gather", root)
        self.check_length("gather", "output", output)
        self.check_equal("gather", input, output)
        fill(output[0], input)
        return Work(output)

    def scatter(self, output, inputs, root=0):
        """Fill a tensor with this process's part of the list of one."""
        self.check_root("scatter", root)
        self.check_length("scatter", "input", inputs)
        self.check_equal("scatter", output, inputs)
        fill(output, inputs[0])
        return Work([output])

    def reduce_scatter(self, output, inputs, op=ReduceOp.SUM):
        """Fill a tensor with the reduction of this process's part of all lists."""
        if len(inputs) != 1:
            raise RuntimeError("invalid input tensor list size, must be world size")
        return self.reduce_scatter_tensor(output, inputs[0], op)

    def reduce_scatter_tensor(self, output, input, op=ReduceOp.SUM):
        """Fill a tensor with the reduction of this process's part of all inputs."""
        check_reduction(op, input)
        for what, one, two in (("shape", output.shape, input.shape), ("dtype", output.dtype, input.dtype)):
            if one != two:
                raise RuntimeError(f"reduce_scatter: output and input differ in {what}: {one} and {two}")
        fill(output, input)
        return Work([output])

    def alltoall(self, outputs, inputs):
        """Send each process its tensor of a list, and fill another list with the received tensors."""
        for what, tensors in (("input", inputs), ("output", outputs)):
            if len(tensors) != 1:
                raise RuntimeError(
                    f"ProcessGroupGloo::alltoall: {what} tensor list size {len(tensors)} does not match world size 1"
                )
        if outputs[0].numel() != inputs[0].numel():
            raise RuntimeError("ProcessGroupGloo::alltoall: input and output tensors must have the same size")
        fill(outputs[0], inputs[0])
        return Work(outputs)

    def alltoall_base(self, output, input, output_split_sizes=(), input_split_sizes=()):
        """Send each process its rows of a tensor, and fill another tensor with the received rows."""
        for tensor, sizes in ((output, output_split_sizes), (input, input_split_sizes)):
            if sizes and (len(sizes) != 1 or sizes[0] != tensor.size(0)):
                raise RuntimeError("Split sizes doesn't match total dim 0 size")
        if output.numel() != input.numel():
            raise RuntimeError("alltoall: input and output tensors must have the same number of elements")
        fill(output, input)
        return Work([output])

    def check_outputs(self, outputs, inputs):
        """Raise RuntimeError for output lists of another length than the group, or of tensors unlike the input."""
        for number, (given, tensor) in enumerate(zip(outputs, inputs, strict=True)):
            if len(given) != self._size:
                raise RuntimeError(
                    "ProcessGroupGloo::allgather: invalid output tensor list at index "
                    f"{number} (expected length {self._size}, got {len(given)})"
                )
            self.check_equal("allgather", tensor, given)

    def check_length(self, name, what, tensors):
        if len(tensors) != self._size:
            raise RuntimeError(
                f"ProcessGroupGloo::{name}: Incorrect {what} list size {len(tensors)}. "
                f"{what.capitalize()} list size should be {self._size}, same as size of the process group."
            )

    def check_equal(self, name, like, tensors):
        for number, each in enumerate(tensors):
            if each.shape != like.shape:
                sizes = (f"({', '.join(map(str, t.shape))})" for t in (like, each))
                expected, found = sizes
                raise RuntimeError(
                    f"ProcessGroupGloo::{name}: invalid tensor size at index {number} (expected {expected}, got {found})"
                )
            if each.dtype != like.dtype:
                raise RuntimeError(
                    f"ProcessGroupGloo::{name}: invalid tensor type at index {number} "
                    f"(expected {like.dtype}, got {each.dtype})"
                )
