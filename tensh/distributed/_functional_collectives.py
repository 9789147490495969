"""torch.distributed._functional_collectives: differentiable collectives that return new tensors.

Results are complete when a call returns: ``wait_tensor`` returns its argument. A group is a ``ProcessGroup``, its name,
or the list of its ranks. Gradients are those of the sum of all processes' losses, and all processes must run the
backward pass.
"""

from tensh.distributed import collectives
from tensh.distributed.groups import _world, find_group
from tensh.distributed.nn import functional
from tensh.distributed.operations import RedOpType
from tensh.distributed.process_group import ProcessGroup
from tensh.engine import find_public
from tensh.engine.autograd.custom import Function
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn

OPERATIONS = {each.name.lower(): each for each in RedOpType}
REDUCE_OP_TO_STR = {each: each.name.lower() for each in list(RedOpType)[:-1]}


class AsyncCollectiveTensor(Tensor):
    """A result that is still being computed; there is none here, since each call waits for its result."""


# ── groups and reductions ────────────────────────────────────────────────────
def _resolve_group(group, tag=""):
    """Return the group that an argument denotes.  Raise ValueError if it does not exist."""
    if isinstance(group, ProcessGroup):
        return group
    if isinstance(group, str):
        found = [each for each in _world.groups if each.group_name == group]
    elif isinstance(group, list):
        warn("Lists of ranks as groups are deprecated: use a ProcessGroup or its name.", FutureWarning)
        ranks = sorted(rank for each in group for rank in (each if isinstance(each, list) else [each]))
        found = [each for each, entry in _world.groups.items() if sorted(entry.ranks) == ranks]
    else:
        raise ValueError(f"Unsupported group type: {type(group)}, {group}")
    if not found:
        raise ValueError(f"there is no process group {group!r}")
    return found[0]


def _operation(name):
    """Return the reduction of a name such as ``"sum"``.  Raise RuntimeError for another name."""
    if name.lower() not in OPERATIONS:
        raise RuntimeError(f"Unrecognized reduce_op: {name}")
    return OPERATIONS[name.lower()]


def _check_sum(name, op):
    """Raise RuntimeError for a reduction whose gradient needs more than the gradients of results."""
    if op is not RedOpType.SUM:
        raise RuntimeError(f"{name} backward only supports 'sum' reduction, got '{op.name.lower()}'")


# ── differentiable steps ─────────────────────────────────────────────────────
class _AllReduce(functional._AllReduce):
    @staticmethod
    def backward(ctx, grad):
        _check_sum("all_reduce", ctx.reduction)
        return functional._AllReduce.backward(ctx, grad)


class _AllGather(Function):
    """Concatenate the tensors of all processes along dimension 0."""

    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        rows = tensor.shape[0] if tensor.dim() else 1
        result = tensor.new_empty((rows * group.size(), *tensor.shape[1:]))
        collectives.all_gather_single(result, tensor.contiguous(), group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, _ReduceScatter.apply(RedOpType.SUM, ctx.group, grad.contiguous())


class _ReduceScatter(Function):
    """Reduce the rows of this process."""

    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.reduction, ctx.group = op, group
        result = tensor.new_empty((tensor.shape[0] // group.size(), *tensor.shape[1:]))
        collectives.reduce_scatter_single(result, tensor.contiguous(), op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        _check_sum("reduce_scatter_tensor", ctx.reduction)
        return None, None, _AllGather.apply(ctx.group, grad.contiguous())


class _AllToAll(Function):
    """Exchange rows between all processes."""

    @staticmethod
    def forward(ctx, group, received, sent, tensor):
        ctx.group, ctx.received, ctx.sent = group, received, sent
        result = tensor.new_empty((sum(received), *tensor.shape[1:]))
        collectives.all_to_all_single(result, tensor.contiguous(), received, sent, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _AllToAll.apply(ctx.group, ctx.sent, ctx.received, grad.contiguous())


# ── collectives ──────────────────────────────────────────────────────────────
def wait_tensor(tensor):
    """Return a result, which is complete."""
    return tensor


def all_reduce(self, reduceOp, group, tag=""):
    """Reduce a tensor over all processes into a new one; only a sum has a gradient."""
    return _AllReduce.apply(_operation(reduceOp), _resolve_group(group, tag), self)


def broadcast(self, src, group, tag=""):
    """Return the tensor of the process with global rank ``src``, without a gradient."""
    result = self.detach().clone()
    collectives.broadcast(result, src, _resolve_group(group, tag))
    return result


def all_gather_single(self, gather_dim, group, tag=""):
    """Concatenate the tensors of all processes along a dimension."""
    group = _resolve_group(group, tag)
    result = _AllGather.apply(group, self)
    gather_dim %= max(self.dim(), 1)
    return result if gather_dim == 0 else find_public("cat")(result.chunk(group.size()), gather_dim)


def reduce_scatter_single(self, reduceOp, scatter_dim, group, tag=""):
    """Return this process's part of the reduction along a dimension.  Raise AssertionError for unequal parts."""
    group = _resolve_group(group, tag)
    if self.size(scatter_dim) % group.size():
        raise AssertionError(
            f"input dimension {scatter_dim} ({self.size(scatter_dim)} must be a multiple of group_size {group.size()})"
        )
    if scatter_dim % self.dim():
        self = find_public("cat")(self.chunk(group.size(), scatter_dim))
    return _ReduceScatter.apply(_operation(reduceOp), group, self)


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag=""):
    """Send each process its rows, and return the received rows: equal parts, or with the sizes in two lists.

    Raise AssertionError for one list without the other.
    """
    group = _resolve_group(group, tag)
    if (output_split_sizes is None) is not (input_split_sizes is None):
        raise AssertionError(
            "output_split_sizes and input_split_sizes must either be specified together or both set to None"
        )
    if output_split_sizes is None:
        output_split_sizes = input_split_sizes = [self.shape[0] // group.size()] * group.size()
    return _AllToAll.apply(group, list(output_split_sizes), list(input_split_sizes), self)


def permute_tensor(self, src_dst, group, tag=""):
    """Send the elements to process ``src_dst[rank]``, and return those received, as a vector."""
    group = _resolve_group(group, tag)
    sent, received = [0] * group.size(), [0] * group.size()
    for source, target in enumerate(src_dst):
        if source == group.rank():
            sent[target] = self.numel()
        if target == group.rank():
            received[source] = self.numel()
    return all_to_all_single(self, received, sent, group, tag)


def all_reduce_coalesced(self, reduceOp, group, tag=""):
    """Reduce several tensors."""
    return [all_reduce(each, reduceOp, group, tag) for each in self]


def all_gather_single_coalesced(self, group, tag=""):
    """Gather several tensors along dimension 0."""
    return [all_gather_single(each, 0, group, tag) for each in self]


def reduce_scatter_single_coalesced(inputs, reduceOp, scatter_dim, group, tag=""):
    """Return this process's parts of several reductions, each along its dimension.  Raise AssertionError otherwise."""
    if len(scatter_dim) != len(inputs):
        raise AssertionError(f"Length of scatter_dim ({len(scatter_dim)}) must equal length of inputs ({len(inputs)})")
    return [reduce_scatter_single(each, reduceOp, dim, group, tag) for each, dim in zip(inputs, scatter_dim)]


# ── in place ─────────────────────────────────────────────────────────────────
def all_reduce_inplace(tensor, op="sum", group=None, async_op=False, tag=""):
    """Reduce a tensor over all processes in place, and return it."""
    _refuse_async(async_op)
    return tensor.copy_(all_reduce(tensor, _name(op), find_group(group), tag))


def all_gather_tensor_inplace(output_tensor, input_tensor, group=None, async_op=False, tag="", gather_dim=0):
    """Fill a tensor with those of all processes, and return it."""
    _refuse_async(async_op)
    return output_tensor.copy_(all_gather_single(input_tensor, gather_dim, find_group(group), tag))


def reduce_scatter_tensor_inplace(output, input, op="sum", group=None, async_op=False, scatter_dim=0, tag=""):
    """Fill a tensor with this process's part of the reduction, and return it."""
    _refuse_async(async_op)
    return output.copy_(reduce_scatter_single(input, _name(op), scatter_dim, find_group(group), tag))


def all_to_all_inplace(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False, tag=""
):  # fmt: skip
    """Fill a tensor with the rows that all processes send here, and return it."""
    _refuse_async(async_op)
    return output.copy_(all_to_all_single(input, output_split_sizes, input_split_sizes, find_group(group), tag))


def all_gather_inplace(tensor_list, tensor, group=None, async_op=False, tag=""):
    """Fill a list with the tensors of all processes, and return it."""
    _refuse_async(async_op)
    group = find_group(group)
    for target, part in zip(tensor_list, all_gather_single(tensor, 0, group, tag).chunk(group.size())):
        target.copy_(part.view_as(target))
    return tensor_list


def _name(op):
    return REDUCE_OP_TO_STR[op] if isinstance(op, RedOpType) else op


def _refuse_async(async_op):
    if async_op:
        raise AssertionError("Can't remap async version of inplace op to functional collective")


all_gather_single_autograd, all_to_all_single_autograd = all_gather_single, all_to_all_single
reduce_scatter_single_autograd = reduce_scatter_single
all_gather_tensor = all_gather_tensor_autograd = all_gather_single
reduce_scatter_tensor = reduce_scatter_tensor_autograd = reduce_scatter_single
all_gather_into_tensor_coalesced = all_gather_single_coalesced
reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced
