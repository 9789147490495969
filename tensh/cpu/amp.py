"""torch.cpu.amp: deprecated aliases of torch.amp."""

from tensh import amp
from tensh.amp.deprecation import warn_deprecated
from tensh.engine.dtypes.dtype import bfloat16
from tensh.engine.methods.unsupported import unsupported_name

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):
    """``torch.amp.autocast("cpu")``, with a warning."""

    __module__ = "torch.cpu.amp.autocast_mode"

    def __init__(self, enabled=True, dtype=bfloat16, cache_enabled=True):
        warn_deprecated("cpu", "autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``torch.amp.GradScaler("cpu")``, with a warning."""

    __module__ = "torch.cpu.amp.grad_scaler"

    def __init__(
        self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
    ):  # fmt: skip
        warn_deprecated("cpu", "GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def __getattr__(name):
    raise unsupported_name("torch.cpu.amp", name)


def __dir__():
    return [*__all__]
