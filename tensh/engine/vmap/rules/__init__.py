"""How operators compute batches: ``OPERATORS`` has a maker of the rule for each, ``FUNCTIONS`` rules for functions.

A maker takes the operator and returns the rule, a function of the operator's arguments.  What no entry names is elementwise
if it was declared so, and the loop's otherwise.
"""

from tensh.engine.vmap.rules.shared import Unruled
from tensh.engine.vmap.rules.table import FUNCTIONS, OPERATORS

__all__ = ["FUNCTIONS", "OPERATORS", "Unruled"]
