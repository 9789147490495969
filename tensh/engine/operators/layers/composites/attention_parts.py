"""Private functions of PyTorch's ``nn.functional`` that custom attention layers call."""

from tensh.engine.operators.layers.composites.attention import dtype_of_mask, float_mask, in_projection_packed
from tensh.engine.operators.layers.composites.attention_checks import check_heads, check_padding
from tensh.engine.operators.layers.composites.projection import linear


def canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """Return a mask as numbers to add; warn if its dtype differs from ``other_type``, where that is to be checked."""
    return float_mask(mask, mask_name, target_type, other_type if check_other else None, other_name)


def in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Apply a linear layer to query, key and value each; raise AssertionError for weights and biases of other shapes."""
    size, sizes = q.size(-1), (q.size(-1), k.size(-1), v.size(-1))
    for name, weight, columns in zip(("query", "key", "value"), (w_q, w_k, w_v), sizes):
        if weight.shape != (size, columns):
            raise AssertionError(f"expecting {name} weights shape of {(size, columns)}, but got {weight.shape}")
    for name, bias in (("query", b_q), ("key", b_k), ("value", b_v)):
        if bias is not None and bias.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {bias.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def check_key_padding_mask(key_padding_mask, src_len, bsz):
    """Raise AssertionError for a padding mask of another size."""
    check_padding(key_padding_mask, bsz, src_len)


PARTS = {
    "_canonical_mask": canonical_mask,
    "_check_key_padding_mask": check_key_padding_mask,
    "_in_projection": in_projection,
    "_in_projection_packed": in_projection_packed,
    "_mha_shape_check": check_heads,
    "_none_or_dtype": dtype_of_mask,
}
"""Name in PyTorch -> function."""
