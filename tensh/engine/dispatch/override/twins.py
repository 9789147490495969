"""Ordinary tensors on the elements of tensors of other classes, such as nested and distributed ones."""

from tensh.engine.core.clock import clock
from tensh.engine.core.tensor import new


def make_twin(t):
    """Make an ordinary tensor on the same elements, with the same node."""
    made = new()
    made.array, made.node, made._base, made._kept = t.array, t.node, t._base, None
    if t._base is not None:
        made._view_info, made._time = t._view_info, t._time
    return made


def make_view(t):
    """Make an ordinary tensor on the same elements, such that writes through it modify ``t``."""
    made = make_twin(t)
    if t._base is None:
        made._base, made._view_info, made._time = t, None, clock.last_write
    return made
