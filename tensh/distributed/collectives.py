"""Collectives of tensors, the public functions. Each checks its arguments, then calls the method of the group.

All take a ``group``, by default all processes, and ``async_op``, with which they return a ``Work`` to wait for. They
write into tensors whether or not these are recorded, and are not recorded themselves.
"""

from tensh.distributed.groups import (
    check_timeout,
    entry_of,
    find_group,
    get_global_rank,
    get_group_rank,
    get_rank,
    member_group,
)
from tensh.distributed.operations import ReduceOp, reduction_of, supports_complex
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn


def check_tensor(value, name):
    """Raise TypeError for anything but a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def check_tensors(value, name):
    """Raise TypeError for anything but a list of tensors."""
    if not isinstance(value, list) or not all(isinstance(each, Tensor) for each in value):
        kinds = type(value) if not isinstance(value, list) else [type(each) for each in value]
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {kinds} instead."
        )


def check_dtypes(*tensors):
    """Raise ValueError for tensors of several dtypes."""
    for one, two in zip(tensors, tensors[1:], strict=False):
        if one.dtype != two.dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {one.dtype} and  {two.dtype}")


def root_of(group, rank, group_rank, otherwise=None):
    """Return the group rank of a process given by its global or group rank.  Raise ValueError for both or neither."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if group_rank is not None:
        return group_rank
    if rank is None:
        rank = otherwise
    if rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    return get_group_rank(group, rank)


def finish(work, async_op):
    """Return the work of a collective with ``async_op``; otherwise wait for it."""
    if async_op:
        return work.start()
    work.wait()
    return None


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Reduce a tensor over all processes, in place on each.

    Raise ValueError for a reduction that is not defined for complex numbers, RuntimeError for one that the dtype lacks.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> x = torch.arange(3); dist.all_reduce(x); x
    tensor([0, 1, 2])
    >>> dist.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    if (group := member_group("all_reduce", group)) is None:
        return None
    _check_complex("all_reduce", op, tensor)
    return finish(group.allreduce([tensor], op), async_op)


def _check_complex(name, op, tensor):
    if tensor.is_complex() and not supports_complex(op):
        raise ValueError(f"{name} does not support {reduction_of(op)} on complex tensors")


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """Reduce several tensors over all processes, in place on each.  Raise ValueError for different dtypes."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    check_tensors(tensors, "tensors")
    check_dtypes(*tensors)
    if not tensors:
        raise ValueError("all_reduce_coalesced needs at least one tensor")
    if (group := member_group("all_reduce_coalesced", group)) is None:
        return None
    _check_complex("all_reduce", op, tensors[0])
    return finish(group.allreduce(tensors, op), async_op)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Copy the tensor of one process to all processes.  Raise RuntimeError for a process that does not exist."""
    check_tensor(tensor, "tensor")
    if (group := member_group("broadcast", group)) is None:
        return None
    return finish(group.broadcast([tensor], root_of(group, src, group_src)), async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Reduce a tensor over all processes into that of one process."""
    check_tensor(tensor, "tensor")
    if (group := member_group("reduce", group)) is None:
        return None
    return finish(group.reduce([tensor], root_of(group, dst, group_dst), op), async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Fill a list, one tensor for each process, with the tensors of all.  Raise RuntimeError for other sizes."""
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_dtypes(*tensor_list, tensor)
    if (group := member_group("all_gather", group)) is None:
        return None
    return finish(group.allgather([tensor_list], [tensor]), async_op)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """Fill a list of tensors for each given tensor: ``all_gather`` of several tensors."""
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for each in output_tensor_lists:
        check_tensors(each, "output_tensor_lists")
    check_tensors(input_tensor_list, "input_tensor_list")
    if (group := member_group("all_gather_coalesced", group)) is None:
        return None
    return finish(group.allgather(output_tensor_lists, input_tensor_list), async_op)


def all_gather_single(output_tensor, input_tensor, group=None, async_op=False):
    """Concatenate the tensors of all processes into one.  Raise RuntimeError for another shape or dtype."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    if (group := member_group("all_gather_single", group)) is None:
        return None
    return finish(group.allgather_into_tensor(output_tensor, input_tensor), async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Concatenate the tensors of all processes into one: an older name of ``all_gather_single``."""
    _warn_renamed("all_gather_into_tensor", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def _warn_renamed(old, new):
    warn(f"`torch.distributed.{old}` is deprecated. Please use `torch.distributed.{new}` instead.", FutureWarning)


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Fill the list of one process, by default the first, with the tensors of all.

    ``gather_list`` must be given on that process only; otherwise raise ValueError.
    """
    check_tensor(tensor, "tensor")
    if gather_list:
        check_tensors(gather_list, "gather_list")
    else:
        gather_list = []
    check_dtypes(tensor, *gather_list)
    if (group := member_group("gather", group)) is None:
        return None
    root = root_of(group, dst, group_dst, 0)
    _check_list("gather_list", gather_list, "destination", get_rank(group) == root)
    return finish(group.gather(gather_list, tensor, root), async_op)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Distribute the list of one process, by default the first: a tensor to each process.

    ``scatter_list`` must be given on that process; otherwise raise ValueError.
    """
    check_tensor(tensor, "tensor")
    if scatter_list:
        check_tensors(scatter_list, "scatter_list")
    else:
        scatter_list = []
    check_dtypes(tensor, *scatter_list)
    if (group := member_group("scatter", group)) is None:
        return None
    root = root_of(group, src, group_src, 0)
    _check_list("scatter_list", scatter_list, "source", get_rank(group) == root)
    return finish(group.scatter(tensor, scatter_list, root), async_op)


def _check_list(name, tensors, role, is_root):
    if is_root and not tensors:
        raise ValueError(f"Argument ``{name}`` must be specified on {role} rank.")
    if not is_root and tensors:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{role} ranks.")


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Fill a tensor with the reduction of the tensors for this process in the lists of all processes."""
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    check_dtypes(output, *input_list)
    if (group := member_group("reduce_scatter", group)) is None:
        return None
    return finish(group.reduce_scatter(output, input_list, op), async_op)


def reduce_scatter_single(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """Fill a tensor with the reduction of the parts for this process in the tensors of all processes."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    if (group := member_group("reduce_scatter_single", group)) is None:
        return None
    return finish(group.reduce_scatter_tensor(output, input, op), async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """Fill a tensor with the reduction of parts: an older name of ``reduce_scatter_single``."""
    _warn_renamed("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Send each process its tensor of a list, and fill another list with the received tensors."""
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    check_dtypes(*output_tensor_list, *input_tensor_list)
    if (group := member_group("all_to_all", group)) is None:
        return None
    return finish(group.alltoall(output_tensor_list, input_tensor_list), async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Send each process its rows of a tensor, and fill another tensor with the received rows."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_dtypes(output, input)
    if (group := member_group("all_to_all_single", group)) is None:
        return None
    work = group.alltoall_base(output, input, output_split_sizes or (), input_split_sizes or ())
    return finish(work, async_op)


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Wait until all processes have reached the barrier."""
    if (group := member_group("barrier", group)) is None:
        return None
    return finish(group.barrier(), async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """Wait until all processes have reached the barrier, and name missing ones.

    Raise RuntimeError on the first process, naming one that did not arrive in time, or with ``wait_all_ranks`` all of
    them, and TypeError for a time-out that is not a timedelta.
    """
    check_timeout(timeout)
    if (group := member_group("monitored_barrier", group)) is not None:
        group.monitored_barrier(timeout, wait_all_ranks)


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Start to send a tensor to another process.  Raise ValueError for this process, RuntimeError for a missing one."""
    if (found := _message_group("send", tensor, group)) is None:
        return None
    return found.send(tensor, _other("destination", found, root_of(found, dst, group_dst)), tag)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Send a tensor to another process.  Raise ValueError for this process, RuntimeError for a missing one."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Start to receive a tensor from another process, by default from any.

    Raise ValueError for this process, RuntimeError for a missing one; ``wait`` raises RuntimeError for a tensor of
    another size.
    """
    if (found := _message_group("recv", tensor, group)) is None:
        return None
    if src is None and group_src is None:
        return found.receive(tensor, None, tag)
    return found.receive(tensor, _other("source", found, root_of(found, src, group_src)), tag)


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receive a tensor from another process, by default from any; return the rank of the sender.

    Raise ValueError for this process, RuntimeError for a missing one, and for a tensor of another size.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return get_global_rank(find_group(group), work.source_rank())


def _message_group(name, tensor, group):
    check_tensor(tensor, "tensor")
    return member_group(name, group)


def _other(role, group, rank):
    """Return a rank in the group.  Raise ValueError for the rank of this process."""
    if rank == get_rank(group):
        raise ValueError(f"Invalid {role} rank: {role} rank should not be the same as the rank of the current process.")
    return rank


class P2POp:
    """A message for ``batch_isend_irecv``: ``isend`` or ``irecv``, a tensor, a process.  Raise ValueError otherwise."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = find_group(group)
        self.group_peer = root_of(self.group, peer, group_peer)
        self.peer = entry_of(self.group).ranks[self.group_peer] if peer is None else peer

    def __repr__(self):
        ends = get_rank(self.group), self.group_peer
        source, target = ends if self.op is isend else ends[::-1]
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, group_dst={target}, "
            f" {self.tensor.shape}, {self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list):
    """Start several messages, and return the list of their works.  Raise ValueError for messages of several groups."""
    if not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    if any(each.group is not p2p_op_list[0].group for each in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    ends = {isend: "group_dst", irecv: "group_src"}
    return [each.op(each.tensor, group=each.group, **{ends[each.op]: each.group_peer}) for each in p2p_op_list]


P2POp.__module__ = "torch.distributed.distributed_c10d"
