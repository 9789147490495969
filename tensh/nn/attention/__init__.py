"""torch.nn.attention: the choice of an implementation of attention, which is one node or the steps that it consists of."""

import contextlib
import enum

from tensh.engine.operators.layers.composites.attention_choice import SWITCHES
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


class SDPBackend(enum.Enum):
    """PyTorch's implementations of ``scaled_dot_product_attention``: they convert to numbers, but do not equal them."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self):
        return self.value

    def __hash__(self):
        return hash(self.value)

    __index__ = __int__


SDPBackend.__module__ = "torch.nn.attention"
BACKENDS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION, "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH, "overrideable": SDPBackend.OVERRIDEABLE,
}  # fmt: skip


def _cur_sdpa_kernel_backends(with_priority=False):
    """List the implementations that are switched on."""
    return [backend for name, backend in BACKENDS.items() if SWITCHES[name]]


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Select the implementations of attention for a ``with`` block: ``MATH`` records its steps, ``FLASH_ATTENTION`` one node.

    Attention raises RuntimeError if no implementation in the list can compute it; the others exist on GPUs only.

    >>> import tensh as torch
    >>> from tensh.nn.attention import SDPBackend, sdpa_kernel
    >>> q = torch.ones(1, 2, 2)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
    torch.Size([1, 2, 2])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    wanted, before = [backends] if isinstance(backends, SDPBackend) else backends, SWITCHES.copy()
    SWITCHES.update({name: backend in wanted for name, backend in BACKENDS.items()})
    try:
        yield {}
    finally:
        SWITCHES.update(before)


__getattr__ = lookup("torch.nn.attention")
