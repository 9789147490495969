"""Forward accumulation: while a level is open, recorded values carry tangents.

Note [Tangents] A tensor's node represents its value, for gradients and tangents: a level is a dictionary from nodes to
tangents.  While one is open, recording continues even under ``no_grad`` (``mode.grad`` is FORWARD then), and each
complete node gets its tangent from those of its inputs.  Unless a gradient passes through the node, it is emptied and
becomes a ``Dual``, which is not a history and does not make its tensor require grad.  So no arrays are saved for
tangents, and later writes in place are harmless.

A dual tensor is a view whose tangent is not that of its base, and so is a dual tensor's value without its tangent: among
the steps from the base to either, or to a view of it, is a ``Boundary``, under which the level keeps that tangent.

Saved values that come back as tensors keep their nodes, and with them their tangents: a backward pass inside a level
computes the tangents of gradients without further code.  Levels may be nested.  The tangents of an inner level are
computed by operations visible to the outer levels only, outer levels first, so that perturbations of different levels
are not confused.
"""

from contextlib import contextmanager
from weakref import WeakKeyDictionary, WeakValueDictionary

from tensh.engine.arrays import memory
from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.autograd.jvp import fit_tangent, jvp, jvp_of_region, value_of
from tensh.engine.codegen.operator import Op
from tensh.engine.core.backward import as_tensor
from tensh.engine.core.clock import FORWARD, listen, mode, owner, tick, unlisten
from tensh.engine.core.nodes import Dual, NoGradView, Output, track_temporary, uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import INFERENCE, ViewInfo, derive_again, refresh_node, steps_to, write_refusal
from tensh.engine.inplace.copy_slices import CopySlices
from tensh.engine.inplace.writes import copy_saved, keys_while_growing, name_node
from tensh.engine.operators.shapes.views import view


class Level:
    """One forward accumulation: node of a value -> tangent of the value.

    ``around`` keeps the tensors with temporary nodes of levels that are suspended while this one is open.
    """

    def __init__(self):
        self.tangents, self.around = WeakKeyDictionary(), None

    def find_tangent(self, node):
        """Return the tangent of the value that ``node`` stands for, or None."""
        if node is None:
            return None
        if type(node) is Output:
            several = self.tangents.get(node.inputs[0])
            return None if several is None else several[node.index]
        return self.tangents.get(node)

    def share_tangent(self, node, other):
        """Give ``node`` the tangent of ``other``, which represents the same value."""
        tangent = self.find_tangent(other)
        if tangent is not None:
            self.tangents[node] = tangent

    def set_tangent(self, node, tangent):
        """Give ``node`` this tangent, or none."""
        if tangent is not None:
            self.tangents[node] = tangent
        else:
            self.tangents.pop(node, None)


class Boundary:
    """The place between a base and a view, over ``array``, that has another tangent at ``level``."""

    __slots__ = ("level", "array", "__weakref__")

    def __init__(self, level, array):
        self.level, self.array = level, array


def cross(t, boundary):
    """Give ``t``, if it was found again from the base and not from a gradient, the tangent that the level keeps for it."""
    if t.node is not None and owner(t.array) is owner(boundary.array):
        boundary.level.set_tangent(t.node, boundary.level.tangents.get(boundary))
    return t


class Levels(tuple):
    """The open levels, outermost first, as ``mode.levels`` holds them; updates tangents for new nodes and writes."""

    __slots__ = ()

    def settle(self, node, tensors):
        """Compute the tangents of a new node of ``tensors``, and empty the node if it is not needed otherwise."""
        if mode.forward:
            for depth, level in enumerate(self):
                carry(node, level, self[:depth])
        if mode.grad is not True or not any([uses_gradient(n) for n in node.inputs]):
            node.__class__, node.inputs, node.saved = Dual, (), ()
            for t in tensors:
                track_temporary(t)

    def nodes_since(self, node, since):
        """Return the nodes newer than ``since`` that ``node`` and its tangents depend on, beginning with ``node``."""
        found = {node: None}
        for n in keys_while_growing(found):
            tangents = [level.tangents.get(n) for level in self]
            tangents = [t for each in tangents for t in (each if type(each) is list else [each]) if t is not None]
            for each in (*n.inputs, *[value_of(t).node for t in tangents]):
                if each is not None and each.time > since:
                    found.setdefault(each)
        return list(found)

    def prepare_write(self, node, since, array):
        """Copy the arrays that tangents saved, before the value of ``node`` is written into ``array``."""
        for each in self.nodes_since(node, since)[1:]:
            copy_saved(each, owner(array))

    def follow_write(self, node, before):
        """Keep the nodes that compute the tangents of ``node``, recorded at ``before``, newer than it is since its write."""
        for each in sorted(self.nodes_since(node, before)[1:], key=lambda n: n.time):
            each.time = tick()

    def keep_receiver(self, t, old, node, inside):
        """Update tangents after a write whose gradient is not recorded: ``t``, or its base, keeps its node ``old``."""
        if t._base is not None:
            old, node = t._base.node, CopySlices(t, old, node, inside)
            self.settle(node, [])
        for level in self:
            level.share_tangent(old, node)

    def finish_write(self, node):
        """Update tangents after the value of ``node`` was written into a tensor, perhaps of another size or dtype."""
        for level in self:
            t = level.tangents.get(node)
            if t is not None:
                level.tangents[node] = fit_tangent(t, node.shape, node.dtype, True)

    def refuse_tangents(self, name, values):
        """Raise if one of ``values``, the arguments of a call with ``out=``, is a tensor that has a tangent."""
        nodes = [refresh_node(t) for t in values if isinstance(t, Tensor)]
        if mode.forward and any([level.find_tangent(node) is not None for level in self for node in nodes]):
            raise NotImplementedError(
                f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
            )


@without_interrupts
def open_level():
    """Begin to carry tangents."""
    level = Level()
    if mode.held is None:  # the stored listener shows that it was added, wherever ^C comes
        listen(on_record)
        mode.held = WeakValueDictionary()
    elif not mode.levels:  # in a computation that suspends the levels around it
        level.around, mode.held = mode.held, WeakValueDictionary()
    _set_levels((*mode.levels, level))
    if mode.grad is False and not mode.inference:
        mode.grad = FORWARD
    return level


@without_interrupts
def close_level():
    """Drop the tangents of the innermost level, and every node that only they needed."""
    *outer, level = mode.levels
    _set_levels(outer)
    level.tangents.clear()  # boundaries, which views keep, refer to the level
    if outer:
        return
    if mode.grad is FORWARD:
        mode.grad = False
    for t in list(mode.held.values()):
        if t.node is not None and not uses_gradient(t.node):
            t.node = None
    mode.held = level.around
    if mode.held is None:
        unlisten(on_record)


@contextmanager
def opened_level():
    """A context in which one more level carries tangents; gives the level."""
    outer = len(mode.levels)
    try:
        yield open_level()
    finally:
        if len(mode.levels) > outer:  # unless ^C came before it was open
            close_level()


def _set_levels(levels):
    mode.levels, mode.off = Levels(levels), FORWARD if levels else False


def call_at_levels(levels, grad, function, *arguments):
    """Call a function with only some levels open, in a given recording mode."""
    before = mode.levels, mode.off, mode.grad
    try:
        _set_levels(levels)
        mode.grad = grad
        return function(*arguments)
    finally:  # no call, before which ^C could come, as it could before __exit__
        mode.levels, mode.off, mode.grad = before


# ── what is recorded ─────────────────────────────────────────────────────────
def on_record(node, tensors):
    """Carry tangents through a node that has just been recorded."""
    if mode.held is not None and isinstance(node.op, Op):  # custom functions define their own jvp
        mode.levels.settle(node, tensors)


def carry(node, level, outer):
    """Compute the tangent of a node's value at one level, as the ``outer`` levels see the tangent."""
    if type(node) is CopySlices:
        carry_write(node, level, outer)
        return
    tangents = [level.find_tangent(n) for n in node.inputs]
    given = [t for t in tangents if t is not None]
    if not given:
        return
    recorded, graph = ways(node, given, outer)
    if graph:
        result = call_at_levels(outer, recorded, jvp, node, tangents, True, recorded)
    else:
        arrays = [t if t is None else t.array for t in tangents]
        result = call_at_levels(outer, recorded, jvp, node, arrays, False, False)
    level.tangents[node] = [as_tensor(each) for each in result] if type(result) is list else as_tensor(result)


def carry_write(node, level, outer):
    """Compute the tangent of a base that was written through a view, or that of the view's last boundary."""
    steps, strides, _, value, _ = node.saved
    holder, before, layout = node, level.find_tangent(node.inputs[0]), (node.shape, strides, node.dtype)
    for number, (fn, args) in enumerate(steps):
        if fn is cross and args[0].level is level:
            level.set_tangent(node, level.find_tangent(node.inputs[0]))
            (holder,) = args
            layout = holder.array.shape, memory.strides(holder.array), holder.array.dtype
            before, steps = level.tangents.get(holder), node.saved[0][number + 1 :]
    given = [t for t in (before, level.find_tangent(value)) if t is not None]
    if given:
        recorded, graph = ways(node, given, outer)
        region = steps, *layout
        result = call_at_levels(outer, recorded, jvp_of_region, region, before, level.find_tangent(value), graph)
        level.tangents[holder] = as_tensor(result)


def ways(node, given, outer):
    """Return the recording mode for the tangent of a node, and whether it is computed from tensors instead of arrays."""
    wanted = mode.grad is True and any([uses_gradient(n) for n in (*node.inputs, *[value_of(t).node for t in given])])
    recorded = wanted or (FORWARD if outer else False)
    return recorded, bool(recorded) or any([type(t) is not Tensor for t in given])


# ── dual tensors ─────────────────────────────────────────────────────────────
def check_dual(t, tangent):
    """Raise unless the two can be the parts of a dual tensor."""
    for each, what in ((t, "primal"), (tangent, "tangent")):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {each.dtype}")
        if hasattr(type(each.array), "shadow"):  # a wrapper subclass
            raise NotImplementedError("tensors of wrapper subclasses have no tangents: use torch.func.jvp")
    check_size(t, tangent)


def check_size(t, tangent):
    """Raise unless a tangent has the shape of its tensor."""
    if tangent.array.shape != t.array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(t.array.shape)} while the given forward gradient is of size "
            f"{list(tangent.array.shape)}."
        )


def dual(t, tangent, level):
    """Return a tensor over the memory of ``t`` that has a tangent."""
    node = refresh_node(t)
    shown = wrap(t.array)
    if not uses_gradient(node):
        shown.node = placeholder(shown, node)
    elif mode.grad is True:
        shown.node = view.fn(t, t.array.shape).node
    else:
        shown.node = NoGradView(t.array)
        for each in mode.levels:
            each.share_tangent(shown.node, node)
    level.tangents[shown.node] = tangent
    return shown


def dual_view(t, tangent, level):
    """Return a view of ``t`` that has a tangent: what is written into one is written into the other."""
    return look_across(t, tangent, level) if can_look_across(t) else dual(t, tangent, level)


def value_view(t, level):
    """Return (a view of ``t`` that has no tangent at ``level``, the tangent of ``t`` or None)."""
    tangent = level.find_tangent(refresh_node(t))
    if tangent is None or not can_look_across(t):
        return parts(t, level)
    return name_node(look_across(t, None, level), "Identity"), tangent


def can_look_across(t):
    """Return True if views of ``t`` may be written: gradients are recorded, or there are none, and ``t`` has elements."""
    return t._base is not INFERENCE and (mode.grad is True or not uses_gradient(refresh_node(t)))


def look_across(t, tangent, level):
    """Return a view of ``t`` with another tangent at ``level``, or with none."""
    base = t if t._base is None else t._base
    if base.node is None and t.node is None:  # a view finds its tangent again only if its base has a node
        base.node = placeholder(base, None)
        if t is not base:
            derive_again(t)
    shown = view.fn(t, t.array.shape)
    boundary = Boundary(level, shown.array)
    level.set_tangent(boundary, tangent)
    shown._view_info = ViewInfo((*steps_to(shown), (cross, (boundary,))), write_refusal(shown))
    return cross(shown, boundary)


def placeholder(t, node):
    """Return a node for ``t`` that represents the same value as ``node`` and receives no gradient."""
    twin = Dual()
    twin.inputs = twin.saved = ()
    twin.time, twin.shape, twin.dtype, twin.hooks = tick(), t.array.shape, t.array.dtype, None
    for level in mode.levels:
        level.share_tangent(twin, node)
    track_temporary(t)
    return twin


def parts(t, level, name="Identity"):
    """Return (``t`` without its tangent at ``level``, that tangent or None); ``name`` is that of the value's node."""
    node = refresh_node(t)
    tangent = level.find_tangent(node)
    others = tuple(each for each in mode.levels if each is not level)
    if uses_gradient(node) and mode.grad is True:
        return name_node(call_at_levels(others, mode.grad, view.fn, t, t.array.shape), name), tangent
    value = wrap(t.array)
    if any(each.find_tangent(node) is not None for each in others):
        value.node = call_at_levels(others, mode.grad, placeholder, value, node)
    return value, tangent
