"""Metadata of nested tensors in the layout torch.jagged."""

from math import prod

import tensh as torch
from tensh.engine.dtypes.size import size_of
from tensh.engine.errors.messages import wrap_dim
from tensh.nested.core import elements_of
from tensh.nested.labels import label


def size(func, input, dim=None):
    """Return all sizes, or one."""
    return size_of(input._size) if dim is None else input._size[wrap_dim(dim, input.ndim)]


def stride(func, input, dim=None):
    return input._strides if dim is None else input._strides[wrap_dim(dim, input.ndim)]


def count_dims(func, input):
    return input.ndim


def count_elements(func, input):
    form, values = input._form, elements_of(input)
    if form.lengths is None:
        return values.numel()
    return int(form.lengths.sum()) * prod(n for d, n in enumerate(values.shape) if d != form.ragged - 1)


def count_tensors(func, input):
    return input._size[0]


def is_contiguous(func, input, memory_format=torch.contiguous_format):
    return input._form.lengths is None and elements_of(input).is_contiguous(memory_format=memory_format)


def values(func, input):
    """Return the values, a view."""
    return label(elements_of(input).view_as(elements_of(input)), "NestedGetValuesBackward0")


def same_size(func, input, other):
    return input._size == other._size


def read_number(func, input):
    """Raise PyTorch's error for ``item``, which nested tensors lack even for a single element."""
    count = count_elements(None, input)
    if count == 1:
        raise NotImplementedError("aten._local_scalar_dense.default")
    if func.__name__ == "__bool__":
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    raise RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")


FACTS = {
    "size": size, "stride": stride, "dim": count_dims, "ndimension": count_dims, "numel": count_elements, "nelement": count_elements,
    "__len__": count_tensors, "is_contiguous": is_contiguous, "values": values, "_nested_get_values": values, "is_same_size": same_size,
    **dict.fromkeys("item __bool__ __float__ __int__ __index__ __complex__".split(), read_number),
}  # fmt: skip
