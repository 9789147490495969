"""Views: tensors that share memory, and how their nodes are refreshed after the memory has been written.

A view uses three slots: ``_base`` is the tensor whose memory it shares (None for all other tensors), ``_time`` is the
tick at which its node was last valid, ``_view_info`` is a ``ViewInfo`` or None.
"""

from tensh.engine.arrays import memory
from tensh.engine.codegen.vocabulary import on_tensors
from tensh.engine.core import ports
from tensh.engine.core.clock import clock, is_written_after, mode, tick
from tensh.engine.core.hooks import keep_retaining
from tensh.engine.core.nodes import AccumulateGrad, Dual, NoGradView, track_temporary
from tensh.engine.errors.views import INDIRECTLY, INFERENCE_MODE, NO_GRAD, view_write_error


class ViewInfo:
    """The facts about a view that its place in memory does not tell.

    ``steps`` are the operator calls that lead from the base to a view of another dtype; None for all other views.
    ``locked`` is the reason why the view must not be written while gradients are recorded, or None.
    """

    __slots__ = ("steps", "locked")

    def __init__(self, steps=None, locked=None):
        self.steps, self.locked = steps, locked


class Inference:
    """The base of all tensors that were made in inference mode: none that could be written, or want a gradient."""

    node = object.__new__(Dual)
    _base = _view_info = None

    def __repr__(self):
        return "inference"


INFERENCE = Inference()


def record_view(base, t, locked=None):
    """Record that ``t`` shares the memory of ``base``.  Its place in that memory describes the view.

    Generated functions contain the commonest case inline: ``base`` is not a view, and ``t`` needs no ``ViewInfo``.
    """
    root, info = base._base, None
    if root is not None:
        if root is INFERENCE:
            return ports.mark_inference(t)
        info = base._view_info
    if not mode.grad:
        locked = INFERENCE_MODE if mode.inference else NO_GRAD
        if t.node is None and (base if root is None else root).node is not None:
            t.node = NoGradView(t.array)
    if info is not None:
        steps = info.steps
        locked = info.locked if locked is None or info.locked is INFERENCE_MODE else locked
        info = ViewInfo(steps and (*steps, place_in_base(base.array, t.array)), locked)
    elif locked is not None:
        info = ViewInfo(None, locked)
    t._base, t._view_info, t._time = base if root is None else root, info, clock.last_write
    return t


def record_retyped_view(base, t, fn, args):
    """Record a view of another dtype: keep the call that made it, because its place in memory is not enough."""
    before = steps_to(base)
    record_view(base, t)
    t._view_info = ViewInfo((*before, (fn, args)), write_refusal(t))
    return t


def write_refusal(t):
    """Return the reason why the view ``t`` must not be written, or None."""
    return None if t._view_info is None else t._view_info.locked


def refresh_node(t):
    """The node that receives the gradient of ``t``, derived from the base again if the memory of a view was written."""
    if t._base is not None and t._time < clock.last_write:
        if t._base is INFERENCE:
            return ports.inference_operand(t)
        if not is_written_after(t._time, t.array):
            t._time = tick()
        elif t._base.node is None:
            if type(t.node) is not AccumulateGrad:
                t.node = None  # the view stays out of date, because its base may require grad later
        elif write_refusal(t) is None:
            derive_again(t)
        elif mode.grad:
            raise RuntimeError(locked_view_error(t, INDIRECTLY))
    return t.node


def derive_again(t):
    """Attach the view ``t`` to the present node of its base, after a write to their memory."""
    node = replay(t._base, steps_to(t)).node
    keep_retaining(t, node)
    t.node, t._time = node, tick()
    track_temporary(t)


def stale(t):
    """Return True if ``t`` is a locked view whose memory was written since, so that its history is unknown."""
    return (
        t._base is not None
        and write_refusal(t) is not None
        and t._base.node is not None
        and is_written_after(t._time, t.array)
    )


def locked_view_error(t, modified="is being"):
    """Return the error for a locked view ``t`` that is written, or used after a write."""
    node = t.node
    known = node is not None and type(node) not in (NoGradView, AccumulateGrad)
    return view_write_error(
        write_refusal(t), (getattr(node, "index", 0), node.operation()) if known else None, modified
    )


def steps_to(t):
    """Return the operator calls that lead from the base to ``t``."""
    if t._base is None:
        return ()
    if t._view_info is not None and t._view_info.steps is not None:
        return t._view_info.steps
    return (place_in_base(t._base.array, t.array),)


def place_in_base(base, array):
    """Return the operator call that finds ``array`` in the memory of ``base``."""
    own = None if base.flags.c_contiguous else memory.strides(base)
    return on_tensors("restride"), (array.shape, memory.strides(array), memory.distance(base, array), own)


def replay(t, steps):
    """Apply the steps of a view to ``t``; they are recorded, whatever the mode."""
    before, mode.grad = mode.grad, True
    try:
        for fn, args in steps:
            t = fn(t, *args)
    finally:
        mode.grad = before
    return t
