"""Dimensions of jagged nested tensors as dimensions of their values, or the refusal of an operation."""

from tensh.engine.errors.messages import wrap_dim


def inner_dim(nested, dim, name, more=0, ragged=False):
    """Return the dimension of the values; RuntimeError for the first, and for the ragged one unless ``ragged``."""
    wrapped = wrap_dim(dim, nested.ndim + more)
    if wrapped == nested._form.ragged and not ragged:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    if not wrapped:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    return wrapped - 1


PLAIN = {
    "split": ("split_tensor", "self: jt, split_size: any, dim: any?"),
    "split_with_sizes": ("split_with_sizes_default", "self: jt, split_sizes: any, dim: any?"),
    "narrow": ("narrow", "self: jt, dim: any, start: any, length: any"),
    "chunk": ("chunk_default", "self: jt, chunks: any, dim: any?"),
    "squeeze": ("squeeze_dim", "self: jt, dim: any"),
    "slice": ("slice_tensor", "self: jt, dim: any?, start: any?, end: any?, step: any?"),
    "dropout": ("native_dropout_default", "self: jt, float: any, train: any?"),
    "masked_select": ("masked_select_default", "self: jt, mask: any"),
    "linear": ("linear_default", "input: jt, weight: t, bias: t?"),
    "embedding": (
        "embedding_default",
        "weight: t, indices: jt, padding_idx: any?, scale_grad_by_freq: any?, sparse: any?",
    ),
    "convolution": (
        "convolution_default",
        "input: jt, weight: t, bias: t?, stride: any, padding: any, dilation: any, transposed: any, output_padding: any, groups: any",
    ),
}
"""Operations that require no holes and a ragged second dimension: PyTorch's rule and signature."""


def require_plain(nested, name):
    """Raise ValueError for a nested tensor with holes, or with a ragged dimension other than the second."""
    if nested._form.lengths is not None or nested._form.ragged != 1:
        rule, schema = PLAIN[name]
        what = next(each.partition(":")[0] for each in schema.split(", ") if each.endswith(": jt"))
        raise ValueError(
            f"NestedTensor {rule}({schema}): expected {what} to be a contiguous jagged layout NestedTensor"
        )


def to_inner(nested, wrapped):
    """Return the dimension of the values for a non-negative number: the first is part of the ragged one."""
    return nested._form.ragged - 1 if wrapped == 0 else wrapped - 1


def agree(nested, size):
    """Return True if the sizes up to the ragged dimension are those of the tensor, or -1."""
    end = nested._form.ragged + 1
    own, other = nested._size[:end], tuple(size)[:end]
    return len(own) == len(other) and all(mine == n or n == -1 for mine, n in zip(own, other))


class ReducedDims:
    """The kinds of dimensions in an operation: the first, the ragged one, others."""

    def __init__(self, nested, dims):
        wrapped = [wrap_dim(dim, nested.ndim) for dim in dims]
        self.batch, self.ragged = 0 in wrapped, nested._form.ragged in wrapped
        self.others = any(dim not in (0, nested._form.ragged) for dim in wrapped)
        self.inner = list(dict.fromkeys(to_inner(nested, dim) for dim in wrapped))
