"""Subscripts as the operators that PyTorch records: dimension by dimension, then by index tensors."""

import tensh as torch
from tensh._aten.steps import bool_mask
from tensh.engine.core.tensor import Tensor
from tensh.tracing.numbers import TracedFloat, TracedInt, plain_number
from tensh.tracing.unbacked import Unbacked

__all__ = ["getitem", "number_as_tensor", "setitem"]

END = 2**63 - 1
WHOLE = slice(None)
"""A dimension that ``...`` stands for."""
KNOWN = (int, slice, Tensor, type(None), type(Ellipsis))


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
    found = take_parts(recorder, input, index)
    if found is None:
        return NotImplemented
    target, indices = found
    if indices:
        given = recorder.run("index_put_", target, indices, without_leading_ones(recorder, given))
    else:
        write(recorder, recorder.run("alias", target) if target is input else target, given)
    return None


def write(recorder, target, value):
    """Record a write of a tensor, or of a number that is a node, into a view."""
    if not isinstance(value, Tensor) or not value.array.ndim and target.array.ndim:
        recorder.run("fill_", target, value)
        return
    if value.array.shape != target.array.shape:
        value = without_leading_ones(recorder, value)
        if value.array.shape != target.array.shape:
            value = recorder.run("expand", value, list(recorder.shape(target)))
    recorder.run("copy_", target, value)


def without_leading_ones(recorder, value):
    """Return a value without the dimensions of size 1 before all others."""
    if not isinstance(value, Tensor):
        return value
    shape = value.array.shape
    first = next((place for place, size in enumerate(shape) if size != 1), len(shape))
    return recorder.run("view", value, list(recorder.shape(value))[first:]) if first else value


def take_parts(recorder, input, index):
    """Record what a subscript takes by numbers and slices; return (view, index tensors), or None for an unknown part."""
    parts = index if type(index) is tuple else (index,)
    lists = [isinstance(each, list) or hasattr(each, "__array_interface__") for each in parts]
    parts = tuple(torch.as_tensor(each) if is_list else each for each, is_list in zip(parts, lists))
    lists = {id(each) for each, is_list in zip(parts, lists) if is_list}
    if any(isinstance(each, bool) or not isinstance(each, KNOWN) for each in parts):
        return None
    taken = sum(0 if each is None or each is Ellipsis else each.dim() if bool_mask(each) else 1 for each in parts)
    at = next((place for place, each in enumerate(parts) if each is Ellipsis), None)
    if at is not None:
        parts = (*parts[:at], *(WHOLE,) * (input.array.ndim - taken), *parts[at + 1 :])
    dim, out, tensors = 0, input, {}
    for each in parts:
        if isinstance(each, int):
            if not out.array.ndim or not -out.array.shape[dim] <= plain_number(each) < out.array.shape[dim]:
                return None  # the function raises the error
            out = recorder.run("select", out, dim, each)
        elif each is None:
            out, dim = recorder.run("unsqueeze", out, dim), dim + 1
        elif isinstance(each, Tensor):
            tensors[dim] = recorder.free_value(each) if id(each) in lists else each
            dim += each.dim() if bool_mask(each) else 1
        else:
            if takes_part(recorder, each, parts, out.array.shape[dim]):
                start, stop, step = (position(part) for part in (each.start, each.stop, each.step))
                stop = END if stop is None else stop
                left_out = Unbacked if recorder.read_item is None else TracedInt
                if start is None and not isinstance(stop, left_out):  # PyTorch leaves it out before such a number
                    start = 0
                out = recorder.run("slice", out, dim, start, stop, 1 if step is None else step)
            dim += 1
    return out, [tensors.get(place) for place in range(max(tensors) + 1)] if tensors else []


def is_whole(index):
    """Return True for ``:``; bounds may be numbers that cannot be compared."""
    return index.start is index.stop is index.step is None


def takes_part(recorder, index, parts, size):
    """Return True if a slice is a separate operator; traces of ``torch.jit`` have also those of whole dimensions."""
    if not recorder.apart:
        return index is not WHOLE
    return not is_whole(index) and not (len(parts) > 1 and is_all_of(index, size))


def is_all_of(index, size):
    """Return True for a slice with the bounds of a dimension, neither of them a number of the program."""
    start, stop, step = index.start, index.stop, index.step
    return start in (None, 0) and type(stop) is int and stop >= size and step in (None, 1)


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
