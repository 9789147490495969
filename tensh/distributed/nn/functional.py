"""torch.distributed.nn.functional: collectives whose gradients are collectives, for the sum of all processes' losses.

All processes must run the backward pass.
"""

from tensh.distributed import collectives
from tensh.distributed.groups import find_group, get_group_rank, get_rank, get_world_size
from tensh.distributed.operations import ReduceOp
from tensh.engine import find_public
from tensh.engine.autograd.custom import Function

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter",
    "scatter",
]  # fmt: skip


def _blank(tensor):
    """Return zeros, also for infinities, with the history of a tensor: all processes must run the backward pass."""
    return tensor.masked_fill(find_public("tensor")(True), 0)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.reduction, ctx.group = op, group
        result = tensor.clone()
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, _AllReduce.apply(ctx.reduction, ctx.group, grad.contiguous())


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, root, group, tensor):
        ctx.root, ctx.group = root, group
        result = tensor.clone()
        collectives.broadcast(result, root, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, _Reduce.apply(ctx.root, ReduceOp.SUM, ctx.group, grad.contiguous(), True)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, root, op, group, tensor, clears=False):
        ctx.root, ctx.group = root, group
        result = tensor.clone()
        collectives.reduce(result, root, op, group)
        if clears and get_rank(group) != get_group_rank(find_group(group), root):
            result.zero_()
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _Broadcast.apply(ctx.root, ctx.group, grad.contiguous()), None


class _AllToAll(Function):
    """Send each process a tensor of a list, and receive tensors with the shapes of ``outputs``."""

    @staticmethod
    def forward(ctx, group, shapes, *tensors):
        ctx.group, ctx.shapes = group, [t.shape for t in tensors]
        outputs = [tensors[0].new_empty(shape) for shape in shapes]
        collectives.all_to_all(outputs, [t.contiguous() for t in tensors], group)
        return tuple(outputs)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, *_AllToAll.apply(ctx.group, ctx.shapes, *[g.contiguous() for g in grads])


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """Reduce a tensor over all processes into a new one; gradients are reduced in the same way."""
    return _AllReduce.apply(op, group, tensor)


def broadcast(tensor, src, group=None):
    """Return the tensor of one process on all; its gradient is the sum of all gradients."""
    return _Broadcast.apply(src, group, tensor)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """Reduce a tensor over all processes on one process, from which the gradients come."""
    return _Reduce.apply(dst, op, group, tensor)


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """Send each process its tensor of a list; return the received ones, shaped like ``output_tensor_list``."""
    return _AllToAll.apply(group, [t.shape for t in output_tensor_list], *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """Send each process its rows of a tensor; return the received rows, concatenated."""
    size = get_world_size(group)
    parts = [
        list(t.split(sizes or t.shape[0] // size))
        for t, sizes in ((output, output_split_sizes), (input, input_split_sizes))
    ]
    return find_public("cat")(all_to_all(*parts, group=group)).view(output.shape)


def all_gather(tensor, group=None):
    """Return the tensors of all processes; the gradient of each is the sum over all processes."""
    size = get_world_size(group)
    return _AllToAll.apply(group, [tensor.shape] * size, *[tensor] * size)


def gather(tensor, dst=0, group=None):
    """Return the tensors of all processes on one process, from which the gradients come, and zeros on others."""
    found = all_gather(tensor, group)
    if get_rank(group) == get_group_rank(find_group(group), dst):
        return found
    return tuple(map(_blank, found))


def scatter(tensors, src=0, group=None):
    """Return this process's tensor of the list of one process, which gets the gradients of all."""
    size, me = get_world_size(group), get_rank(group)
    root = get_group_rank(find_group(group), src)
    given = list(tensors) if me == root else [*map(_blank, tensors)]
    return _AllToAll.apply(group, [given[me].shape] * size, *given)[root]


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    """Return the reduction of the tensors for this process on all processes; gradients are gathered.

    Raise RuntimeError unless the reduction is SUM.
    """
    if op != ReduceOp.SUM:
        raise RuntimeError(f"reduce_scatter with gradients has the reduction SUM, not {op}")
    found = all_to_all([output] * get_world_size(group), input_list, group)
    return sum(found[1:], found[0])
