"""Tensors made in inference mode, which must not be written outside it or saved by a node for a gradient.

There is no cost for other tensors.  While the mode is on, ``new`` remembers new tensors; when it ends, those that are
not views of outside tensors get the base ``INFERENCE``.  Like views, they then bypass the fast paths of operators: as
operands they pass through ``refresh_node``, as targets through ``begin_write``.
"""

import math
import threading
import weakref
from functools import partial

from numpy import ndarray

from tensh.engine.autograd.packing import saved_arrays
from tensh.engine.core.clock import listen, mode, owner, unlisten
from tensh.engine.core.tensor import Tensor, new
from tensh.engine.core.views import INFERENCE
from tensh.support.locks import make_shared_lock

WRITE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor "
    "before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
SAVE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)
REQUIRE = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
VERSION = "Inference tensors do not track version counter."


class Made(threading.local):
    """The tensors that a thread has made while the mode is on: id -> a weak reference."""

    def __init__(self):
        self.references = {}


made = Made()
running: list = []  # an entry for each active use of the mode in any thread
lock = make_shared_lock()  # held while ``running`` changes, and ``new`` with it
operands: dict = {}  # memory of inference tensors that the current operation may save


def make():
    """Make a new tensor, and remember it if its thread is in inference mode."""
    t = object.__new__(Tensor)
    if mode.inference:
        key, references = id(t), made.references
        references[key] = weakref.ref(t, partial(references.pop, key))
    return t


def begin():
    """Begin to remember new tensors."""
    with lock:
        running.append(None)
        new.__setstate__((make, (), {}, {}))


def end():
    """Mark the tensors of this thread; stop remembering when no thread is in inference mode."""
    with lock:
        running.pop()
        if not running:
            new.__setstate__((object.__new__, (Tensor,), {}, {}))
    for reference in list(made.references.values()):
        t = reference()
        if t is not None and is_fresh(t):
            mark(t)
    made.references.clear()


def is_fresh(t):
    """Return True if ``t``, made in inference mode, shares no memory with outside tensors."""
    base = getattr(t, "_base", None)
    return (
        type(t.array) is ndarray
        and t.node is None
        and (base is None or base is INFERENCE or id(base) in made.references)
    )


def mark(t):
    """Mark ``t`` as a tensor of inference mode."""
    t._base, t._view_info, t._time = INFERENCE, None, -math.inf
    return t


def mark_like(t, source):
    """Mark ``t``, a new tensor over the memory of ``source``, as a tensor of inference mode if ``source`` is one."""
    if source._base is INFERENCE:
        return mark(t)
    if mode.inference and not is_inference(source):
        made.references.pop(id(t), None)
    return t


def is_inference(t):
    """Return True if ``t`` was made in inference mode."""
    return t._base is INFERENCE or id(t) in made.references and is_fresh(t)


def as_operand(t):
    """Note an inference tensor as an operand of a recorded operation, which must not save it outside of transforms."""
    if mode.grad is True and not mode.transforms and type(t.array) is ndarray:
        if not operands:
            listen(refuse_saved)
        block = owner(t.array)
        operands[id(block)] = weakref.ref(block)
    return t.node


def refuse_saved(node, tensors):
    """Raise if a node that was recorded has saved an operand of inference mode."""
    blocks = [block for block in (reference() for reference in operands.values()) if block is not None]
    operands.clear()  # before the listener is removed: without it operands are not checked
    unlisten(refuse_saved)
    for array in saved_arrays(node.saved):
        if any(owner(array) is block for block in blocks):
            raise RuntimeError(SAVE)


def refuse_write(t):
    """Raise for a write into ``t``, made in inference mode, outside it."""
    if not mode.inference:
        raise RuntimeError(WRITE)
