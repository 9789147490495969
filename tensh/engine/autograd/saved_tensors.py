"""Saved-tensor hooks: ``pack`` receives every saved tensor, and ``unpack`` its result when the tensor is needed."""

import threading

from tensh.engine.autograd.packing import WHAT_IS_TAKEN, PackedValues, order_places, pack_value
from tensh.engine.codegen.operator import Op
from tensh.engine.core.clock import listen, mode, unlisten


class State(threading.local):
    """The error that refuses hooks (None: allowed)."""

    refusal = None


state = State()


def refuse(error):
    """Refuse hooks with this error from now on (None: allow them); return the previous error."""
    before, state.refusal = state.refusal, error
    return before


def require_allowed():
    """Raise if hooks are refused."""
    if state.refusal is not None:
        raise RuntimeError(state.refusal)


def push(pack, unpack):
    """Activate a pair of hooks for every tensor saved from now on."""
    require_allowed()
    if not (callable(pack) and callable(unpack)):
        raise TypeError(WHAT_IS_TAKEN.format("_push_saved_tensors_default_hooks", "", f"{pack!r}, {unpack!r}"))
    listen(pack_recorded)  # first, so that ^C between the two leaves no hooks active
    mode.packing = (*mode.packing, (pack, unpack))


def pop():
    """Remove the last pair of hooks."""
    mode.packing = mode.packing[:-1]
    unlisten(pack_recorded)


def pack_recorded(node, tensors):
    """Replace the saved arrays of a new node by parcels; called for every recorded operation."""
    if mode.packing and node.keeps_arrays and isinstance(node.op, Op):  # custom functions pack their own tensors
        hooks, values = mode.packing[-1], list(node.saved)
        for place in order_places(type(node)):
            values[place] = pack_value(node, node.roles[place], values[place], hooks)
        node.saved = PackedValues(values, hooks)
