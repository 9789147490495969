"""``torch.ops._c10d_functional``: collectives as operators, which return new tensors or write into given ones."""

from tensh.distributed import _functional_collectives as collectives
from tensh.distributed.collectives import all_gather_single, broadcast, reduce_scatter_single
from tensh.library import Library

SCHEMAS = """
    all_reduce(Tensor input, str reduce_op, Any group_name) -> Tensor
    all_reduce_(Tensor(a!) input, str reduce_op, Any group_name) -> Tensor(a!)
    all_reduce_coalesced(Tensor[] inputs, str reduce_op, Any group_name) -> Tensor[]
    all_gather_into_tensor(Tensor input, int group_size, Any group_name) -> Tensor
    all_gather_into_tensor_out(Tensor input, int group_size, Any group_name, *, Tensor(a!) out) -> Tensor(a!)
    all_gather_into_tensor_coalesced(Tensor[] inputs, int group_size, Any group_name) -> Tensor[]
    reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, Any group_name) -> Tensor
    reduce_scatter_tensor_out(Tensor input, str reduce_op, int group_size, Any group_name, *, Tensor(a!) out) -> Tensor(a!)
    reduce_scatter_tensor_coalesced(Tensor[] inputs, str reduce_op, int group_size, Any group_name) -> Tensor[]
    all_to_all_single(Tensor input, SymInt[] output_split_sizes, SymInt[] input_split_sizes, Any group_name) -> Tensor
    broadcast(Tensor input, int src, Any group_name) -> Tensor
    broadcast_(Tensor(a!) input, int src, Any group_name) -> Tensor(a!)
    wait_tensor(Tensor tensor) -> Tensor
    _wrap_tensor_autograd(Tensor input) -> Tensor
"""
"""PyTorch's schemas of these operators."""


def all_reduce_(input, reduce_op, group_name):
    """Replace a tensor by the reduction of the tensors of all processes; return it."""
    return collectives.all_reduce_inplace(input, reduce_op, group_name)


def gather_into(input, group_size, group_name, *, out):
    """Write the tensors of all processes into ``out``; return it."""
    all_gather_single(out, input, collectives._resolve_group(group_name))
    return out


def scatter_into(input, reduce_op, group_size, group_name, *, out):
    """Write this process's part of the reduction into ``out``; return it."""
    reduce_scatter_single(out, input, collectives._operation(reduce_op), collectives._resolve_group(group_name))
    return out


def broadcast_(input, src, group_name):
    """Replace a tensor by that of the process ``src``; return it."""
    broadcast(input, src, collectives._resolve_group(group_name))
    return input


LIBRARIES: dict = {}
"""Namespace -> its library, which lives as long as the program."""
FUNCTIONS = {
    "all_reduce": collectives.all_reduce,
    "all_reduce_": all_reduce_,
    "all_reduce_coalesced": collectives.all_reduce_coalesced,
    "all_gather_into_tensor": lambda input, group_size, group: collectives.all_gather_single(input, 0, group),
    "all_gather_into_tensor_out": gather_into,
    "all_gather_into_tensor_coalesced": lambda inputs, group_size, group: collectives.all_gather_single_coalesced(
        inputs, group
    ),
    "reduce_scatter_tensor": lambda input, op, group_size, group: collectives.reduce_scatter_single(
        input, op, 0, group
    ),
    "reduce_scatter_tensor_out": scatter_into,
    "reduce_scatter_tensor_coalesced": lambda inputs, op, group_size, group: (
        collectives.reduce_scatter_single_coalesced(inputs, op, [0] * len(inputs), group)
    ),
    "all_to_all_single": collectives.all_to_all_single,
    "broadcast": collectives.broadcast,
    "broadcast_": broadcast_,
    "wait_tensor": collectives.wait_tensor,
    "_wrap_tensor_autograd": lambda input: input,  # each call has waited for its result
}
"""Name of an operator -> the function that computes it."""

OLDER_SCHEMAS = """
    all_gather_into_tensor(Tensor shard, str tag, int[] ranks, int group_size) -> Tensor
    all_gather_into_tensor_coalesced(Tensor[] input, str tag, int[] ranks, int group_size) -> Tensor[]
    all_reduce(Tensor self, str reduceOp, str tag, int[] ranks, int group_size) -> Tensor
    all_reduce_coalesced(Tensor[] self, str reduceOp, str tag, int[] ranks, int group_size) -> Tensor[]
    broadcast(Tensor self, int src, str tag, int[] ranks, int group_size) -> Tensor
    reduce_scatter_tensor(Tensor input, str reduceOp, str tag, int[] ranks, int group_size) -> Tensor
    wait_tensor(Tensor self) -> Tensor
"""
"""Operators of the namespace ``c10d_functional``, in which a group is the list of its ranks."""
OLDER = {
    "all_gather_into_tensor": lambda tensor, tag, ranks, size: collectives.all_gather_single(tensor, 0, ranks),
    "all_gather_into_tensor_coalesced": lambda tensors, tag, ranks, size: collectives.all_gather_single_coalesced(
        tensors, ranks
    ),
    "all_reduce": lambda tensor, op, tag, ranks, size: collectives.all_reduce(tensor, op, ranks),
    "all_reduce_coalesced": lambda tensors, op, tag, ranks, size: collectives.all_reduce_coalesced(tensors, op, ranks),
    "broadcast": lambda tensor, src, tag, ranks, size: collectives.broadcast(tensor, src, ranks),
    "reduce_scatter_tensor": lambda tensor, op, tag, ranks, size: collectives.reduce_scatter_single(
        tensor, op, 0, ranks
    ),
    "wait_tensor": collectives.wait_tensor,
}
"""Name of such an operator -> the function that computes it."""


def register(namespace, schemas, functions):
    """Register the operators of a namespace."""
    library = LIBRARIES[namespace] = Library(namespace, "DEF")
    for schema in schemas.strip().splitlines():
        name = library.define(schema.strip())
        library.impl(name, functions[name], "CompositeImplicitAutograd")


register("_c10d_functional", SCHEMAS, FUNCTIONS)
register("c10d_functional", OLDER_SCHEMAS, OLDER)
