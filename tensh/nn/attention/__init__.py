"""torch.nn.attention: the choice of an implementation of attention; tensh has only one."""

import contextlib
import enum

from tensh.switched_off import lookup

__all__ = [
    "SDPBackend",
    "WARN_FOR_UNFUSED_KERNELS",
    "activate_flash_attention_impl",
    "current_flash_attention_impl",
    "list_flash_attention_impls",
    "register_flash_attention_impl",
    "restore_flash_attention_impl",
    "sdpa_kernel",
]


class SDPBackend(enum.IntEnum):
    """PyTorch's implementations of ``scaled_dot_product_attention``."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


SDPBackend.__module__ = "torch.nn.attention"


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Select the implementations of attention for a ``with`` block; tensh computes all of them in the same way.

    >>> import tensh as torch
    >>> from tensh.nn.attention import SDPBackend, sdpa_kernel
    >>> q = torch.ones(1, 2, 2)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
    torch.Size([1, 2, 2])
    """
    for each in backends if isinstance(backends, (list, tuple)) else [backends]:
        if not isinstance(each, SDPBackend):
            raise AssertionError(f"Backends must be SDPBackend or list of SDPBackend, got {type(backends)}")
    yield {}


__getattr__ = lookup("torch.nn.attention")
