"""torch.autograd.graph: the classes of the recorded graph."""

from tensh.engine.absent import lacking
from tensh.engine.edges import GradientEdge, get_gradient_edge, increment_version
from tensh.engine.graph import AccumulateGrad, Node, RemovableHandle

__all__ = ["AccumulateGrad", "GradientEdge", "Node", "RemovableHandle", "get_gradient_edge", "increment_version"]

__getattr__ = lacking("torch.autograd.graph")
