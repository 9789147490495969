"""torch._higher_order_ops: operators on functions, such as branches and loops that depend on elements."""

from tensh._higher_order_ops.associative_scan import associative_scan
from tensh._higher_order_ops.cond import cond
from tensh._higher_order_ops.map import map
from tensh._higher_order_ops.operators import HigherOrderOperator
from tensh._higher_order_ops.scan import scan
from tensh._higher_order_ops.while_loop import while_loop
from tensh.switched_off import lookup

__all__ = ["HigherOrderOperator", "associative_scan", "cond", "map", "scan", "while_loop"]

__getattr__ = lookup("torch._higher_order_ops")
