"""Sizes of nodes in bytes, and the replacement of targets."""

from typing import NamedTuple

from tensh.fx.passes.shape_prop import ShapeProp

__all__ = ["get_size_of_all_nodes", "get_size_of_node", "get_tensor_meta", "replace_target_nodes_with", "size_bytes"]


class size_bytes(NamedTuple):
    """The bytes of a node's result, and those with the parameters of the module that it calls."""

    output_size: int
    total_size: int


def replace_target_nodes_with(fx_module, old_op, old_target, new_op, new_target):
    """Replace the operation and target of all nodes that have them."""
    for node in fx_module.graph.nodes:
        if (node.op, node.target) == (old_op, old_target):
            node.op, node.target = new_op, new_target
    fx_module.recompile()


def get_size_of_all_nodes(fx_module, args=None):
    """Set ``node.size_bytes`` of all nodes; with ``args``, run the module first, so that shapes are known.

    >>> import tensh as torch
    >>> from tensh.fx.passes.graph_manipulation import get_size_of_all_nodes
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(3, 2)))
    >>> get_size_of_all_nodes(gm, [torch.ones(1, 3)])
    >>> [node.size_bytes.total_size for node in gm.graph.nodes if node.op != "output"]
    [12, 40]
    """
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op != "output":
            node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node):
    """Return ``meta["tensor_meta"]`` of a node.  Raise RuntimeError if it has none."""
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return found


def get_size_of_node(fx_module, node):
    """Return the ``size_bytes`` of a node."""
    meta, owned = get_tensor_meta(node), 0
    if node.op == "call_module":
        owned = sum(each.numel() for each in fx_module.get_submodule(node.target).parameters())
    count, each = meta.shape.numel(), meta.dtype.itemsize
    return size_bytes(each * count, each * (owned + count))
