"""Products, normalisation, embedding and attention, for the layout torch.jagged."""

import tensh as torch
from tensh.nested.core import Nested, elements_of, nest
from tensh.nested.jagged.creation import view_jagged
from tensh.nested.jagged.dims import ReducedDims, agree, require_plain
from tensh.nested.jagged.form import NestedTensor, parts
from tensh.nested.jagged.padding import pad, pad_values, padded_width, unpad
from tensh.nested.jagged.views import transpose
from tensh.nested.labels import label
from tensh.nested.strided import join
from tensh.nested.strided.layers import attend


# ── products ─────────────────────────────────────────────────────────────────
def linear(func, input, weight, bias=None):
    """Apply a linear map to all rows."""
    require_plain(input, "linear")
    return nest(label(func(elements_of(input), weight, bias), "LinearBackward0"), input._form)


def matmul(func, input, other):
    """Multiply matrices if the result keeps one ragged dimension."""
    a, b = isinstance(input, Nested), isinstance(other, Nested)
    if a and b:
        if input.ndim > 3 and other.ndim > 3 and agree(input, other._size):
            return nest(label(elements_of(input) @ elements_of(other), "MatmulBackward0"), input._form)
        if (
            input.ndim == other.ndim == 3
            and (input._form.ragged, other._form.ragged) == (2, 1)
            and input._form.symbol == other._form.symbol
        ):
            return label(torch.stack([x @ y for x, y in zip(parts(input), parts(other))]), "MatmulBackward0")
    elif a and input._form.ragged < input.ndim - 1:
        if input.ndim >= 3 and input.ndim == other.dim():
            return multiply_padded(input, lambda padded: padded @ other)
        if other.dim() == 2 and input.ndim > 2:
            return nest(label(elements_of(input) @ other, "MatmulBackward0"), input._form)
    elif b and other._form.ragged >= 2:
        if other.ndim >= 3 and other.ndim == input.dim():
            return multiply_padded(other, lambda padded: input @ padded)
        if input.dim() == 2 and other.ndim > 2:
            return nest(label(input @ elements_of(other), "MatmulBackward0"), other._form)
    if not a:
        raise AttributeError("'Tensor' object has no attribute '_size'")
    raise RuntimeError(f"matmul(): not supported between inputs of shapes {input._size} and {other.shape}")


def multiply_padded(nested, product):
    form, width = nested._form, padded_width(nested)
    size = [width if d == form.ragged else n for d, n in enumerate(nested._size)]
    padded = product(pad(None, nested, 0.0, size))
    return unpad(padded, form, elements_of(nested).shape[form.ragged - 1])


def multiply_batches(func, input, mat2):
    """Compute ``bmm``."""
    for name, each in (("input", input), ("mat2", mat2)):
        if not isinstance(each, torch.Tensor):
            raise TypeError(f"bmm(): argument '{name}' (position 1) must be Tensor, not {type(each).__name__}")
        if each.dim() != 3:
            raise ValueError(f"bmm(): {name} must be 3D")
    return matmul(func, input, mat2)


def embedding(func, input, weight, *args, **kwargs):
    """Return a row of the weight for each element."""
    require_plain(input, "embedding")
    return nest(func(elements_of(input), weight, *args, **kwargs), input._form)


def convolve(func, input, weight, bias=None, *args, **kwargs):
    """Convolve each entry along the ragged dimension, which is the length."""
    require_plain(input, "convolution")
    return nest(func(elements_of(input), weight, bias, *args, **kwargs), input._form)


# ── normalisation ────────────────────────────────────────────────────────────
def softmax(func, input, dim=None, *args, dtype=None, **kwargs):
    """Compute the softmax along any dimension except the first."""
    form, where = input._form, ReducedDims(input, [dim])
    options = {} if dtype is None else {"dtype": dtype}
    if where.batch:
        raise RuntimeError("softmax(): not supported when reducing across the batch dimension for NestedTensor")
    if where.ragged and form.ragged > 1:
        raise RuntimeError(
            "softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 for NestedTensor"
        )
    if where.ragged and form.lengths is not None:
        raise RuntimeError(
            "softmax(): not supported where lengths is not None if reducing across the ragged dimension for NestedTensor"
        )
    if where.ragged:
        rows = pad_values(elements_of(input), form, float("-inf"), form.extreme("max_seqlen"))
        found = elements_of(unpad(torch.softmax(rows, 1, **options), form, elements_of(input).shape[0]))
        return nest(label(found, "SoftmaxBackward0"), form)
    return nest(torch.softmax(elements_of(input), where.inner[0], **options), form)


def log_softmax(func, input, dim=None, *args, dtype=None, **kwargs):
    """Compute the logarithm of the softmax, along any dimension except the first and the ragged one."""
    where = ReducedDims(input, [dim])
    for refused, what in ((where.batch, "across the batch"), (where.ragged, "along the ragged")):
        if refused:
            raise RuntimeError(f"log_softmax(): not supported when reducing {what} dimension for NestedTensor")
    options = {} if dtype is None else {"dtype": dtype}
    return nest(torch.log_softmax(elements_of(input), where.inner[0], **options), input._form)


def layer_norm(func, input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalise the last dimensions, which may include the ragged one."""
    form = input._form
    if input.ndim <= 2:
        raise RuntimeError("layer_norm(): not supported for NestedTensor objects with 2 or fewer dimensions")
    if len(normalized_shape) == input.ndim:
        raise RuntimeError("layer_norm(): not supported when normalizing over the batch dimension for NestedTensor")
    if form.symbol not in list(normalized_shape):
        return nest(func(elements_of(input), normalized_shape, weight, bias, eps), form)
    if form.lengths is not None:
        raise RuntimeError(
            "layer_norm(): not supported where lengths is not None if operating on the ragged dimension for NestedTensor"
        )
    made = [normalize(part, eps) for part in parts(input)]
    return nest(label(torch.cat(made, form.ragged - 1), "NativeLayerNormBackward0"), form)


def normalize(part, eps):
    centred = part - part.mean()
    return centred / (centred.square().mean() + eps).sqrt()


def rms_norm(func, input, normalized_shape, weight=None, eps=None):
    """Normalise by the root of the mean of squares, over dimensions after the ragged one."""
    if len(normalized_shape) > input.ndim - input._form.ragged - 1:
        raise ValueError("rms_norm(): Normalization over the ragged dim not supported for nested tensors")
    return nest(func(elements_of(input), normalized_shape, weight, eps), input._form)


# ── attention ────────────────────────────────────────────────────────────────
def attention(func, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Compute the attention of each tensor to those of key and value: (batch, heads, ragged, size)."""
    require_fitting(query, key, value, attn_mask)
    if query.ndim > 3 and key.ndim > 3 and value.ndim > 3 and query._form.ragged == 1:
        found = func(
            elements_of(query),
            elements_of(key),
            elements_of(value),
            dropout_p=dropout_p,
            is_causal=is_causal,
            scale=scale,
        )
        return view_like(found, query)
    turned = [transpose(None, each, 1, 2) for each in (query, key, value)]
    if is_causal or not all(each._form.lengths is None and elements_of(each).is_contiguous() for each in turned):
        raise RuntimeError("No viable backend for scaled_dot_product_attention was found.")
    split = [join([part.transpose(0, 1) for part in parts(each)]) for each in turned]
    found = attend(*split, dropout_p, scale)
    rows = torch.cat([part.transpose(0, 1) for part in found.unbind()])
    return transpose(None, view_like(rows, turned[0]), 1, 2)


def view_like(values, nested):
    form = nested._form
    seqlens = form.seqlens
    return view_jagged(values, form.offsets, form.lengths, 1, seqlens.get("min_seqlen"), seqlens.get("max_seqlen"))


def require_fitting(query, key, value, attn_mask):
    """Raise ValueError for operands that do not fit."""
    given = {"query": query, "key": key, "value": value}

    def refuse(what, fact, ends="instead"):
        facts = ", ".join(
            f"{'and ' if name == 'value' else ''}{name}.{fact}: {getattr(each, fact)}" for name, each in given.items()
        )
        raise ValueError(f"Expected query, key, and value to {what}, but got {facts} {ends}.")

    if not all(isinstance(each, NestedTensor) for each in given.values()):
        refuse("be nested tensors", "is_nested")
    if len({each.dtype for each in given.values()}) > 1:
        refuse("have the same dtype", "dtype")
    dims = [each.ndim for each in given.values()]
    if min(dims) < 3:
        raise ValueError(
            "Expected query, key, and value to all be at least 3 dimensional, but got query.dim: "
            f"{dims[0]}, key.dim: {dims[1]} and value.dim: {dims[2]} instead."
        )
    ragged = [each._form.ragged for each in given.values()]
    if len(set(ragged)) > 1:
        raise ValueError(
            "Expected query, key, and value to all be ragged on the same dimension, but got ragged dims "
            f"{ragged[0]}, {ragged[1]}, and {ragged[2]}, respectively."
        )
    if attn_mask is not None:
        raise ValueError("Masks are not yet supported!")


LAYERS = {
    "linear": linear, "matmul": matmul, "__matmul__": matmul, "__rmatmul__": matmul, "bmm": multiply_batches, **dict.fromkeys("conv1d conv2d conv3d".split(), convolve), "embedding": embedding,
    "softmax": softmax, "log_softmax": log_softmax, "layer_norm": layer_norm, "rms_norm": rms_norm, "scaled_dot_product_attention": attention,
}  # fmt: skip
