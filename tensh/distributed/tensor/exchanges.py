"""Exchanges of the parts of a tensor between placements, with their gradients.

Note [Gradients of parts]
Derivatives are those of the local tensors.  That is right as long as every local gradient has the placement of its tensor:
the part of a shard, the whole of a replica, and, for a term of a sum, the whole, too.  So a replica that meets shards in an
operation passes ``share``, which adds its gradients up, and a change of placements sends gradients back.
"""

import tensh as torch
from tensh.distributed.operations import ReduceOp
from tensh.distributed.tensor.placement_types import Partial, Replicate, Shard
from tensh.engine.autograd.custom import Function

OPERATIONS = {
    "sum": ReduceOp.SUM,
    "avg": ReduceOp.SUM,
    "max": ReduceOp.MAX,
    "min": ReduceOp.MIN,
    "product": ReduceOp.PRODUCT,
}


def part_of(size, parts, number):
    """Return (begin, length) of a part, as ``chunk`` cuts: all as long as the first, but for the end."""
    length = -(-size // parts)
    begin = min(number * length, size)
    return begin, min(length, size - begin)


def local_sizes(shape, mesh, placements):
    """Yield the shape of this process's part before each dimension of the mesh divides it, and at last what remains."""
    sizes, here = list(shape), mesh.get_coordinate()
    yield tuple(sizes)
    for dim, placement in enumerate(placements):
        if isinstance(placement, Shard):
            sizes[placement.dim] = part_of(sizes[placement.dim], mesh.size(dim), here[dim])[1]
        yield tuple(sizes)


def cut(local, mesh, number, dim):
    """Return this process's part along a dimension of the tensor."""
    begin, length = part_of(local.size(dim), mesh.size(number), mesh.get_coordinate()[number])
    return local.narrow(dim, begin, length).contiguous()


def gather(local, mesh, number, dim, size):
    """Return the whole of a tensor whose parts along ``dim`` are on the processes of a dimension of the mesh."""
    length, count = -(-size // mesh.size(number)), mesh.size(number)
    missing = length - local.size(dim)
    if missing:
        shape = [missing if d == dim else n for d, n in enumerate(local.shape)]
        local = torch.cat([local, local.new_zeros(shape)], dim)
    parts = [torch.empty_like(local, memory_format=torch.contiguous_format) for _ in range(count)]
    torch.distributed.all_gather(parts, local.contiguous(), group=mesh.get_group(number))
    return torch.cat(parts, dim).narrow(dim, 0, size).contiguous()


def reduce(local, mesh, number, operation):
    """Return the reduction of the terms on the processes of a dimension of the mesh."""
    local = local.clone(memory_format=torch.contiguous_format)
    torch.distributed.all_reduce(local, OPERATIONS[operation], group=mesh.get_group(number))
    return local / mesh.size(number) if operation == "avg" else local


def take_term(local, mesh, number, operation):
    """Return a replica as this process's term of a reduction: of a sum, the first process has it, and others have zeros."""
    if operation == "product":
        raise RuntimeError("redistribute from R to P(product) not supported yet")
    return torch.zeros_like(local) if operation == "sum" and mesh.get_coordinate()[number] else local


def exchange(local, mesh, shape, source, target):
    """Return the local part for other placements: what differs is gathered from the last dimension, then cut from the first.

    Dimensions of the mesh that cut one dimension of the tensor are undone together, the inner one first.
    """
    changed = {number for number, (old, new) in enumerate(zip(source, target, strict=True)) if old != new}
    cuts = {each.dim for number in changed for each in (source[number], target[number]) if isinstance(each, Shard)}
    first = min(changed, default=len(source))
    changed |= {n for n, each in enumerate(source) if n > first and isinstance(each, Shard) and each.dim in cuts}
    sizes = list(local_sizes(shape, mesh, source))
    for number in sorted(changed, reverse=True):
        old = source[number]
        if isinstance(old, Shard):
            local = gather(local, mesh, number, old.dim, sizes[number][old.dim])
        elif isinstance(old, Partial):
            local = reduce(local, mesh, number, old.reduce_op)
    for number in sorted(changed):
        if isinstance(target[number], Shard):
            local = cut(local, mesh, number, target[number].dim)
        elif isinstance(target[number], Partial):
            local = take_term(local, mesh, number, target[number].reduce_op)
    return local


def without_terms(placements):
    """Return placements with replicas in place of terms: those of added terms, and of the gradients of terms."""
    return tuple(Replicate() if isinstance(each, Partial) else each for each in placements)


class Exchange(Function):
    """A change of placements."""

    @staticmethod
    def forward(ctx, local, mesh, shape, source, target):
        ctx.given = mesh, shape, source, target
        found = exchange(local, mesh, shape, source, target)
        return found.view_as(found) if found is local else found

    @staticmethod
    def backward(ctx, grad):
        mesh, shape, source, target = ctx.given
        return exchange(grad, mesh, shape, without_terms(target), without_terms(source)), None, None, None, None


class Redirect(Function):
    """A tensor whose gradient comes in other placements than it is passed on in."""

    @staticmethod
    def forward(ctx, local, *given):
        ctx.given = given
        return local.view_as(local)

    @staticmethod
    def backward(ctx, grad):
        return exchange(grad, *ctx.given), None, None, None, None


class Share(Function):
    """A replica that meets shards or terms: the gradient is the sum, or mean, of those of all processes."""

    @staticmethod
    def forward(ctx, local, mesh, number, operation):
        ctx.given = mesh, number, operation
        return local.view_as(local)

    @staticmethod
    def backward(ctx, grad):
        return reduce(grad, *ctx.given), None, None, None


def share(local, mesh, number, operation="sum"):
    """Return a replica for an operation with shards, or with terms of a sum or mean."""
    return Share.apply(local, mesh, number, operation) if local.requires_grad else local


def redirect(local, mesh, shape, source, target):
    """Return a local part whose gradient comes in the placements ``source`` and is passed on in ``target``."""
    if tuple(source) == tuple(target) or not local.requires_grad:
        return local
    return Redirect.apply(local, mesh, tuple(shape), tuple(source), tuple(target))


def change(local, mesh, shape, source, target):
    """Return the local part for other placements, differentiably."""
    if tuple(source) == tuple(target):
        return local
    return Exchange.apply(local, mesh, tuple(shape), tuple(source), tuple(target))
