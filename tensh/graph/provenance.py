"""The place in the user's code at which an operation was recorded.

While ``recording()`` is active, the tick of a node stores the instruction that caused it, so that the place is released
with the node and no table grows.
"""

import contextlib
import os
import sys

from tensh.engine.core.clock import listen, tick, unlisten
from tensh.graph.kept import KeepSaved

OURS = ("<tensh ", os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
"""Prefixes of the file names of tensh's code: generated code, and the package."""


OVERRIDE = "__torch_function__"  # a user's class that passes the call on
CALL = "Calls.__call__"  # every module call passes through it


class Moment(int):
    """A tick with its place: the code object, the instruction, and the layer."""

    def later(self):
        """Return a new tick in the same place, for a node that a write has refreshed."""
        return moment(tick(), self.code, self.instruction, self.layer)


def moment(time, code, instruction, layer):
    made = Moment(time)
    made.code, made.instruction, made.layer = code, instruction, layer
    return made


def put_place(node, tensors, getframe=sys._getframe):
    """Store in a node's tick the innermost user frame that does more than pass calls on, and its layer."""
    frame = getframe(2)
    layer = None
    while (code := frame.f_code).co_filename.startswith(OURS) or code.co_name == OVERRIDE and frame.f_back:
        if code.co_qualname == CALL and layer is None:
            layer = frame.f_locals["self"]
        frame = frame.f_back
    node.time = moment(node.time, code, frame.f_lasti, layer)


@contextlib.contextmanager
def record_places():
    """Record places in nodes within the context, and keep values released by a backward pass (see kept)."""
    listen(put_place)
    try:
        with KeepSaved():
            yield
    finally:
        unlisten(put_place)


def place(node):
    """Return (code, instruction) that recorded a node; None if it was not recorded."""
    time = node.time
    return (time.code, time.instruction) if type(time) is Moment else None


def layer(node):
    """Return the layer of torch.nn in which a node was recorded; None for user code."""
    return node.time.layer if type(node.time) is Moment else None
