"""torch.cuda: says that there is no CUDA device, so that programs that ask first run on the CPU.

>>> import tensh as torch
>>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
device(type='cpu')
"""

import importlib

from tensh.engine.absent import absent


def is_available():
    """Is there a CUDA device?  No: tensh computes on the CPU."""
    return False


def is_initialized():
    """Was CUDA set up?"""
    return False


def is_bf16_supported(including_emulation=True):
    """Does the device compute in bfloat16?"""
    return False


def device_count():
    """The number of CUDA devices: 0."""
    return 0


def manual_seed(seed):
    """Nothing: there is no generator to seed."""


manual_seed_all = manual_seed


def empty_cache():
    """Nothing: there is no memory to give back."""


def nothing_used(device=None):
    """The bytes of device memory in use: 0."""
    return 0


memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = nothing_used


def _unavailable(name):
    def function(*args, **options):
        raise AssertionError("Torch not compiled with CUDA enabled")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises AssertionError: there is no CUDA device."
    return function


NEEDS_DEVICE = (
    "current_device current_stream default_stream get_device_capability get_device_name get_device_properties "
    "get_rng_state get_rng_state_all init initial_seed ipc_collect mem_get_info memory_stats memory_summary "
    "reset_peak_memory_stats seed seed_all set_device set_rng_state set_rng_state_all synchronize"
).split()
TYPES = "Bool Byte Char Short Int Long Half BFloat16 Float Double".split()


def __getattr__(name):
    if name == "amp":
        return importlib.import_module("tensh.cuda.amp")
    if name in NEEDS_DEVICE:
        return _unavailable(name)
    if name.removesuffix("Tensor") in TYPES:
        return _no_type(name)
    raise absent("torch.cuda", name)


def _no_type(name):
    def function(*args, **options):
        raise TypeError(f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled.")

    return function


def __dir__():
    return sorted([*(name for name in globals() if not name.startswith("_") and name.islower()), *NEEDS_DEVICE])
