"""functorch.experimental.control_flow: former names of ``torch.cond`` and of ``map``."""

from tensh import cond
from tensh._higher_order_ops.map import map

__all__ = ["cond", "map"]
