"""Forward accumulation: while a level is open, what is recorded carries tangents along.

Note [Tangents]
A tensor's node stands for its value, for gradients as for tangents: a level is a dictionary from nodes to tangents.  While
one is open, recording goes on where ``no_grad`` says that no gradient is wanted (``mode.grad`` is FORWARD then), and each
node, as soon as it is complete, gets its tangent from those of its inputs.  If no gradient goes through the node, it is
emptied and becomes a ``Dual``, which is no history and does not make its tensor require grad.  So tangents take no memory
but their own, and what is written in place later does no harm.

Saved values that come back as tensors have the edges they came from, and with them their tangents: a backward pass inside a
level computes the tangents of gradients, with nothing to be said about it.  Levels may be nested.  The tangents of an inner
level are computed by operations that the outer levels see and the inner one does not, outer levels first, so that no level
takes the perturbation of another for its own.
"""

from weakref import WeakKeyDictionary, WeakValueDictionary

from tensh.engine.clock import FORWARD, mode, tick
from tensh.engine.graph import DeadEnd, Dual, Output, edge, hold, live
from tensh.engine.region import CopySlices
from tensh.engine.tangents import pushed, region_pushed
from tensh.engine.tensor import Tensor, wrap
from tensh.engine.vocabulary import OPS
from tensh.engine.watching import unwatch, watch


class Level:
    """One forward accumulation: the tangent of every value that has one, by the node that stands for the value."""

    def __init__(self):
        self.tangents = WeakKeyDictionary()
        self.held = WeakValueDictionary()

    def of(self, node):
        """The tangent of the value that ``node`` stands for, or None."""
        if node is None:
            return None
        if type(node) is Output:
            several = self.tangents.get(node.inputs[0])
            return None if several is None else several[node.index]
        return self.tangents.get(node)

    def same(self, node, other):
        """Let ``node`` have the tangent of ``other``, which stands for the same value."""
        tangent = self.of(other)
        if tangent is not None:
            self.tangents[node] = tangent


def open_level():
    """Begin to carry tangents."""
    level = Level()
    if not mode.levels:
        watch(see)
    _set_levels((*mode.levels, level))
    if mode.grad is False and not mode.inference:
        mode.grad = FORWARD
    return level


def close_level():
    """Let go of the tangents of the innermost level, and of every node that only it needed."""
    *outer, level = mode.levels
    _set_levels(tuple(outer))
    if outer:
        return
    unwatch(see)
    if mode.grad is FORWARD:
        mode.grad = False
    for t in list(level.held.values()):
        if t.node is not None and not live(t.node):
            t.node = None


def _set_levels(levels):
    mode.levels, mode.off = levels, FORWARD if levels else False


class Within:
    """A context in which only some levels are open."""

    def __init__(self, levels):
        self.levels = levels

    def __enter__(self):
        self.before = mode.levels, mode.off
        _set_levels(self.levels)

    def __exit__(self, *error):
        mode.levels, mode.off = self.before


# ── what is recorded ─────────────────────────────────────────────────────────
def see(frame, time):
    """Carry tangents through the node that the function of ``frame`` has just recorded."""
    if not mode.levels:
        return
    names = frame.f_locals
    k = names["k"]
    k.time = time
    op = k.op
    settle(k, [names["out"]] if not op.outs else names["outs"] if op.many else [names[op.outs[0]]])


def settle(node, tensors):
    """Compute the tangents of a new node of ``tensors``, and empty it if it is good for nothing else."""
    if mode.forward:
        for depth, level in enumerate(mode.levels):
            tangents = [level.of(n) for n in node.inputs]
            if tangents.count(None) != len(tangents) or type(node) is CopySlices:
                _carry(level, node, tangents, mode.levels[:depth])
    if mode.grad is not True or not any([live(n) for n in node.inputs]):
        node.__class__, node.inputs, node.saved = Dual, (), ()
        for t in tensors:
            hold(t)


def _carry(level, node, tangents, outer):
    """Compute the tangent of ``node`` at one level, as the ``outer`` ones see it."""
    graph = bool(outer) or mode.grad is True and any(
        [t is not None and (live(t.node) or live(n)) for t, n in zip(tangents, node.inputs)]
    )
    if type(node) is CopySlices:
        new = level.of(node.saved[3])
        if new is None and tangents[0] is None:
            return
        with Within(outer):
            level.tangents[node] = region_pushed(node, tangents[0], new, graph)
        return
    if graph:
        with Within(outer):
            result = pushed(node, tangents, True)
    else:
        result = pushed(node, [t if t is None else t.array for t in tangents], False)
        result = [wrap(each) for each in result] if type(result) is list else wrap(result)
    level.tangents[node] = result


# ── in place ─────────────────────────────────────────────────────────────────
def written_without_gradient(t, old, node):
    """``t``, whose gradient goes to ``old``, was written where none is recorded: its tangent is that of ``node``."""
    for level in mode.levels:
        level.same(old, node)


def refuse_tangents(name, values):
    """Raise if one of ``values``, the arguments of a call with ``out=``, is a tensor that has a tangent."""
    nodes = [edge(t) for t in values if isinstance(t, Tensor)]
    if mode.forward and any([level.of(node) is not None for level in mode.levels for node in nodes]):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )


# ── dual tensors ─────────────────────────────────────────────────────────────
def dual(t, tangent, level):
    """A tensor over the memory of ``t`` that has a tangent."""
    node = edge(t)
    shown = wrap(t.array)
    if not live(node):
        shown.node = placeholder(shown, node)
    elif mode.grad is True:
        shown.node = OPS["view"].fn(t, t.array.shape).node
    else:
        shown.node = DeadEnd(t.array)
        for each in mode.levels:
            each.same(shown.node, node)
    level.tangents[shown.node] = tangent
    return shown


def placeholder(t, node):
    """A node for ``t`` that stands for the same value as ``node`` and takes no gradient."""
    twin = Dual()
    twin.inputs = twin.saved = ()
    twin.time, twin.shape, twin.dtype, twin.hooks = tick(), t.array.shape, t.array.dtype, None
    for level in mode.levels:
        level.same(twin, node)
    hold(t)
    return twin


def parts(t, level):
    """(the value of ``t`` without its tangent at ``level``, that tangent or None)."""
    node = edge(t)
    tangent = level.of(node)
    others = tuple(each for each in mode.levels if each is not level)
    if live(node) and mode.grad is True:
        with Within(others):
            return OPS["view"].fn(t, t.array.shape), tangent
    value = wrap(t.array)
    with Within(others):
        if any(each.of(node) is not None for each in others):
            value.node = placeholder(value, node)
    return value, tangent
