"""torch.fx.passes.tools_common: what passes share; other names are switched off."""

from tensh.engine.core.tensor import Tensor
from tensh.fx.node import Node
from tensh.fx.passes.operator_support import CALLABLE_NODE_OPS, get_node_target
from tensh.fx.passes.utils.fuser_utils import legalize_graph, stable_topological_sort
from tensh.switched_off import lookup

__all__ = [
    "CALLABLE_NODE_OPS", "Names", "NodeList", "NodeSet", "get_acc_ops_name", "get_node_target", "is_node_output_tensor",
    "legalize_graph", "stable_topological_sort",
]  # fmt: skip

NodeList, NodeSet, Names = list[Node], set[Node], list[str]


def get_acc_ops_name(k):
    """Return the name of a class with its module; a name unchanged."""
    if isinstance(k, str):
        return k
    place = k.__module__ or ""
    return f"acc_ops.{k.__name__}" if "acc_ops" in place else f"{place.replace('torch._ops', 'torch.ops')}.{k.__name__}"


def is_node_output_tensor(node):
    """Return True if the result of a node is a tensor, which ``ShapeProp`` has noted before."""
    kind = node.meta.get("type")
    return kind is not None and issubclass(kind, Tensor)


__getattr__ = lookup("torch.fx.passes.tools_common")
