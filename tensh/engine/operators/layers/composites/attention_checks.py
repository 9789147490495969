"""PyTorch's errors for operands of attention that do not fit each other."""

from tensh.engine.arrays.absent import is_absent
from tensh.engine.dtypes.dtype import BY_NUMPY, bool_, float32
from tensh.engine.operators.forms import require


def check_operands(query, key, value, attn_mask):
    """Raise PyTorch's errors for operands of different dtypes, devices or dimensions."""
    q, k, v = query.array, key.array, value.array
    alike = q.dtype is k.dtype is v.dtype and type(q) is type(k) is type(v)
    if not alike or q.dtype.kind not in "fV" or q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        refuse_operands({"query": query, "key": key, "value": value})
    if attn_mask is None:
        return
    require(attn_mask, "scaled_dot_product_attention", "attn_mask", 4)
    if attn_mask.dtype not in (bool_, float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{attn_mask.dtype.spoken} and  query.dtype: {query.dtype.spoken} instead."
        )


def refuse_operands(given):
    """Raise PyTorch's errors for queries, keys and values that do not fit each other."""
    if len({t.dtype for t in given.values()}) > 1:
        kinds = [f"{name}.dtype: {t.dtype.spoken}" for name, t in given.items()]
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got {kinds[0]} {kinds[1]} and {kinds[2]} instead."
        )
    if {is_absent(t) for t in given.values()} == {True, False}:
        places = [f"{name}.device: {t.device}" for name, t in given.items()]
        raise RuntimeError(
            "Expected query, key, and value to have the same device type, but got "
            f"{places[0]} {places[1]} and {places[2]} instead."
        )
    dtype = given["query"].array.dtype
    if dtype.kind in "biu":
        raise RuntimeError(f"expected scalar type Float but found {BY_NUMPY[dtype].title}")
    if dtype.kind == "c":
        raise NotImplementedError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{BY_NUMPY[dtype].title}'")
    dims = [t.array.ndim for t in given.values()]
    if min(dims) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {dims[0]} key.dim: "
            f"{dims[1]} and value.dim: {dims[2]} instead."
        )


def check_scores(query, key, mask):
    """Raise PyTorch's error for a mask that does not broadcast to the scores."""
    scores = (*query.array.shape[:-1], key.array.shape[-2])
    for back, (n, m) in enumerate(zip(scores[::-1], mask.array.shape[::-1])):
        if n != m and m != 1:
            raise RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension {3 - back}"
            )


def check_heads(query, key, value, key_padding_mask, attn_mask, heads):
    """Return True if there is a batch dimension; raise AssertionError for shapes that do not fit."""
    dims = [t.array.ndim for t in (query, key, value)]
    if dims[0] not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {dims[0]}-D query tensor")
    batched = dims[0] == 3
    kind = "batched" if batched else "unbatched"
    if dims[1:] != dims[:1] * 2:
        raise AssertionError(
            f"For {kind} ({dims[0]}-D) `query`, expected `key` and `value` to be {dims[0]}-D but found {dims[1]}-D and "
            f"{dims[2]}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.array.ndim != dims[0] - 1:
        raise AssertionError(
            f"For {kind} ({dims[0]}-D) `query`, expected `key_padding_mask` to be `None` or {dims[0] - 1}-D but found "
            f"{key_padding_mask.array.ndim}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.array.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind} ({dims[0]}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.array.ndim}-D tensor instead"
        )
    if not batched and attn_mask is not None and attn_mask.array.ndim == 3:
        expected = heads, query.array.shape[0], key.array.shape[0]
        if attn_mask.array.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return batched


def check_sources(key, value, separate):
    """Raise AssertionError for a key and a value of different shapes."""
    if separate:
        if key.array.shape[:2] != value.array.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
    elif key.array.shape != value.array.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def check_padding(mask, batch, columns):
    """Raise AssertionError for a ``key_padding_mask`` of another size."""
    for dim, (found, expected) in enumerate(zip(mask.array.shape, (batch, columns))):
        if found != expected:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {expected}, but got {found}")


def check_mask(mask, shape):
    if mask.array.shape != shape:
        raise RuntimeError(f"The shape of the {mask.array.ndim}D attn_mask is {mask.shape}, but should be {shape}.")
