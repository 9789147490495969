"""Distributed tensors with the rules of functions, which their class alone does not import."""

from tensh.distributed.tensor import layer_rules  # noqa: F401 (with the rules)
from tensh.distributed.tensor.dtensor import DTensor, current_mesh, distribute_module, distribute_tensor

__all__ = ["DTensor", "current_mesh", "distribute_module", "distribute_tensor"]
