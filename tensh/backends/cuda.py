"""torch.backends.cuda: switches that scripts set; they change nothing on the CPU."""

from types import SimpleNamespace

from tensh.engine.errors.warnings import warn
from tensh.engine.operators.layers.composites.attention_choice import SWITCHES
from tensh.nn.attention import BACKENDS, sdpa_kernel
from tensh.switched_off import lookup

__all__ = [
    "SDPAParams",
    "allow_fp16_bf16_reduction_math_sdp",
    "can_use_cudnn_attention",
    "can_use_efficient_attention",
    "can_use_flash_attention",
    "cudnn_sdp_enabled",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed",
    "is_built",
    "is_ck_sdpa_available",
    "is_flash_attention_available",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "sdp_kernel",
]

matmul = SimpleNamespace(
    allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
)


def is_built():
    """False: tensh is built without CUDA."""
    return False


def is_flash_attention_available():
    """False: there is no FlashAttention."""
    return False


def is_ck_sdpa_available():
    """False: there is no attention of Composable Kernel."""
    return False


class SDPAParams:
    """The arguments of ``scaled_dot_product_attention``, by which a kernel is chosen."""

    __slots__ = ("attn_mask", "dropout", "enable_gqa", "is_causal", "key", "query", "value")

    def __init__(self, query, key, value, attn_mask, dropout, is_causal, enable_gqa, /):
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params, debug=False):
    """Could FlashAttention compute this attention?"""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def _switch(name):
    """Return the function that asks for a switch and the one that sets it."""

    def enabled():
        return SWITCHES[name]

    def enable(enabled):
        SWITCHES[name] = bool(enabled)

    enabled.__doc__ = f'Is the switch "{name}" on?  Only "flash" and "math" change anything here.'
    enable.__doc__ = f'Set the switch "{name}".  Only "flash" and "math" change anything here.'
    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switch("flash")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch("mem_efficient")
math_sdp_enabled, enable_math_sdp = _switch("math")
cudnn_sdp_enabled, enable_cudnn_sdp = _switch("cudnn")
fp16_bf16_reduction_math_sdp_allowed, allow_fp16_bf16_reduction_math_sdp = _switch("fp16_bf16_reduction_math")


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """``torch.nn.attention.sdpa_kernel`` under its old name, with a warning."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
        "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    wanted = {"flash": enable_flash, "mem_efficient": enable_mem_efficient, "math": enable_math, "cudnn": enable_cudnn}
    return sdpa_kernel([BACKENDS[name] for name, on in wanted.items() if on])


__getattr__ = lookup("torch.backends.cuda")
