"""Subscripts as the operators that PyTorch records: dimension by dimension, then by index tensors."""

import tensh as torch
from tensh._aten.subscripts import WHOLE, expand_ellipsis, list_indices, list_steps
from tensh.engine.core.tensor import Tensor
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt, plain_number
from tensh.tracing.sizes.unbacked import Unbacked

__all__ = ["getitem", "number_as_tensor", "setitem"]

END = 2**63 - 1


def getitem(recorder, input, index):
    """Record ``input[index]``: select, slice and unsqueeze dimension by dimension, then index by tensors."""
    found = take_parts(recorder, input, index)
    if found is None:
        return NotImplemented
    out, indices = found
    if indices:
        return recorder.run("index", out, indices)
    return recorder.run("alias", out) if out is input else out


def setitem(recorder, input, index, value):
    """Record ``input[index] = value``: a write into a view, or by index tensors."""
    given = value if isinstance(value, Tensor) else number_as_tensor(recorder, value, input.dtype)
    found = take_parts(recorder, input, index, writes=True)
    if found is None:
        return NotImplemented
    target, indices = found
    if indices:
        given = recorder.run("index_put_", target, indices, without_leading_ones(recorder, given))
    else:
        write(recorder, recorder.run("alias", target) if target is input and not recorder.apart else target, given)
    return None


def write(recorder, target, value):
    """Record a write of a tensor, or of a number that is a node, into a view."""
    if not isinstance(value, Tensor) or not value.array.ndim and target.array.ndim:
        recorder.run("fill_", target, value)
        return
    if value.array.shape != target.array.shape:
        value = without_leading_ones(recorder, value, always=recorder.apart)
        if value.array.shape != target.array.shape:
            value = recorder.run("expand", value, list(recorder.shape(target)))
    recorder.run("copy_", target, value)


def without_leading_ones(recorder, value, always=False):
    """Return a view of a value without the first dimensions of size 1; without ``always``, only if there are any."""
    if not isinstance(value, Tensor):
        return value
    shape = value.array.shape
    first = next((place for place, size in enumerate(shape) if size != 1), len(shape))
    return recorder.run("view", value, list(recorder.shape(value))[first:]) if first or always else value


def take_parts(recorder, input, index, writes=False):
    """Record what a subscript takes by numbers and slices; return (view, index tensors), or None for an unknown part.

    Subscripts that write leave out whole dimensions also if they are a single slice.
    """
    parts = index if type(index) is tuple else (index,)
    lists = [isinstance(each, list) or hasattr(each, "__array_interface__") for each in parts]
    parts = tuple(torch.as_tensor(each) if is_list else each for each, is_list in zip(parts, lists))
    lists = {id(each) for each, is_list in zip(parts, lists) if is_list}
    parts = expand_ellipsis(parts, input.array.ndim)
    if parts is None:
        return None
    out, tensors, whole = input, {}, []
    several, alone = writes or type(index) is tuple, not writes
    for operator, dim, part in list_steps(parts):
        if operator == "select":
            if not out.array.ndim or not -out.array.shape[dim] <= plain_number(part) < out.array.shape[dim]:
                return None  # the function raises the error
            out = recorder.run("select", out, dim, part)
        elif operator == "unsqueeze":
            out = recorder.run("unsqueeze", out, dim)
        elif operator == "index":
            tensors[dim] = recorder.free_value(part) if id(part) in lists else part
        else:
            left_out = leaves_out(recorder, part, several, out.array.shape[dim])
            alone = alone and left_out
            if not left_out or recorder.whole_slices and part is not WHOLE:
                out = recorder.run("slice", out, dim, *slice_bounds(recorder, part))
                if left_out:
                    whole.append(recorder.node_of(out))
    mark_whole(whole, alone and all(isinstance(each, slice) for each in parts))
    return out, list_indices(tensors)


def slice_bounds(recorder, index):
    """Return the start, stop and step of a slice as the operator gets them; PyTorch leaves some of them out."""
    start, stop, step = (position(part) for part in (index.start, index.stop, index.step))
    unwritten = Unbacked if recorder.read_item is None else TracedInt
    if start is None and not isinstance(stop, unwritten):  # PyTorch leaves it out before such a number
        start = 0
    if stop is None and not (recorder.whole_slices and isinstance(start, TracedInt)):
        stop = END
    return start, stop, 1 if step is None else step


def is_whole(index):
    """Return True for ``:``; bounds may be numbers that cannot be compared."""
    return index.start is index.stop is index.step is None


def leaves_out(recorder, index, several, size):
    """Return True if a slice is no separate operator; traces of ``torch.jit`` have also those of whole dimensions."""
    if not recorder.apart:
        return index is WHOLE
    return index is WHOLE or several and (is_whole(index) or is_all_of(index, size))


def mark_whole(nodes, alone):
    """Mark slices of whole dimensions, which ``leave_out_slices`` removes where all sizes are within the slice.

    ``alone`` says that a subscript that reads has no other parts: the last one becomes an alias if none of them stays.
    """
    for node in nodes:
        node.meta["whole"] = ()
    if nodes and alone:
        nodes[-1].meta["whole"] = tuple(nodes)


def is_all_of(index, size):
    """Return True for a slice from the first element to the last or beyond, neither of them a number of the program."""
    start, stop, step = index.start, index.stop, index.step
    numbers = all(each is None or type(each) is int for each in (start, stop, step))
    return numbers and start in (None, 0) and (stop is None or stop >= size) and step in (None, 1)


def position(value):
    """Convert a bound of a slice to a number."""
    return value if value is None or isinstance(value, TracedInt) else value.__index__()


def number_as_tensor(recorder, value, dtype):
    """Return a written number as a constant of the trace; one that is a node stays a number."""
    if isinstance(value, (TracedInt, TracedFloat)) or recorder.keeps_numbers:
        return value
    made = recorder.free_value(torch.tensor(value, dtype=dtype))
    recorder.numbers.add(id(made))
    return made
