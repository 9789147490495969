"""torch.autograd.graph: the classes of the recorded graph."""

from tensh.engine.absent import lacking
from tensh.engine.graph import AccumulateGrad, Node, RemovableHandle

__all__ = ["AccumulateGrad", "Node", "RemovableHandle"]

__getattr__ = lacking("torch.autograd.graph")
