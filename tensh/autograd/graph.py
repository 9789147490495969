"""torch.autograd.graph: the classes of the recorded graph, hooks on several tensors, and hooks for saved tensors."""

import abc

from tensh.autograd.multihook import register_multi_grad_hook
from tensh.autograd.saving import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from tensh.engine.autograd.edges import GradientEdge, get_gradient_edge, increment_version
from tensh.engine.core.hooks import RemovableHandle
from tensh.engine.core.nodes import Node as EngineNode
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = [
    "GradientEdge", "Node", "RemovableHandle", "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]  # fmt: skip


class Node(abc.ABC):  # noqa: B024 (nodes are registered, and nobody inherits from it)
    """The base class of nodes of the recorded graph, for ``isinstance``.

    >>> import tensh as torch
    >>> y = torch.ones(1, requires_grad=True) * 2
    >>> isinstance(y.grad_fn, torch.autograd.graph.Node)
    True
    """

    __module__ = "torch.autograd.graph"
    name, _sequence_nr = EngineNode.name, EngineNode._sequence_nr
    next_functions, metadata = EngineNode.next_functions, EngineNode.metadata
    register_hook, register_prehook = EngineNode.register_hook, EngineNode.register_prehook


Node.register(EngineNode)

__getattr__ = unsupported_lookup("torch.autograd.graph")
