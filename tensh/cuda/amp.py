"""torch.cuda.amp: deprecated aliases of torch.amp."""

from tensh import amp
from tensh.amp.deprecation import warn_deprecated
from tensh.engine.dtypes.dtype import float16
from tensh.engine.methods.unsupported import unsupported_name

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):
    """``torch.amp.autocast("cuda")``, with a warning."""

    __module__ = "torch.cuda.amp.autocast_mode"

    def __init__(self, enabled=True, dtype=float16, cache_enabled=True):
        warn_deprecated("cuda", "autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``torch.amp.GradScaler("cuda")``, with a warning."""

    __module__ = "torch.cuda.amp.grad_scaler"

    def __init__(
        self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
    ):  # fmt: skip
        warn_deprecated("cuda", "GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """``torch.amp.custom_fwd`` for "cuda", with a warning."""
    warn_deprecated("cuda", "custom_fwd", "args..., device_type='cuda'")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """``torch.amp.custom_bwd`` for "cuda", with a warning."""
    warn_deprecated("cuda", "custom_bwd", "args..., device_type='cuda'")
    return amp.custom_bwd(bwd, device_type="cuda")


def __getattr__(name):
    raise unsupported_name("torch.cuda.amp", name)


def __dir__():
    return [*__all__]
