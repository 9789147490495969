"""A value as (kind, text) pairs: its repr or its layout in a notebook; on a terminal in colour, with a caption."""

import sys

from tensh.cli.render.layout import layout
from tensh.cli.session.describe import brief, is_array, size

LONGEST_NAME = 30  # of an expression that a caption repeats


def tokens(value, as_notebook=False, in_color=False):
    """The pairs of a result, and a line end."""
    pairs = coloured(value) if in_color else None
    return [*(pairs or [("plain", layout(value) if as_notebook else repr(value))]), ("plain", "\n")]


def coloured(value):
    """The pairs that the engine makes of a tensor of its own, None of anything else."""
    engine = sys.modules.get("tensh.engine.printing.format")
    tensor = getattr(sys.modules.get("tensh.engine.tensor"), "Tensor", None)
    return engine.tokens(value) if engine and tensor and isinstance(value, tensor) else None


def caption(value, expression, in_unicode):
    """What the printed form of a tensor does not say, as a comment line; nothing for other values."""
    if not is_array(value) or not hasattr(value, "requires_grad"):
        return []
    facts = [f"{expression}  {brief(value)}" if len(expression) <= LONGEST_NAME else brief(value)]
    facts.append("leaf" if value.is_leaf else "not a leaf")
    if value.requires_grad and value.is_leaf:
        facts.append("grad None" if value.grad is None else f"grad {list(value.grad.shape)}")
    facts.append(size(value))
    return [("note", "# " + (" · " if in_unicode else ", ").join(facts) + "\n")]
