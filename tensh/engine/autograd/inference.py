"""Tensors made in inference mode: they are not written outside it, and no node saves them for a gradient.

Other tensors pay nothing.  While the mode is on, ``new`` remembers what it makes; when the mode ends, whatever
is not a view of a tensor from outside gets ``INFERENCE`` for its base.  That sends it, as views go, past the fast paths
of operators: to ``refresh_node`` as an operand and to ``begin_write`` as a target.
"""

import math
import weakref

from numpy import ndarray

from tensh.engine.core.clock import listen, mode, owner, unlisten
from tensh.engine.core.nodes import unpacked_values
from tensh.engine.core.tensor import Tensor, new
from tensh.engine.core.views import INFERENCE

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


running: list = []  # an entry for each time that a thread entered the mode and has not left it
made: dict = {}  # while the mode is on: id of a tensor -> a weak reference to it
operands: dict = {}  # memory of inference tensors that the operation in hand may save


def make():
    """A new tensor, remembered if its thread is in inference mode."""
    t = object.__new__(Tensor)
    if mode.inference:
        key = id(t)
        made[key] = weakref.ref(t, lambda _: made.pop(key, None))
    return t


def begin():
    """Have new tensors remembered."""
    running.append(None)
    new.__setstate__((make, (), {}, {}))


def end():
    """Mark the tensors that were made; have new ones made as usual where no thread is in inference mode any more."""
    running.pop()
    if not running:
        new.__setstate__((object.__new__, (Tensor,), {}, {}))
    for reference in list(made.values()):
        t = reference()
        if t is not None and is_fresh(t):
            mark(t)
    made.clear()


def is_fresh(t):
    """True if ``t``, made in inference mode, shares memory with nothing from outside."""
    base = getattr(t, "_base", None)
    return type(t.array) is ndarray and t.node is None and (base is None or base is INFERENCE or id(base) in made)


def mark(t):
    """Make ``t`` a tensor of inference mode."""
    t._base, t._how, t._time = INFERENCE, None, -math.inf
    return t


def mark_like(t, source):
    """``t``, new and over the memory of ``source``, as a tensor of inference mode exactly if that is one."""
    if source._base is INFERENCE:
        return mark(t)
    if mode.inference and not is_inference(source):
        made.pop(id(t), None)
    return t


def is_inference(t):
    """True if ``t`` was made in inference mode."""
    return t._base is INFERENCE or id(t) in made and is_fresh(t)


def as_operand(t):
    """Note an inference tensor that is an operand where gradients are recorded: its node must not save it."""
    if mode.grad is True and type(t.array) is ndarray:
        if not operands:
            listen(refuse_saved)
        block = owner(t.array)
        operands[id(block)] = weakref.ref(block)
    return t.node


def refuse_saved(node, tensors):
    """Raise if a node that was recorded has saved an operand of inference mode."""
    blocks = [block for block in (reference() for reference in operands.values()) if block is not None]
    operands.clear()  # before the listener goes: operands without one would never be looked at
    unlisten(refuse_saved)
    for saved in unpacked_values(node.saved):
        for array in saved if type(saved) is tuple else (saved,):
            if type(array) is ndarray and any(owner(array) is block for block in blocks):
                raise RuntimeError(SAVE)


def refuse_write(t):
    """Raise for a write into ``t``, made in inference mode, outside it."""
    if not mode.inference:
        raise RuntimeError(WRITE)
