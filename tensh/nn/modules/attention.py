"""Multi-head attention (Vaswani et al., 2017)."""

from tensh.engine import find_public
from tensh.engine.operators.forms import require
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.linear import NonDynamicallyQuantizableLinear
from tensh.nn.modules.module import Module
from tensh.nn.modules.nested_attention import require_nested
from tensh.nn.parameter import Parameter


def require_mask(mask):
    """Raise TypeError for a mask that is not a tensor. PyTorch checks the masks before anything else."""
    if mask is not None:
        require(mask, "is_floating_point", "input", 1)


class MultiheadAttention(Module):
    """Multi-head attention (Vaswani et al., 2017): ``softmax(Q Kᵀ / sqrt(width)) V`` on projections of each.

    Shapes: query [L, N, embed_dim], key [S, N, kdim], value [S, N, vdim], output in the shape of the query, weights [N,
    L, S], or [N, heads, L, S] unless averaged; with ``batch_first`` N comes first, and without a batch it is left out.
    ``forward`` describes the masks. ``dropout`` zeroes weights in training, ``bias=False`` leaves out the biases;
    ``add_bias_kv`` appends a learnt key and value to each sequence, ``add_zero_attn`` zeros. Raise ValueError unless
    embed_dim and num_heads are positive, AssertionError unless num_heads divides embed_dim.

    >>> import tensh as torch
    >>> x = torch.ones(5, 3, 4)
    >>> output, weights = torch.nn.MultiheadAttention(4, 2)(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([5, 3, 4]), torch.Size([3, 5, 5]))
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(*shape):
            return Parameter(find_public("empty")(shape, device=device, dtype=dtype))

        widths = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        same = self._qkv_same_embed_dim
        if same:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
        for letter, width in widths.items():
            self.register_parameter(f"{letter}_proj_weight", None if same else parameter(embed_dim, width))
        if not same:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = parameter(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = parameter(1, 1, embed_dim) if add_bias_kv else None
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):  # fmt: skip
        """Return (output, weights or None); masks hide positions where they are True, or are added to the scores.

        Shapes: ``key_padding_mask`` [N, S], ``attn_mask`` [L, S] or [N * heads, L, S].
        """
        require_mask(attn_mask)
        if attn_mask is None or not attn_mask.is_floating_point():
            require_mask(key_padding_mask)
        nested = query.is_nested or key.is_nested or value.is_nested
        if nested:
            require_nested(self, query, key, value, key_padding_mask, attn_mask)
        turned = query.dim() == 3 and self.batch_first and not nested
        if turned:
            same_key, same_value = key is query, value is key
            query = query.transpose(1, 0)
            key = query if same_key else key.transpose(1, 0)
            value = key if same_value else value.transpose(1, 0)
        separate = {}
        if not self._qkv_same_embed_dim:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            separate = {"use_separate_proj_weight": True} | {name: getattr(self, name) for name in names}
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v,
            self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **separate,
        )  # fmt: skip
        return output.transpose(1, 0) if turned else output, weights

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """Merge two masks for ``query`` [N, L, E]; return (mask, its kind).

        With ``attn_mask`` the mask is [N, heads, L, L] and its kind 2. A padding mask alone has kind 1, no mask kind
        None.
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            mask = attn_mask.view(batch, -1, length, length)
        else:
            mask = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            mask = mask + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return mask, 2
