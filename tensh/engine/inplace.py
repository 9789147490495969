"""Writing into tensors: ``x.op_(…)``, ``out=``, and what the graph makes of it.

Note [In-place writes]
``x.op_(y)`` is ``put(x, tick(), op(x, y))``: compute the value as usual, write it, continue from the value's node.
Nothing about an operator has to be said twice, because ``put`` repairs what the write would break: saved arrays that
share the written memory are copied first, and a saved result becomes the written memory itself.

When ``x`` is a view, its *base* continues from a ``CopySlices`` node: outside the view the gradient passes by, inside
it goes through the nodes of the write.  Every view of the base notices by the stamp and derives its node again.
"""

import warnings

import numpy as np
from numpy import ndarray

from tensh.engine.clock import mode, owner, tick, wrote, wrote_as
from tensh.engine.dtype import BY_NUMPY, can_cast
from tensh.engine.errors import broadcast_clash, cannot_cast, does_not_fit
from tensh.engine.graph import MULTIPLE, NO_GRAD, AccumulateGrad, Node, Output, edge, replay
from tensh.engine.tensor import Tensor, wrap


def put(t, since, value, name):
    """Write ``value`` into ``t`` and record it; ``since`` is a tick from before the value was computed."""
    if not isinstance(t, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(t).__name__}")
    node = value.node
    if mode.grad and (node is not None or edge(t) is not None):
        guard(t)
    writable(t, value)
    if node is not None:
        inside = interior(node, since)
        for n in inside:
            keep_saved(n, t.array)
    old = edge(t)
    t.array[...] = value.array
    wrote(t.array)
    if node is not None:
        continue_from(t, old, node, inside, value.array)
    return t


def guard(t):
    """Refuse to record a write that PyTorch refuses."""
    view = t.view
    if view is not None:
        if view.locked is not None:
            raise RuntimeError(locked_message(t, view))
        if t.node is not None and type(view.base.node) is AccumulateGrad:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if type(t.node) is AccumulateGrad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def locked_message(t, view):
    if view.locked == NO_GRAD:
        return (
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this "
            "use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
            "and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
            "outside (if you want the inplace to be tracked)."
        )
    node = t.node
    who = "A view" if node is None else f"Output {node.index if type(node) is Output else 0} of {node.operation()} is a view and"
    reason = (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
        "to be modified inplace. You should replace the inplace operation by an out-of-place one."
        if view.locked == MULTIPLE
        else "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading to "
        "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
    )
    return f"{who} is being modified inplace. {reason}"


def writable(t, value):
    """Raise unless ``value`` fits into ``t``; nothing is written before everything is known to fit."""
    a, b = t.array, value.array
    if a.shape != b.shape:
        if (clash := broadcast_clash((a.shape, b.shape))) is not None:
            raise RuntimeError(clash)
        if (shape := np.broadcast_shapes(a.shape, b.shape)) != a.shape:
            raise RuntimeError(does_not_fit(a.shape, shape))
    if a.dtype is not b.dtype and not can_cast(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype]):
        raise cannot_cast(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype])
    if 0 in a.strides and any(stride == 0 and n > 1 for n, stride in zip(a.shape, a.strides)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def interior(node, since):
    """The nodes recorded after ``since`` that ``node`` rests on, itself first."""
    found = {node: None}
    for n in found_while_growing(found):
        for up in n.inputs:
            if up is not None and up.time > since:
                found.setdefault(up)
    return list(found)


def found_while_growing(found):
    """The keys of a dictionary that grows while they are visited."""
    done = 0
    while done < len(found):
        batch = list(found)[done:]
        done += len(batch)
        yield from batch


def keep_saved(node, array):
    """Copy what ``node`` saved of the memory that is about to change."""
    block = owner(array)
    if any(type(s) is ndarray and owner(s) is block for s in node.saved or ()):
        node.saved = tuple(s.copy() if type(s) is ndarray and owner(s) is block else s for s in node.saved)


def continue_from(t, old, node, inside, result):
    """The graph after the write: ``t`` (or the base it is a view of) continues from the value's node."""
    if any(s is result for s in node.saved or ()):
        node.saved = tuple(t.array if s is result else s for s in node.saved)
    node.time = tick()
    wrote_as(t.array, node.operation())
    if t.view is None:
        t.node = node
    else:
        base = t.view.base
        base.node = CopySlices(base, t.view.steps, old, node, inside)
        if base.view is None and t.view.time is not None:
            t.node = replay(base, t.view.steps).node
            t.view.time = tick()


class CopySlices(Node):
    """A write through a view.  ``saved``: the steps to the view, the view's old node, the write's node and interior."""

    __slots__ = ()
    keeps_arrays = True

    def __init__(self, base, steps, old, node, inside):
        if len(inside) == 1:
            others = node.inputs[1:]
        else:
            within = set(inside)
            edges = {n: None for each in inside for n in each.inputs if n is not None and n not in within and n is not old}
            others = tuple(edges)
        self.inputs, self.saved = (edge(base), *others), (steps, old, node, inside)
        self.time, self.shape, self.dtype, self.hooks = tick(), base.array.shape, base.array.dtype, None

    def backward(self, g):
        """The gradient beside the view passes by; the region goes through the write."""
        steps, old, node, _ = self.saved
        whole = wrap(np.array(g))
        region = replay_raw(whole, steps)
        arrived = self._through(node, old, region.copy(), False)
        region[...] = 0 if arrived.get(old) is None else arrived[old]
        return (whole.array, *(arrived.get(n) for n in self.inputs[1:]))

    def backward_graph(self, g):
        steps, old, node, _ = self.saved
        whole = g.clone()
        region = replay(whole, steps)
        arrived = self._through(node, old, region.clone(), True)
        inside = arrived.get(old)
        if inside is None:
            region.zero_()
        else:
            region.copy_(inside)
        return (whole, *(arrived.get(n) for n in self.inputs[1:]))

    def _through(self, node, old, g, graph):
        """The gradients that the write's own nodes send to the edges around them."""
        from tensh.engine.backward import run

        wanted = {n: None for n in (old, *self.inputs[1:]) if n is not None}
        if wanted:
            run({node: g}, graph, True, wanted)
        return wanted

    def release(self):
        for node in self.saved[3]:
            if node.keeps_arrays:
                node.release()


def replay_raw(t, steps):
    """The region of the fresh tensor ``t`` that the steps lead to, as an array that shares its memory."""
    before, mode.grad = mode.grad, False
    try:
        for fn, args in steps:
            t = fn(t, *args)
    finally:
        mode.grad = before
    return t.array


# ── out= ─────────────────────────────────────────────────────────────────────
def into(out, result, name):
    """Put ``result`` into the tensor (or tensors) ``out``, which takes its shape, and return ``out``."""
    if isinstance(result, tuple):
        for target, value in zip(out, result):
            into(target, value, name)
        return type(result)(out)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if mode.grad and (edge(out) is not None or result.node is not None):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    a, b = out.array, result.array
    if a.dtype is not b.dtype and not can_cast(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype]):
        raise cannot_cast(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype])
    if a.shape != b.shape:
        resize(out, b.shape)
    out.array[...] = b
    wrote(out.array)
    return out


def resize(out, shape):
    """Give ``out`` another shape, with PyTorch's warning unless it was empty."""
    if out.array.size:
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(out.array.shape)}, which does not match the required output shape {list(shape)}. "
            "This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have "
            "zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
            "t.resize_(0).",
            stacklevel=4,
        )
    out.array = np.empty(shape, out.array.dtype)
    out.view = None
