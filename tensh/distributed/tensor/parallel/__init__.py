"""torch.distributed.tensor.parallel: plans that cut the weights of layers, so that each process computes a part.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.distributed.tensor.parallel.plans": "parallelize_module",
    "tensh.distributed.tensor.parallel.styles": "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput "
    "PrepareModuleOutput RowwiseParallel SequenceParallel loss_parallel",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)

__getattr__, __dir__ = declare_namespace(
    "tensh.distributed.tensor.parallel",
    globals(),
    NAMES,
    (),
    unsupported=lookup("torch.distributed.tensor.parallel"),
)
