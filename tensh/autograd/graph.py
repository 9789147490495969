"""torch.autograd.graph: the classes of the recorded graph, and hooks on several tensors."""

from tensh.autograd.multihook import register_multi_grad_hook
from tensh.engine.absent import lacking
from tensh.engine.graph.edges import GradientEdge, get_gradient_edge, increment_version
from tensh.engine.graph.nodes import AccumulateGrad, Node, RemovableHandle

__all__ = [
    "AccumulateGrad", "GradientEdge", "Node", "RemovableHandle", "get_gradient_edge", "increment_version",
    "register_multi_grad_hook",
]  # fmt: skip

__getattr__ = lacking("torch.autograd.graph")
