"""The place in the user's code at which a recorded operation was made.

While ``recording()`` is on, the tick of a node knows the instruction that asked for it, so the place lives and dies with the
node and no table grows.
"""

import contextlib
import os
import sys

from tensh.engine.core.clock import listen, tick, unlisten
from tensh.graph.kept import KeepSaved

OURS = ("<tensh ", os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
"""Beginnings of the names of tensh's files: of code that the engine writes, and of the package."""


OVERRIDE = "__torch_function__"  # a class of the user that passes the call on
CALL = "Calls.__call__"  # the function through which every module is called


class Moment(int):
    """A tick that knows its place: the code object, the instruction that asked for it, and the layer it was asked in."""

    def later(self):
        """A new tick in the same place: a write dates its node anew."""
        return moment(tick(), self.code, self.instruction, self.layer)


def moment(time, code, instruction, layer):
    made = Moment(time)
    made.code, made.instruction, made.layer = code, instruction, layer
    return made


def put_place(node, tensors, getframe=sys._getframe):
    """Give the tick of a node the place of the innermost frame that is not tensh's own and hands nothing on, and the layer of
    ours that it calls."""
    frame = getframe(2)
    layer = None
    while (code := frame.f_code).co_filename.startswith(OURS) or code.co_name == OVERRIDE and frame.f_back:
        if code.co_qualname == CALL and layer is None:
            layer = frame.f_locals["self"]
        frame = frame.f_back
    node.time = moment(node.time, code, frame.f_lasti, layer)


@contextlib.contextmanager
def record_places():
    """A context in which nodes know their place in the code, and values freed by a backward pass stay known (see kept)."""
    listen(put_place)
    try:
        with KeepSaved():
            yield
    finally:
        unlisten(put_place)


def place(node):
    """(code, instruction) that recorded a node; None if that was not noted."""
    time = node.time
    return (time.code, time.instruction) if type(time) is Moment else None


def layer(node):
    """The layer of torch.nn in which a node was recorded; None for a node of user code."""
    return node.time.layer if type(node.time) is Moment else None
