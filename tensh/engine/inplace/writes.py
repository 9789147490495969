"""Writes into tensors, ``x.op_(…)`` and ``out=``, and their record in the graph.

Note [In-place writes]
``x.op_(y)`` is ``write_inplace(x, tick(), op(x, y))``: compute, write, and continue from the value's node.
Operators need no in-place derivatives, because ``write_inplace`` repairs what the write would break: saved arrays that
share the written memory are copied first, and a saved result becomes the written memory itself.

When ``x`` is a view, its *base* continues from a ``CopySlices`` node: gradients outside the view pass unchanged, those
inside go through the nodes of the write.  The stamp tells every view of the base to derive its node again.

Note [Interrupted writes]
Python handles ^C between calls.  So the elements and the node change in two statements without a call, and memory is
stamped before: a write that is interrupted has happened with its history, or not at all, or saved values are reported
as stale.
"""

import functools

import numpy as np
from numpy import ndarray

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays import memory
from tensh.engine.arrays.threads import BLOCK, parallel_map
from tensh.engine.autograd.inference import refuse_write
from tensh.engine.autograd.packing import copy_packed
from tensh.engine.core.clock import FORWARD, advance, mode, owner, stamp_whole_write, stamp_write, tick
from tensh.engine.core.hooks import keep_retaining
from tensh.engine.core.nodes import FOREIGN, AccumulateGrad, track_temporary, unpacked_values, uses_gradient
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import INFERENCE, derive_again, locked_view_error, refresh_node, write_refusal
from tensh.engine.dispatch.override.points import watch_operator
from tensh.engine.dtypes.dtype import BUILTIN, BY_NUMPY, can_cast
from tensh.engine.errors.messages import HALF_WAY, broadcast_clash, does_not_fit, too_large
from tensh.engine.errors.out_words import refused_cast
from tensh.engine.inplace.copy_slices import CopySlices
from tensh.engine.inplace.outside import differentiating, refuse_capture
from tensh.engine.inplace.overlap import refuse_overlap, refuse_overlap_in_part, refuse_partial_overlap
from tensh.engine.inplace.plain import is_plain, write_plain

F4 = np.dtype(np.float32)


def write_inplace(t, since, value, name, overlapping=False):
    """Write ``value`` into ``t`` and record it; ``since`` is a tick from before the value was computed.

    ``since`` comes from ``begin_write``; None means a write that is not recorded.
    ``overlapping`` allows a ``t`` with several elements in one place: True for a value that is the same everywhere, or the
    function that writes into its array.
    """
    if not isinstance(t, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(t)}")
    node = value.node
    if node is None and is_plain(t, ()) and write_plain(t, value):
        return t
    if mode.grad is True and since is not None and (uses_gradient(node) or uses_gradient(refresh_node(t))):
        refuse_unrecordable(t)
    require_fit(t, value, overlapping, name)
    if differentiating:
        refuse_capture(t, name)
    if node is not None:
        inside, block = nodes_of_write(node, since), owner(t.array)
        spoilt = len(inside) == 1 and saves_argument_in(node, block)
        for n in () if spoilt else inside:
            copy_saved(n, block)
        if mode.levels:
            mode.levels.prepare_write(node, since, t.array)
    old = None if node is None else refresh_node(t)
    stamp_write(t.array)
    result = value.array
    if callable(overlapping) and memory.overlaps_itself(t.array):
        overlapping(t.array)
        result = t.array
    if node is None:
        t.array[...] = result
        return t
    node.shape, node.dtype = t.array.shape, t.array.dtype
    if mode.levels:
        mode.levels.finish_write(node)
        if mode.grad is FORWARD and requires(t):  # the value changes, but not the receiver of its gradient
            t.array[...] = result
            mode.levels.keep_receiver(t, old, node, inside)
            return t
    rebase_history(t, old, node, inside, result, since if spoilt else None)
    return t


def begin_write(t, *others, may_overlap=False):
    """Return the tick after which recorded nodes belong to a write into ``t``; raises for a write that is not allowed.

    ``may_overlap`` allows ``others`` that lie in part of the memory of ``t``.
    """
    if is_plain(t, others):
        return tick()
    if isinstance(t, Tensor) and t._base is INFERENCE:
        refuse_write(t)
    if mode.grad is True and isinstance(t, Tensor):
        tensors = [t, *[each for each in others if isinstance(each, Tensor)]]
        if any([requires(each) for each in tensors]):
            refuse_unrecordable(t)
            for each in tensors:
                refresh_node(each)  # so that nodes which views derive again are not part of the write
    if others and not may_overlap:
        refuse_overlap_in_part(t, others)
    return tick()


def require_room(t, *others):
    """Raise if what is computed from ``t`` and the tensors of ``others``, which can be broadcast, outgrows ``t``."""
    shapes = [each.array.shape for each in (t, *others) if isinstance(each, Tensor)]
    if (common := np.broadcast_shapes(*shapes)) != shapes[0]:
        raise RuntimeError(does_not_fit(shapes[0], common))


def operand_node(array, other):
    """Return the node of ``other``, a view, as an operand of a write into ``array``: it must not overlap it in part."""
    if owner(other.array) is owner(array):
        refuse_partial_overlap(array, other.array)
    return refresh_node(other)


def requires(t):
    """Return True if ``t`` requires grad; unlike ``refresh_node``, this works for any view."""
    return uses_gradient(t.node) or t._base is not None and uses_gradient(t._base.node)


def refuse_unrecordable(t):
    """Refuse to record a write that PyTorch refuses."""
    base = t._base
    if base is not None:
        if write_refusal(t) is not None:
            raise RuntimeError(locked_view_error(t))
        if type(base.node) is AccumulateGrad or base.node is None and t.node is not None:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if type(t.node) is AccumulateGrad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def needs_no_record(t, *others):
    """Return True if a write of ``others`` (tensors or other values) into ``t`` needs no record, and cannot be refused."""
    if t._base is INFERENCE:
        refuse_write(t)
    if differentiating:
        return False
    if not mode.grad:
        return True
    if refresh_node(t) is not None:
        return False
    return not any(isinstance(other, Tensor) and refresh_node(other) is not None for other in others)


def write_elementwise(t, operator, others, numbers=(), **options):
    """Compute an elementwise operator of ``t``, ``others`` and numbers block by block into ``t``, if that is possible.

    Return whether it was: for many elements of one dtype, where nothing is recorded. A whole result would be copied,
    which takes as long as a short function.
    """
    array = t.array
    if type(array) is not ndarray or array.size < DIRECT or memory.overlaps_itself(array):
        return False
    if array.dtype.char not in operator.letters or not needs_no_record(t, *others):
        return False
    arrays = [array]
    for other in others:
        if other is not None and not (isinstance(other, Tensor) and fits_elementwise(other.array, array)):
            return False
        arrays.append(None if other is None else other.array)
    try:
        if array.size <= BLOCK:
            if not writes_straight(operator.kernel, array, arrays):
                return False
            operator.kernel.write_into(array, *arrays, *numbers, **options)
            result = array
        else:
            result = parallel_map(operator.kernel, arrays, numbers, array, **options)
        stamp_write(array)
        if result is not array:
            array[...] = result
    except (NotImplementedError, RuntimeError, TypeError):  # before anything is written; PyTorch checks memory first
        return False
    except HALF_WAY as error:
        stamp_write(array)  # some elements may have been written
        raise too_large(error) or error from None
    return True


DIRECT = 1 << 13  # elements from which copying a result takes longer than the checks of writing it straight


def writes_straight(kernel, array, arrays):
    """Return True if a kernel can write float32 numbers into ``array``, which lies apart from all other ``arrays``."""
    if array.dtype is not F4 or not hasattr(kernel, "write_into"):
        return False
    block = owner(array)
    return not any([each is not array and owner(each) is block for each in arrays if each is not None])


def fits_elementwise(other, array):
    """Return True for an array of the same dtype that can be broadcast to ``array``."""
    if type(other) is not ndarray or other.dtype is not array.dtype or other.ndim > array.ndim:
        return False
    return all([n in (1, m) for n, m in zip(other.shape[::-1], array.shape[::-1], strict=False)])


def require_own_dtype(t, dtype):
    """Return the dtype in which a write into ``t`` computes; raise if another one is requested."""
    dtype = BUILTIN.get(dtype, dtype)
    if dtype is not None and dtype is not t.dtype:
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {t.dtype.spoken} and output tensor dtype {dtype.spoken} should match"
        )
    return t.dtype


def become_view(t, viewed, name):
    """Turn ``t`` into its own view ``viewed``, as ``t_()`` does; ``name`` is the node's name."""
    if name is not None:
        name_node(viewed, name)
    stamp_write(t.array)
    node, now = viewed.node if mode.grad else t.node, tick()
    keep_retaining(t, node)
    t.array, t.node = viewed.array, node  # ^C, which comes between calls, leaves no array with another node
    if t._base is not None and t._view_info is not None and t._view_info.steps is not None:
        t._view_info.steps = viewed._view_info.steps
    if mode.grad:
        track_temporary(t)
        if t._base is not None:
            t._time = now
    elif type(t.node) is AccumulateGrad:
        t.node.array, t.node.shape = t.array, t.array.shape
    return t


def name_node(t, name):
    """Give the node of a result PyTorch's name for it, such as the number of an in-place form; return the result."""
    if uses_gradient(t.node):
        t.node.__class__ = name_node_class(type(t.node), name)
    return t


@functools.cache
def name_node_class(kind, name):
    """Return a class of nodes under another name."""
    return type(name, (kind,), {"__slots__": (), "__module__": "builtins"})


def bad_call(own, shape):
    """Return the message for a product that is larger than the tensor it should be added to."""
    return f"Bad in-place call: input tensor size {list(own)} and output tensor size {list(shape)} should match"


def bad_outer_product(own, shape):
    """Return the message for an outer product that is larger than the tensor it should be added to."""
    if len(own) != 2:
        return f"2D tensor expected, got {len(own)}D tensor for input"
    rows, columns = shape
    return f"size mismatch, input: {list(own)}, v1: [{rows}], v2: [{columns}]"


WORDS_OF_SIZES = {**dict.fromkeys(("addmm_", "addmv_", "baddbmm_"), bad_call), "addr_": bad_outer_product}


def require_fit(t, value, overlapping=False, name=None):
    """Raise unless ``value`` fits into ``t``; all checks come before the first write."""
    a, b = t.array, value.array
    if not overlapping:
        refuse_overlap(a)
    if a.shape != b.shape and b.shape:
        if (clash := broadcast_clash((a.shape, b.shape))) is not None:
            raise RuntimeError(clash)
        if (shape := np.broadcast_shapes(a.shape, b.shape)) != a.shape:
            raise RuntimeError(WORDS_OF_SIZES.get(name, does_not_fit)(a.shape, shape))
    if a.dtype is not b.dtype and not can_cast(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype]):
        raise refused_cast(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype], name or "")


def nodes_of_write(node, since):
    """Return the nodes recorded after ``since`` that ``node`` depends on, beginning with ``node``."""
    if not any([up is not None and up.time > since for up in node.inputs]):
        return [node]
    found = {node: None}
    for n in keys_while_growing(found):
        for up in n.inputs:
            if up is not None and up.time > since:
                found.setdefault(up)
    return list(found)


def keys_while_growing(found):
    """The keys of a dictionary that grows while they are visited."""
    done = 0
    while done < len(found):
        batch = list(found)[done:]
        done += len(batch)
        yield from batch


def saves_argument_in(node, block):
    """Return True if ``node`` saved an argument, other than the tensor itself, in the memory ``block`` that will change.

    As in PyTorch, its derivative is lost then: the node is backdated, so that backward reports a stale value.
    """
    return any(
        [
            (role == FOREIGN or role is not None and role > 0) and type(value) is ndarray and owner(value) is block
            for role, value in zip(node.roles, unpacked_values(node.saved), strict=False)
        ]
    )


def copy_saved(node, block):
    """Copy the arrays of ``node`` in the memory ``block`` that is about to change."""
    if node.saved and type(node.saved) is not tuple:
        copy_packed(node, block)
    elif any([type(s) is ndarray and owner(s) is block for s in node.saved or ()]):
        node.saved = tuple(copy_array(s) if type(s) is ndarray and owner(s) is block else s for s in node.saved)


def copy_array(array):
    """Return a copy of a saved array that is about to be written."""
    return array.copy()


watch_operator(copy_array, None)


def rebase_history(t, old, node, inside, result, backdated=None):
    """Write ``result``, unless it is in ``t`` already, and let ``t``, or its base if ``t`` is a view, continue from its node.

    ``backdated`` is an earlier tick for the node, if the write spoils its saved arguments. See Note [Interrupted writes].
    """
    if any([s is result for s in unpacked_values(node.saved)]):
        node.saved = tuple(t.array if s is result else s for s in node.saved)
    before, node.time = node.time, advance(node.time)
    if mode.levels:
        mode.levels.follow_write(node, before)
    root, last = (t, node) if t._base is None else (t._base, CopySlices(t, old, node, inside))
    if backdated is not None:
        node.time = backdated
    keep_retaining(root, last)
    recorded = uses_gradient(last) if root is t else any(map(uses_gradient, last.inputs))  # not for tangents only
    stamp_whole_write(root.array, last.operation() if recorded else None)
    if result is not t.array:
        t.array[...] = result
    root.node = last
    if root is t:
        track_temporary(t)
    else:
        if mode.levels:
            mode.levels.settle(last, [root])
        if mode.levels or mode.held is not None:  # a view is derived again when it is read, as others of its base are
            derive_again(t)
