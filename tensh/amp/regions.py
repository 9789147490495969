"""``autocast``: the region of a program in which operators choose their precision."""

import functools

from tensh.amp import settings as told
from tensh.amp.casting import state
from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import bfloat16, float16
from tensh.engine.errors.warnings import warn


class autocast:
    """A context, or a decorator, in which operators choose their precision.

    Products and convolutions run in ``dtype``, by default bfloat16 on the CPU; losses, decompositions and Fourier
    transforms in float32; what joins tensors in the widest dtype that is there. All else takes dtypes as they come.
    Raise ValueError where ``device_type`` is not a string, RuntimeError for a kind of device that is unknown.

    >>> import tensh as torch
    >>> with torch.autocast("cpu"):
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        asked = device_type, dtype, enabled, cache_enabled
        self.fast_dtype = told.get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = told.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and self.fast_dtype not in (bfloat16, float16):
            kind = device_type.upper()
            warn(
                f"In {kind} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{kind} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self._enabled = enabled
        if state.recorder is not None:
            state.recorder.note_region(self, asked)

    def __enter__(self):
        self.prev_cache_enabled = told.is_autocast_cache_enabled()
        self.prev = told.is_autocast_enabled(self.device)
        self.prev_fastdtype = told.get_autocast_dtype(self.device)
        told.autocast_increment_nesting()
        try:
            told.set_autocast_enabled(self.device, self._enabled)
            told.set_autocast_dtype(self.device, self.fast_dtype)
            told.set_autocast_cache_enabled(self._cache_enabled)
            if state.recorder is not None:
                state.recorder.enter_region(self)
            return self
        except BaseException:  # ^C, after which nothing calls __exit__
            self.__exit__()
            raise

    def __exit__(self, *failure):
        with Uninterrupted():
            if told.autocast_decrement_nesting() == 0:
                told.clear_autocast_cache()
            told.set_autocast_enabled(self.device, self.prev)
            told.set_autocast_dtype(self.device, self.prev_fastdtype)
            told.set_autocast_cache_enabled(self.prev_cache_enabled)
        if state.recorder is not None:
            state.recorder.exit_region()
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )

        @functools.wraps(func)
        def call_in_region(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return call_in_region


def is_autocast_available(device_type):
    """Return whether autocast knows a kind of device.

    >>> import tensh as torch
    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return device(device_type).type in ("cpu", "cuda", "mps", "xpu", "hpu", "ipu", "xla", "mtia", "maia")
