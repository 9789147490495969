"""Products, softmax, normalisation and attention, for the layout torch.strided."""

from math import sqrt

import tensh as torch
from tensh.nested.core import Nested, elements_of, make_own, nest, write_elements
from tensh.nested.labels import label
from tensh.nested.strided.form import (
    StridedForm,
    StridedNested,
    contiguous,
    each_part,
    join,
    parts,
    require_contiguous,
    show_numbers,
)


# ── reductions ───────────────────────────────────────────────────────────────
def sum_last(func, input, dim=None, keepdim=False, *, dtype=None):
    """Sum along the last dimension, which is kept."""
    if dim is None:
        raise StridedNested.lacks("sum", (input,), {})
    if dtype is not None:
        raise RuntimeError("NestedTensor does not support dtype argument for now.")
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if len(dims) != 1:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    wrapped = input._form.wrap(dims[0])
    if wrapped != input._form.ndim - 1:
        raise RuntimeError(
            f"NestedTensor can only be reduced across the last dimension for now got dimension {wrapped} instead."
        )
    require_contiguous(input, "NestedTensor does not support reductions when the input is noncontiguous for now.")
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return each_part(lambda part: part.sum(-1, keepdim=True), input, "SumBackwardAutogradNestedTensor1")


def softmax(func, input, dim=None, *args, dtype=None, **kwargs):
    """Compute the softmax of every tensor."""
    wrapped = input._form.wrap(dim)
    if not wrapped:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return each_part(lambda part: torch.softmax(part, wrapped - 1, dtype=dtype), contiguous(input), "SoftmaxBackward0")


# ── products ─────────────────────────────────────────────────────────────────
def linear(func, input, weight, bias=None):
    """Apply a linear map to all rows."""
    ndim = input._form.ndim
    if ndim != 3 or weight.dim() != 2:
        raise RuntimeError(
            "Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. "
            f"Nested tensor dim: {ndim}. Dense tensor dim: {weight.dim()}"
        )
    require_contiguous(input, "for now linear only supports contiguous nested tensor")
    last = input._form.last_size()
    if last != weight.size(1):
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' to equal 'weight.size(1), "
            f"but got: last_dim = {last}, and weight.size(1) = {weight.size(1)}"
        )
    rows = elements_of(contiguous(input)).view(-1, last)
    form = StridedForm([(*size[:-1], weight.size(0)) for size in input._form.sizes])
    return nest(label(make_own(func(rows, weight, bias).view(-1)), "LinearBackward0"), form)


def multiply(name):
    """Make a rule that multiplies matrices tensor by tensor."""

    def rule(func, input, other):
        kinds = ["nested" if isinstance(each, Nested) else "non-nested" for each in (input, other)]
        if name == "matmul" and "non-nested" in kinds:
            raise RuntimeError(f"Expected both to be nested, but got a {kinds[0]} self and {kinds[1]} other")
        for number, each in ((1, input), (2, other)):
            if name == "bmm" and each.dim() != 3:
                raise RuntimeError(f"batch{number} must be a 3D tensor")
            if each.dim() < 3:
                raise RuntimeError(
                    f"{name}: For nested tensors, only inputs with >= 3 dims are currently supported. "
                    f"{['1st', '2nd'][number - 1]} input has rank: {each.dim()}"
                )
        require_fitting(name, input, other)
        pairs = zip(*(parts(each) if isinstance(each, Nested) else each.unbind() for each in (input, other)))
        return join([one @ two for one, two in pairs], f"{name.title()}Backward0")

    return rule


def require_fitting(name, input, other):
    """Raise RuntimeError for matrices that cannot be multiplied."""
    if input.dim() != other.dim():
        raise RuntimeError("matmul: both inputs must have the same rank")
    counts = len(sizes_of(input)), len(sizes_of(other))
    if counts[0] != counts[1]:
        raise RuntimeError(
            f"Expected size for the 1st dimension of batch2 tensor to be: {counts[0]} but got: {counts[1]}."
        )
    pairs = zip(sizes_of(input), sizes_of(other), strict=False)
    if all(one[-1] == two[-2] for one, two in pairs):
        return
    if name == "bmm":
        sizes = enumerate(zip(sizes_of(input), sizes_of(other)))
        number, (one, two) = next((i, pair) for i, pair in sizes if pair[0][-1] != pair[1][-2])
        raise RuntimeError(
            f"{number}-th nested matrices in batch cannot be multiplied ({one[0]}x{one[1]} and {two[0]}x{two[1]})"
        )
    last, second = ([each[d] for each in sizes_of(of)] for of, d in ((input, -1), (other, -2)))
    raise RuntimeError(
        "matmul: Nested tensors cannot be matrix multiplied, last dimension of self has sizes"
        f"{show_numbers(last)}second last dimension of mat2 has sizes{show_numbers(second)}"
    )


def sizes_of(value):
    return value._form.sizes if isinstance(value, Nested) else [each.shape for each in value]


# ── layers ───────────────────────────────────────────────────────────────────
def layer_norm(func, input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalise the last dimensions."""
    if weight is None or bias is None:
        raise ValueError("NestedTensor layer_norm requires weight and bias")
    if tuple(normalized_shape) != tuple(weight.shape):
        raise RuntimeError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} and "
            f"normalized_shape = {list(normalized_shape)}"
        )
    require_contiguous(input, NOT_CONTIGUOUS)
    require_regular(input, normalized_shape)
    result = make_own(
        func(elements_of(input).view(-1, *normalized_shape), normalized_shape, weight, bias, eps).view(-1)
    )
    return nest(label(result, "NativeLayerNormBackward0"), input._form)


NOT_CONTIGUOUS = (
    "Expected nested_tensor_impl_is_contiguous(nt_input) to be true, but got false.  (Could this error message be improved?  If so, "
    "please report an enhancement request to PyTorch.)"
)


def require_regular(input, normalized_shape):
    """Raise RuntimeError if the last dimensions vary, or differ from the given ones."""
    sizes, count = input._form.sizes, len(normalized_shape)
    if count >= input._form.ndim or len({size[-count:] for size in sizes}) > 1:
        raise RuntimeError("normalized_shape extends into irregular dimensions for the nested tensor")
    for d, (n, wanted) in enumerate(zip(sizes[0][-count:], normalized_shape)):
        if n != wanted:
            raise RuntimeError(f"The shape at dimension {d}of normalized_shape doesn't match the input")


def dropout(func, input, p=0.5, training=True, inplace=False):
    """Apply dropout to all elements."""
    if inplace:
        return write_elements(func, input, p, training, True)
    found = torch.native_dropout(elements_of(input), p, True)[0] if training else elements_of(input).clone()
    return nest(label(found, "NativeDropoutBackward0"), input._form)


def embedding(func, input, weight, *args, **kwargs):
    """Return a row of the weight for each element."""
    if input._form.ndim > 2:
        raise RuntimeError(
            "Expected indices.dim() < 3 to be true, but got false.  (Could this error message be improved?  If so, please report an "
            "enhancement request to PyTorch.)"
        )
    input = contiguous(input)
    result = func(elements_of(input), weight, *args, **kwargs)
    return nest(
        label(make_own(result.view(-1)), "EmbeddingBackward0"),
        StridedForm([(*size, weight.size(1)) for size in input._form.sizes]),
    )


def attention(func, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Compute the attention of each tensor to the corresponding tensors of key and value."""
    given = (query, key, value)
    if attn_mask is not None:
        raise RuntimeError(
            "Scaled_dot_product_attention: Nested tensors for query / key are not supported when an explicit attn_mask is set"
        )
    if not all(each._form.contiguous for each in given if isinstance(each, Nested)):
        raise RuntimeError("scaled_dot_product_attention: If inputs are nested tensors they must be contiguous")
    if is_causal:
        raise RuntimeError(
            "_scaled_dot_product_attention: Nested tensors for query / key are not supported when is_causal=True"
        )
    require_all_nested(given)
    return attend(query, key, value, dropout_p, scale)


def require_all_nested(given):
    """Raise RuntimeError unless query, key and value are nested."""
    kinds = ["nested" if isinstance(each, Nested) else "non-nested" for each in given]
    if "non-nested" in kinds:
        other = kinds[1] if kinds[1] != kinds[0] else kinds[2]
        raise RuntimeError(f"Expected both to be nested, but got a {kinds[0]} self and {other} other")


def attention_layer(func, query, *args, need_weights=True, average_attn_weights=True, **kwargs):
    """Compute the multi-head attention of each tensor to itself; its weights are padded with zeros."""
    found = [
        func(
            part, part, part, *args[2:], need_weights=need_weights, average_attn_weights=average_attn_weights, **kwargs
        )
        for part in parts(query)
    ]
    outputs = join([output for output, _ in found])
    if not need_weights:
        return outputs, None
    width = max(weights.shape[-1] for _, weights in found)
    rows = [torch.nn.functional.pad(weights, (0, width - weights.shape[-1]) * 2) for _, weights in found]
    return outputs, torch.stack(rows)


def attend(query, key, value, dropout_p, scale):
    """Compute softmax(query key / sqrt(size)) value, in steps on nested tensors."""
    factor = sqrt(1 / sqrt(query._form.size(-1)) if scale is None else scale)
    weights = torch.softmax(torch.matmul(query * factor, key.transpose(-2, -1) * factor), -1)
    if dropout_p:
        weights = torch.nn.functional.dropout(weights, dropout_p)
    return torch.matmul(weights, value)


LAYERS = {
    "sum": sum_last, "softmax": softmax, "linear": linear, "matmul": multiply("matmul"), "__matmul__": multiply("matmul"),
    "bmm": multiply("bmm"), "layer_norm": layer_norm, "dropout": dropout, "embedding": embedding, "scaled_dot_product_attention": attention,
    "multi_head_attention_forward": attention_layer,
}  # fmt: skip
