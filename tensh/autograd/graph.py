"""torch.autograd.graph: the classes of the recorded graph."""

from tensh.engine.graph import AccumulateGrad, Node, RemovableHandle

__all__ = ["AccumulateGrad", "Node", "RemovableHandle"]
