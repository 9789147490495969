"""Batching rules: ``OPERATORS`` has makers of the rules of operators, ``FUNCTIONS`` rules of functions.

Such a maker takes the operator and returns the rule, a function of the operator's arguments.  An operator without an
entry is elementwise if it is declared pointwise, and computed in a loop otherwise.
"""

from tensh.engine.dispatch.vmap.rules.shared import NoRule
from tensh.engine.dispatch.vmap.rules.table import FUNCTIONS, OPERATORS

__all__ = ["FUNCTIONS", "OPERATORS", "NoRule"]
