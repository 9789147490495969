"""Batching rules: ``OPERATORS`` has a maker of the rule for each operator, ``FUNCTIONS`` rules for functions.

A maker takes the operator and returns the rule, a function of the operator's arguments.  An operator without an entry
works element by element if it is declared pointwise, and goes through the loop otherwise.
"""

from tensh.engine.dispatch.vmap.rules.shared import NoRule
from tensh.engine.dispatch.vmap.rules.table import FUNCTIONS, OPERATORS

__all__ = ["FUNCTIONS", "OPERATORS", "NoRule"]
