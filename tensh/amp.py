"""torch.amp: mixed precision, which tensh lacks.

Where a program leaves it off, or asks a device for it that is not there, it runs as in PyTorch.
"""

import functools

from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import bfloat16, float16
from tensh.engine.errors.warnings import warn
from tensh.switched_off import lookup

REASON = (
    "tensh has no mixed precision, which makes accelerators faster and the CPU slower; leave it off with enabled=False, or "
    "convert the model with .to(torch.bfloat16)"
)


class autocast:
    """A context, or a decorator, in which operations would choose their dtypes; here they never do.

    With ``enabled=False``, and for devices that are not there, nothing is to be done. NotImplementedError on the CPU.

    >>> import tensh as torch
    >>> with torch.autocast("cpu", enabled=False):
    ...     torch.ones(2).dtype
    torch.float32
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device(device_type).type
        if enabled and self.device == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
        elif enabled and self.device == "cpu":
            if dtype in (None, bfloat16, float16):
                raise NotImplementedError(REASON)
            warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def same(*args, **kwargs):
            return function(*args, **kwargs)

        return same


class GradScaler:
    """A scaler of losses, which keeps small gradients of float16 from becoming zero: here it passes all on.

    NotImplementedError for one that is to work on the CPU.

    >>> import tensh as torch
    >>> torch.GradScaler(enabled=False).scale(torch.tensor(2.))
    tensor(2.)
    """

    def __init__(
        self, device="cuda", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
    ):  # fmt: skip
        if enabled and device == "cuda":
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
        elif enabled:
            raise NotImplementedError(REASON)

    def scale(self, outputs):
        """The outputs."""
        return outputs

    def unscale_(self, optimizer):
        """Nothing: gradients are as they are."""

    def step(self, optimizer, *args, **kwargs):
        """``optimizer.step(...)``."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        """Nothing: there is no scale."""

    def get_scale(self):
        """1.0"""
        return 1.0

    def is_enabled(self):
        """Are gradients scaled?  No."""
        return False

    def state_dict(self):
        """Nothing to be kept: {}."""
        return {}

    def load_state_dict(self, state_dict):
        """Nothing."""


def is_autocast_enabled(device_type=None):
    """Do operations choose their dtypes?  No.

    >>> import tensh as torch
    >>> torch.is_autocast_enabled()
    False
    """
    return False


def is_autocast_available(device_type):
    """Could they, on this kind of device?  No."""
    return False


def _unchanged(fwd=None, *, device_type, cast_inputs=None):
    """A decorator of ``forward`` and ``backward``: nothing is cast, so they stay as they are."""
    return (lambda function: function) if fwd is None else fwd


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorate the ``forward`` of a Function: as it is, for nothing is cast."""
    return _unchanged(fwd, device_type=device_type)


def custom_bwd(bwd=None, *, device_type):
    """Decorate the ``backward`` of a Function: as it is, for nothing is cast."""
    return _unchanged(bwd, device_type=device_type)


__getattr__ = lookup("torch.amp")


def __dir__():
    return ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
