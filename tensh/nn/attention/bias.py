"""torch.nn.attention.bias: causal masks of attention, defined by their sizes alone."""

import enum

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.nn import functional as F

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """The corner to which the diagonal of a non-square causal mask is aligned: the upper left or the lower right."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask [seq_len_q, seq_len_kv] for ``scaled_dot_product_attention``, without its elements.

    It prints as the mask; its own elements mean nothing, as in PyTorch. Warn about queries that see no key. Raise
    AssertionError for a ``variant`` of another type.

    >>> import tensh as torch
    >>> from tensh.nn.attention.bias import CausalBias, CausalVariant
    >>> CausalBias(CausalVariant.LOWER_RIGHT, 1, 2)
    tensor([[True, True]])
    """

    def __init__(self, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")

    def _materialize(self, device=None):
        offset = 0 if self.variant is CausalVariant.UPPER_LEFT else self.seq_len_kv - self.seq_len_q
        shape = self.seq_len_q, self.seq_len_kv
        return find_public("ones")(shape, dtype=bool, device=device).tril(offset)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is F.scaled_dot_product_attention:
            return attend(*args, **kwargs or {})
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self):
        return repr(self._materialize())


def attend(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Compute attention under a ``CausalBias``: by the flag ``is_causal`` where that is equivalent."""
    if is_causal:
        raise ValueError("CausalBias should not be used with causal=True")
    flag = attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant is CausalVariant.UPPER_LEFT
    return F.scaled_dot_product_attention(
        query, key, value, None if flag else attn_mask._materialize(query.device), dropout_p, flag, scale=scale,
        enable_gqa=enable_gqa,
    )  # fmt: skip


def causal_upper_left(*size):
    """Make the causal mask [queries, keys] whose diagonal begins in the upper left corner, as with ``is_causal=True``.

    Raises AssertionError unless there are two sizes.

    >>> import tensh as torch
    >>> torch.nn.attention.bias.causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *require_two(size, "causal_upper_left"))


def causal_lower_right(*size):
    """Make the causal mask [queries, keys] whose diagonal ends in the lower right corner: the last query sees all keys.

    Raises AssertionError unless there are two sizes.

    >>> import tensh as torch
    >>> q, k = torch.ones(1, 2, 4), torch.ones(1, 3, 4)
    >>> mask = torch.nn.attention.bias.causal_lower_right(2, 3)
    >>> torch.nn.functional.scaled_dot_product_attention(q, k, k, mask).shape
    torch.Size([1, 2, 4])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *require_two(size, "causal_lower_right"))


def require_two(size, name):
    """Return the sizes of a mask, which must be two."""
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return size
