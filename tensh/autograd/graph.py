"""torch.autograd.graph: the classes of the recorded graph, hooks on several tensors, and hooks for what a graph keeps."""

from tensh.autograd.multihook import register_multi_grad_hook
from tensh.autograd.saving import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from tensh.engine.autograd.edges import GradientEdge, get_gradient_edge, increment_version
from tensh.engine.core.hooks import RemovableHandle
from tensh.engine.core.nodes import AccumulateGrad, Node
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = [
    "AccumulateGrad", "GradientEdge", "Node", "RemovableHandle", "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]  # fmt: skip

__getattr__ = unsupported_lookup("torch.autograd.graph")
