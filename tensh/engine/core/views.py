"""Views: tensors that share memory, and the renewal of their nodes when the memory has been written.

A tensor that is a view has three slots more: ``_base`` is the tensor whose memory it shares (None for all others), ``_time`` is
when its node was last valid, ``_how`` is None, or what else there is to say about it.
"""

from tensh.engine.arrays import memory
from tensh.engine.codegen.vocabulary import recorded
from tensh.engine.core.clock import clock, mode, tick, written_after
from tensh.engine.core.hooks import keep_retaining
from tensh.engine.core.nodes import AccumulateGrad, DeadEnd, hold
from tensh.engine.core.view_info import How
from tensh.engine.errors.views import NO_GRAD, locked_message


def see(base, t, locked=None):
    """Record that ``t`` shares the memory of ``base``.  Its place there says how, so nothing else is kept.

    The writer has the commonest case of it in line: neither ``base`` is a view nor anything special about ``t``.
    """
    root, how = base._base, None
    if root is not None:
        how = base._how
    if not mode.grad:
        locked = NO_GRAD
        if t.node is None and (base if root is None else root).node is not None:
            t.node = DeadEnd(t.array)
    if how is not None:
        steps = how.steps
        how = How(steps and (*steps, within(base.array, t.array)), locked or how.locked)
    elif locked is not None:
        how = How(None, locked)
    t._base, t._how, t._time = base if root is None else root, how, clock.last_write
    return t


def see_retyped(base, t, fn, args):
    """The same for a view of another dtype, whose place in memory does not say enough: keep the call that makes it."""
    before = steps_to(base)
    see(base, t)
    t._how = How((*before, (fn, args)), locked(t))
    return t


def locked(t):
    """Why the view ``t`` must not be written, or None."""
    return None if t._how is None else t._how.locked


def edge(t):
    """Where ``t`` sends its gradient.  A view whose memory was written asks its base again."""
    if t._base is not None and t._time < clock.last_write:
        if not written_after(t._time, t.array):
            t._time = tick()
        elif t._base.node is None:
            if type(t.node) is not AccumulateGrad:
                t.node = None  # and the view stays out of date: its base may require grad later
        elif locked(t) is None:
            derive_again(t)
        elif mode.grad:
            raise RuntimeError(refusal(t, "its base or another view of its base has been"))
    return t.node


def derive_again(t):
    """A view of memory that was written continues from what its base is now."""
    keep_retaining(t, replay(t._base, steps_to(t)).node)
    t._time = tick()
    hold(t)


def stale(t):
    """Is ``t`` a locked view of memory that was written since, so that its history can no longer be told?"""
    return (
        t._base is not None and locked(t) is not None and t._base.node is not None and written_after(t._time, t.array)
    )


def refusal(t, modified="is being"):
    """Why the locked view ``t`` must not be written, or not be used after a write."""
    node = t.node
    known = node is not None and type(node) not in (DeadEnd, AccumulateGrad)
    return locked_message(locked(t), (getattr(node, "index", 0), node.operation()) if known else None, modified)


def steps_to(t):
    """The operator calls that lead to ``t`` from the tensor whose memory it shares."""
    if t._base is None:
        return ()
    if t._how is not None and t._how.steps is not None:
        return t._how.steps
    return (within(t._base.array, t.array),)


def within(base, array):
    """The call that finds ``array`` in the memory of ``base``."""
    own = None if base.flags.c_contiguous else memory.strides(base)
    return recorded("restrided"), (array.shape, memory.strides(array), memory.distance(base, array), own)


def replay(t, steps, record=True):
    """Apply the steps of a view to ``t``, recording (or not) whatever the mode is."""
    before, mode.grad = mode.grad, record
    try:
        for fn, args in steps:
            t = fn(t, *args)
    finally:
        mode.grad = before
    return t
