"""Hooks for what a graph keeps: ``pack`` is given every saved tensor, and ``unpack`` what it made of it when it is read."""

import contextlib
import threading

from tensh.engine.autograd.packing import WHAT_IS_TAKEN, Packed, each
from tensh.engine.codegen.table import Op
from tensh.engine.core.clock import listen, mode, unlisten


class State(threading.local):
    """The error for those who bring hooks (None: they may)."""

    refusal = None


state = State()


def refuse(error):
    """From now on hooks are refused with this error (None: allowed again); returns the one before."""
    before, state.refusal = state.refusal, error
    return before


def require_allowed():
    """Raise if hooks are refused."""
    if state.refusal is not None:
        raise RuntimeError(state.refusal)


def push(pack, unpack):
    """From now on every saved tensor goes through a pair of hooks."""
    require_allowed()
    if not (callable(pack) and callable(unpack)):
        raise TypeError(WHAT_IS_TAKEN.format("_push_saved_tensors_default_hooks", "", f"{pack!r}, {unpack!r}"))
    mode.packing = (*mode.packing, (pack, unpack))
    listen(pack_recorded)


def pop():
    """Take the last pair of hooks back."""
    mode.packing = mode.packing[:-1]
    unlisten(pack_recorded)


@contextlib.contextmanager
def without_hooks():
    """Within, no pair of hooks counts."""
    before, mode.packing = mode.packing, ()
    try:
        yield
    finally:
        mode.packing = before


def pack_recorded(node, tensors):
    """The listener: what has just been recorded keeps parcels."""
    if mode.packing and node.keeps_arrays and isinstance(node.op, Op):  # custom functions pack for themselves
        hooks = mode.packing[-1]
        values = [each(node, role, value, hooks) for role, value in zip(node.roles, node.saved, strict=False)]
        node.saved = Packed(values, hooks)
