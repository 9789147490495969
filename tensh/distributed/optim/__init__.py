"""torch.distributed.optim: optimizers whose state is distributed over processes."""

from tensh.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from tensh.switched_off import lookup

__all__ = ["ZeroRedundancyOptimizer"]

__getattr__ = lookup("torch.distributed.optim")
