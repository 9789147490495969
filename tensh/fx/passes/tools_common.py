"""torch.fx.passes.tools_common: what passes share; other names are switched off."""

from tensh.fx.node import Node
from tensh.fx.passes.operator_support import CALLABLE_NODE_OPS, get_node_target
from tensh.fx.passes.utils.fuser_utils import legalize_graph
from tensh.switched_off import lookup

__all__ = ["CALLABLE_NODE_OPS", "NodeList", "NodeSet", "get_node_target", "legalize_graph"]

NodeList, NodeSet = list[Node], set[Node]

__getattr__ = lookup("torch.fx.passes.tools_common")
