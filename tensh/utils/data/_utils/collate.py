"""Collation: how samples of each kind are combined into a batch."""

import copy
import re
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import numpy as np

from tensh.engine import find_public
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.dtypes.dtype import float64
from tensh.utils.data.worker_info import get_worker_info

as_tensor, empty, stack, tensor = map(find_public, "as_tensor empty stack tensor".split())
MESSAGE = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
np_str_obj_array_pattern = re.compile("[SaUO]")  # what libraries tell arrays without numbers by
WITHOUT_NUMBERS = "SUaO"  # kinds of NumPy arrays: strings, bytes and objects


def default_convert(data):
    """NumPy's arrays and numbers within ``data`` as tensors; all else as it is, tuples as lists.

    What a loader does with a sample where it makes no batches.

    >>> import numpy as np
    >>> from tensh.utils.data import default_convert
    >>> default_convert({"x": np.ones(2), "name": "a"})
    {'x': tensor([1., 1.], dtype=torch.float64), 'name': 'a'}
    """
    if isinstance(data, Tensor | str):
        return data
    if type(data).__module__ == "numpy":
        has_numbers = type(data) is not np.ndarray or data.dtype.kind not in WITHOUT_NUMBERS
        return as_tensor(data) if has_numbers else data
    if isinstance(data, Mapping):
        return mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, bytes):
        return sequence_like(data, [default_convert(item) for item in data])
    return data


def default_collate(batch):
    """Return a list of samples as one batch: a new first dimension in every tensor.

    Tensors are stacked; NumPy's arrays and numbers, floats (as float64) and ints become tensors; strings stay a list.
    Mappings are collated key by key, named tuples and sequences item by item, where tuples become lists.  Raise TypeError
    for anything else, RuntimeError for sequences or tensors of different sizes.

    >>> from tensh.utils.data import default_collate
    >>> default_collate([{"x": 1.5, "name": "a"}, {"x": 2.5, "name": "b"}])
    {'x': tensor([1.5000, 2.5000], dtype=torch.float64), 'name': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch, *, collate_fn_map=None):
    """Collate samples by the functions of a table: the first whose type, or tuple of types, fits the first sample.

    Each is called with the samples and ``collate_fn_map``.  Mappings and sequences of types that are not in the table are
    collated item by item.
    """
    first = batch[0]
    function = function_for(first, collate_fn_map or {})
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        items = {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        return mapping_like(first, items)
    if isinstance(first, Sequence):
        is_named = isinstance(first, tuple) and hasattr(first, "_fields")
        if not is_named and any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
        return type(first)(*columns) if is_named else sequence_like(first, columns)
    raise TypeError(MESSAGE.format(type(first)))


def function_for(sample, table):
    """Return the function of a table for a sample, or None."""
    if type(sample) in table:
        return table[type(sample)]
    return next((function for kind, function in table.items() if isinstance(sample, kind)), None)


# ── containers ───────────────────────────────────────────────────────────────
def mapping_like(model, items):
    """``items`` in a mapping of the type of ``model``, or in a dict where that cannot be made."""
    try:
        if not isinstance(model, MutableMapping):
            return type(model)(items)
        new = copy.copy(model)  # the copy keeps other attributes of the sample
        new.update(items)
        return new
    except TypeError:
        return items


def sequence_like(model, items):
    """``items`` in a sequence of the type of ``model``, or in a list where that cannot be made; for tuples a list."""
    if isinstance(model, tuple):
        return items
    try:
        if not isinstance(model, MutableSequence):
            return type(model)(items)
        new = copy.copy(model)
        for i, item in enumerate(items):
            new[i] = item
        return new
    except TypeError:
        return items


# ── each kind of sample ──────────────────────────────────────────────────────
def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Tensors stacked; in a worker without a history, which no process can send to another."""
    first = batch[0]
    if first.is_nested or type(first.array) in SPARSE:
        raise RuntimeError(
            f"Batches of {'nested' if first.is_nested else 'sparse'} tensors are not currently supported by the default "
            "collate_fn; please provide a custom collate_fn to handle them appropriately."
        )
    out = None if get_worker_info() is None else empty((len(batch), *first.shape), dtype=first.dtype)
    return stack(batch, 0, out=out)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """Arrays as tensors, collated by the table; TypeError for arrays of strings and objects."""
    if batch[0].dtype.kind in WITHOUT_NUMBERS:
        raise TypeError(MESSAGE.format(batch[0].dtype))
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """NumPy's numbers as a tensor of their dtype."""
    return as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Floats as a tensor of float64."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Ints as a tensor of int64, bools as one of bool."""
    return tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Return strings unchanged."""
    return batch


default_collate_fn_map = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
