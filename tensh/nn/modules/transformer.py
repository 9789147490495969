"""Transformers (Vaswani et al., 2017): layers of attention and two linear maps, with residual connections.

Sequences are [L, N, E], with ``batch_first`` [N, L, E], and without a batch [L, E].
"""

import copy

from tensh.engine import find_public
from tensh.engine.autograd.modes import is_grad_enabled
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.layers.composites.attention import dtype_of_mask, float_mask
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.activation import GELU, ReLU
from tensh.nn.modules.attention import MultiheadAttention
from tensh.nn.modules.containers import ModuleList
from tensh.nn.modules.dropout import Dropout
from tensh.nn.modules.linear import Linear
from tensh.nn.modules.module import Module
from tensh.nn.modules.normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def activation_of(given):
    """Return a given function, or the function of a name; raise RuntimeError for an unknown name."""
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return getattr(F, given)


def _get_activation_fn(activation):
    """Return the function of a name; raise RuntimeError for any other value."""
    return activation_of(activation if isinstance(activation, str) else repr(activation))


def kind_of(activation):
    """Return PyTorch's number of an activation: 1 for relu, 2 for gelu, 0 for any other."""
    if activation is F.relu or isinstance(activation, ReLU):
        return 1
    return 2 if activation is F.gelu or isinstance(activation, GELU) else 0


def copies(module, number):
    """Return a list of copies of a module with separate parameters."""
    return ModuleList([copy.deepcopy(module) for _ in range(number)])


_get_clones = copies


def causal_mask(sz, device=None, dtype=None):
    """Return a mask [sz, sz]: 0 where a position may look (at itself and before), minus infinity elsewhere."""
    return find_public("triu")(find_public("full")((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)


def is_causal_mask(mask, hint, sequence, batch_first):
    """Return True if the mask is the causal one; a hint of the caller takes precedence."""
    if sequence.is_nested:
        return hint is True
    sizes = sequence.size()
    size = sizes[0 if len(sizes) == 2 or not batch_first else 1]
    if hint is not None or mask is None:
        return hint is True
    expected = causal_mask(size, dtype=mask.dtype)
    return mask.shape == expected.shape and bool((mask == expected).all())


# ── layers ───────────────────────────────────────────────────────────────────
class TransformerEncoderLayer(Module):
    """Self-attention, then two linear maps with an activation between them.

    Shapes: input and output [L, N, d_model], with ``batch_first`` [N, L, d_model], or [L, d_model]. With ``norm_first``
    normalisation comes before each of the two parts, otherwise after it. ``dim_feedforward`` is the width between the
    two maps, ``dropout`` the fraction of values zeroed in training, and ``layer_norm_eps`` is added to variances;
    ``bias=False`` leaves out all biases. Raise RuntimeError for an activation that is neither a function nor "relu" or
    "gelu".

    >>> import tensh as torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2)
    >>> layer(torch.ones(10, 3, 8)).shape
    torch.Size([10, 3, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        activation = activation_of(activation)
        self.activation_relu_or_gelu = kind_of(activation)
        self.activation = activation

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """Return a sequence like ``src``; masks are those of MultiheadAttention."""
        other = dtype_of_mask(src_mask), "src_mask"
        padding = float_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, *other)
        masks = float_mask(src_mask, "src_mask", src.dtype), padding, is_causal
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *masks)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, *masks))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        output, _ = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )
        return self.dropout1(output)

    def _ff_block(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, then attention to the encoder's output, then two linear maps with an activation between them.

    Shapes: ``tgt`` and output [T, N, d_model], ``memory`` [S, N, d_model]; with ``batch_first`` N comes first, and
    without a batch it is left out. ``dim_feedforward``, ``dropout``, ``layer_norm_eps``, ``norm_first`` and ``bias`` are
    those of TransformerEncoderLayer. Raise RuntimeError for an activation that is neither a function nor "relu" or
    "gelu".

    >>> import tensh as torch
    >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2)
    >>> layer(torch.ones(5, 3, 8), torch.ones(10, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        for number in (1, 2, 3):
            setattr(self, f"norm{number}", LayerNorm(d_model, eps=layer_norm_eps, **made))
        for number in (1, 2, 3):
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation_of(activation)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=False, memory_is_causal=False):  # fmt: skip
        """Return a sequence like ``tgt``; ``memory`` is the output of an encoder."""
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        others = memory, memory_mask, memory_key_padding_mask, memory_is_causal
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *others)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *others))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        output, _ = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )
        return self.dropout1(output)

    def _mha_block(self, x, memory, attn_mask, key_padding_mask, is_causal=False):
        output, _ = self.multihead_attn(
            x,
            memory,
            memory,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )
        return self.dropout2(output)

    def _ff_block(self, x):
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


# ── stacks ───────────────────────────────────────────────────────────────────
def why_padding_stays(layer):
    """Return why PyTorch would not skip padding with such layers; "" if it does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        ".norm_first was True": layer.norm_first,
        ".self_attn.batch_first was not True(use batch_first for better inference performance)": not attention.batch_first,
        ".self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        ".norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((f"encoder_layer{reason}" for reason, holds in reasons.items() if holds), "")


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other, with an optional normalisation at the end.

    Shapes: input and output [L, N, d_model], with ``batch_first`` [N, L, d_model], or [L, d_model]. ``encoder_layer``
    is copied ``num_layers`` times, ``norm`` comes last; ``enable_nested_tensor`` and ``mask_check`` are PyTorch's
    switches for speed.

    >>> import tensh as torch
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.ones(3, 10, 8)).shape
    torch.Size([3, 10, 8])
    """

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor = self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = why_padding_stays(encoder_layer)
        if enable_nested_tensor and why:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}")
            self.use_nested_tensor = False

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """Return a sequence like ``src``.  Evaluation without gradients zeroes trailing padding, as in PyTorch."""
        other = dtype_of_mask(mask), "mask"
        padding = float_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, *other)
        mask = float_mask(mask, "mask", src.dtype)
        is_causal = is_causal_mask(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if self._skips_padding(src, mask, padding):
            output = output.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _skips_padding(self, src, mask, padding):
        """Return True if PyTorch would skip the padding, and leave zeros there."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None or mask is not None:
            return False
        if is_grad_enabled() and (src.requires_grad or any(each.requires_grad for each in first.parameters())):
            return False
        hidden = padding != 0
        return not self.mask_check or not bool((hidden[:, :-1] & ~hidden[:, 1:]).any())


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other, with an optional normalisation at the end.

    Shapes: ``tgt`` and output [T, N, d_model], ``memory`` [S, N, d_model]; with ``batch_first`` N comes first, and
    without a batch it is left out. ``decoder_layer`` is copied ``num_layers`` times, ``norm`` comes last.

    >>> import tensh as torch
    >>> layer = torch.nn.TransformerDecoderLayer(8, 2)
    >>> decoder = torch.nn.TransformerDecoder(layer, num_layers=2)
    >>> decoder(torch.ones(5, 3, 8), torch.ones(10, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=None, memory_is_causal=False):  # fmt: skip
        """Return a sequence like ``tgt``; ``memory`` is the output of an encoder."""
        tgt_is_causal = is_causal_mask(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder of one sequence, and a decoder of another that attends to it (Vaswani et al., 2017).

    Shapes: ``src`` [S, N, d_model], ``tgt`` and output [T, N, d_model]; with ``batch_first`` N comes first, and without
    a batch it is left out. Matrices start uniform, with the variance of Glorot and Bengio (2010). ``dropout``,
    ``activation``, ``layer_norm_eps``, ``norm_first`` and ``bias`` are those of TransformerEncoderLayer;
    ``custom_encoder`` and ``custom_decoder`` replace the two stacks. Raise RuntimeError if batches or features do not
    fit.

    >>> import tensh as torch
    >>> layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    >>> model = torch.nn.Transformer(8, nhead=2, dim_feedforward=16, **layers)
    >>> model(torch.ones(10, 3, 8), torch.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
                 activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*settings, **made)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **made)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*settings, **made)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **made)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self):
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):  # fmt: skip
        """Return a sequence like ``tgt``; raise RuntimeError if batches or features do not fit."""
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    generate_square_subsequent_mask = staticmethod(causal_mask)
