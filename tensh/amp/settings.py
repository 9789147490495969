"""The settings of autocast in each thread, and the functions that read and change them."""

from tensh.amp.casting import exchange_functions, state
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.dtypes.device import device
from tensh.engine.dtypes.dtype import bfloat16, float16
from tensh.engine.errors.warnings import warn

USUAL = {"cpu": bfloat16}  # a device -> its dtype of lower precision; of all others float16


def is_autocast_enabled(device_type=None):
    """Return whether operators choose their precision on a kind of device, by default on "cuda".

    >>> import tensh as torch
    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled()
    (True, False)
    """
    if not isinstance(device_type, str | None):
        raise TypeError(
            f"is_autocast_enabled(): argument 'device_type' (position 1) must be str, not {type_name(device_type)}"
        )
    return ("cuda" if device_type is None else device(device_type).type) in state.enabled


def set_autocast_enabled(device_type, enabled=None):
    """Say whether operators choose their precision on a kind of device, by default on "cuda"; autocast is the usual way.

    >>> import tensh as torch
    >>> torch.set_autocast_enabled("cpu", False)
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    kind = device(device_type).type
    if enabled and kind == "cpu":
        exchange_functions()  # first: it takes a while, and ^C leaves autocast as it was
    (state.enabled.add if enabled else state.enabled.discard)(kind)
    update(kind)


def get_autocast_dtype(device_type):
    """Return the dtype of lower precision on a kind of device.

    >>> import tensh as torch
    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    kind = device(device_type).type
    return state.dtypes.get(kind, USUAL.get(kind, float16))


def set_autocast_dtype(device_type, dtype):
    """Set the dtype of lower precision on a kind of device; autocast is the usual way.

    >>> import tensh as torch
    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    if not isinstance(dtype, type(bfloat16)):
        raise TypeError(
            f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type(dtype).__name__}"
        )
    kind = device(device_type).type
    state.dtypes[kind] = dtype
    update(kind)


def update(kind):
    """Tell operators on the CPU the dtype to compute in."""
    if kind == "cpu":
        state.lower = get_autocast_dtype("cpu") if "cpu" in state.enabled else None


def is_autocast_cache_enabled():
    """Return whether a leaf that requires grad is cast once in a region, and not at each use.

    >>> import tensh as torch
    >>> torch.is_autocast_cache_enabled()
    True
    """
    return state.caching


def set_autocast_cache_enabled(enabled):
    """Say whether a leaf that requires grad is cast once in a region, and not at each use.

    >>> import tensh as torch
    >>> torch.set_autocast_cache_enabled(True)
    """
    state.caching = enabled


def clear_autocast_cache():
    """Forget the leaves that have been cast.

    >>> import tensh as torch
    >>> torch.clear_autocast_cache()
    """
    state.cache.clear()


def autocast_increment_nesting():
    """Enter one more region; return how many are entered.

    >>> import tensh as torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting():
    """Leave a region; return how many are still entered.

    >>> import tensh as torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    state.nesting -= 1
    return state.nesting


def deprecate(old, new):
    """Warn that another function replaced the called one."""
    warn(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning)


def is_autocast_cpu_enabled():
    """Return whether operators choose their precision on the CPU.

    >>> import tensh as torch
    >>> torch.is_autocast_cpu_enabled()
    False
    """
    deprecate("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled):
    """Say whether operators choose their precision on the CPU.

    >>> import tensh as torch
    >>> torch.set_autocast_cpu_enabled(False)
    """
    deprecate("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype():
    """Return the dtype of lower precision on the CPU.

    >>> import tensh as torch
    >>> torch.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    deprecate("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype):
    """Set the dtype of lower precision on the CPU.

    >>> import tensh as torch
    >>> torch.set_autocast_cpu_dtype(torch.bfloat16)
    """
    deprecate("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype():
    """Return the dtype of lower precision on "cuda".

    >>> import tensh as torch
    >>> torch.get_autocast_gpu_dtype()
    torch.float16
    """
    deprecate("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype):
    """Set the dtype of lower precision on "cuda".

    >>> import tensh as torch
    >>> torch.set_autocast_gpu_dtype(torch.float16)
    """
    deprecate("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)
