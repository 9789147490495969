"""Metadata of nested tensors in the layout torch.strided."""

from math import prod

from tensh.nested.core import NO_SIZES, Nested, elements_of
from tensh.nested.labels import label
from tensh.nested.strided.form import StridedNested


def count_all(form):
    return sum(map(prod, form.sizes))


def size(func, input, dim=None):
    """Return the size of one dimension; raise an error without a dimension."""
    if dim is None:
        raise RuntimeError(NO_SIZES)
    return input._form.size(dim)


def refuse_strides(func, input, dim=None):
    raise RuntimeError("Internal error: NestedTensorImpl doesn't support strides. Please file an issue.")


def count_dims(func, input):
    return input._form.ndim


def count_elements(func, input):
    return count_all(input._form)


def is_contiguous(func, input, memory_format=None):
    return input._form.contiguous


def values(func, input):
    """Return the buffer."""
    return label(elements_of(input).view(-1), "ValuesBackwardAutogradNestedTensor0")


def read_number(func, input):
    """Raise PyTorch's error for ``item``, which nested tensors lack even for a single element."""
    count = count_elements(None, input)
    if count == 1:
        raise StridedNested.lacks("_local_scalar_dense", (input,), {})
    if func.__name__ == "__bool__":
        raise RuntimeError(
            f"Boolean value of Tensor with {'more than one' if count else 'no'} value{'' if count else 's'} is ambiguous"
        )
    raise RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")


def same_size(func, input, other):
    if not (isinstance(input, Nested) and isinstance(other, Nested)):
        self, second = ("" if isinstance(each, Nested) else "not " for each in (input, other))
        raise RuntimeError(
            f"Expected both self and other to be nested tensors. Self is {self}nested. While Other is {second}nested."
        )
    return input._form.sizes == other._form.sizes


FACTS = {
    "size": size, "stride": refuse_strides, "tolist": refuse_strides, "dim": count_dims, "ndimension": count_dims, "numel": count_elements,
    "nelement": count_elements, "is_contiguous": is_contiguous, "values": values, "is_same_size": same_size,
    **dict.fromkeys("item __bool__ __float__ __int__ __index__ __complex__".split(), read_number),
}  # fmt: skip
