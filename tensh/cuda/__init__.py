"""torch.cuda: says that there is no CUDA device, so that programs that ask first run on the CPU.

>>> import tensh as torch
>>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
device(type='cpu')
"""

import importlib
from functools import cache

from tensh._utils.devices import _get_device_index as find_device_index
from tensh.engine.dtypes.device import device as torch_device
from tensh.switched_off import lookup


def is_available():
    """False: tensh computes on the CPU."""
    return False


def is_initialized():
    """False: there is no CUDA to set up."""
    return False


def is_bf16_supported(including_emulation=True):
    """False: there is no device that computes in bfloat16."""
    return False


def is_tf32_supported():
    """False: there is no device that computes with 19 bits."""
    return False


def _is_in_bad_fork():
    """False: no CUDA was set up before a fork."""
    return False


def _is_compiled():
    """False: there is no CUDA in this build."""
    return False


_initialized = False


def _lazy_call(callable, **options):
    """Do nothing: a function that waits for CUDA to be initialised never runs."""


def _get_device_index(device, optional=False, allow_cpu=False):
    """The number of a CUDA device: of an int itself; ValueError for other kinds of devices, or one without a number."""
    device = torch_device(device) if isinstance(device, str) else device
    if isinstance(device, torch_device) and device.type not in ("cuda", "cpu")[: 1 + allow_cpu]:
        raise ValueError(f"Expected a cuda{' or cpu' * allow_cpu} device, but got: {device}")
    return find_device_index(device, optional, allow_cpu)


def device_count():
    """Return the number of CUDA devices: 0."""
    return 0


def manual_seed(seed):
    """Do nothing: there is no generator to seed."""


manual_seed_all = manual_seed


def seed():
    """Do nothing: there is no generator to seed."""


seed_all = seed


def get_rng_state_all():
    """Return the states of the generators of all devices: none.

    >>> import tensh as torch
    >>> torch.cuda.get_rng_state_all()
    []
    """
    return []


def set_rng_state_all(new_states):
    """Set the states of the generators of all devices, of which there is none; AssertionError for a state.

    >>> import tensh as torch
    >>> torch.cuda.set_rng_state_all([])
    """
    if len(new_states):
        _refuse()


def empty_cache():
    """Do nothing: there is no memory to give back."""


def count_used_bytes(device=None):
    """Return the bytes of device memory in use: 0."""
    return 0


memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = count_used_bytes


# Functions that need a device: parameters -> names.
NEED_DEVICE = {
    "": "_lazy_init cudart current_device current_solver_handle get_sync_debug_mode init initial_seed ipc_collect",
    "debug_mode": "set_sync_debug_mode",
    "device": "set_device",
    "device=None": "clock_rate current_stream default_stream device_memory_used get_device_capability get_device_name "
    "get_device_properties get_per_process_memory_fraction mem_get_info memory_stats memory_usage power_draw "
    "reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_memory_stats synchronize "
    "temperature utilization",
    "device=None, abbreviated=False": "memory_summary",
    "device='cuda'": "get_rng_state",
    "new_state, device='cuda'": "set_rng_state",
}
PARAMETERS = {name: parameters for parameters, names in NEED_DEVICE.items() for name in names.split()}
TYPES = "Bool Byte Char Short Int Long Half BFloat16 Float Double".split()
HERE = """amp device_count empty_cache get_rng_state_all is_available is_bf16_supported is_initialized is_tf32_supported manual_seed manual_seed_all
    max_memory_allocated max_memory_reserved memory_allocated memory_reserved seed seed_all set_rng_state_all""".split()
__all__ = [*HERE, *PARAMETERS, *(f"{each}Tensor" for each in TYPES)]  # noqa: PLE0604 (they are strings)


def __getattr__(name):
    if name == "amp":
        return importlib.import_module("tensh.cuda.amp")
    if name in PARAMETERS:
        return _unavailable(name)
    if name.removesuffix("Tensor") in TYPES:
        return _no_type(name)
    return switched_off(name)


switched_off = lookup("torch.cuda")


def _unavailable(name):
    function = eval(f"lambda {PARAMETERS[name]}: _refuse()", {"_refuse": _refuse})
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Refuse with AssertionError: there is no CUDA device."
    return function


def _refuse():
    raise AssertionError("Torch not compiled with CUDA enabled")


@cache
def _no_type(name):
    """Make the class of tensors that no device has: nothing is an instance, and calls raise TypeError."""

    def refuse(cls, *sizes, dtype=None, device=None):
        raise TypeError(f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled.")

    return type(
        name, (), {"__module__": "torch.cuda", "__doc__": "Tensors of a CUDA device: there is none.", "__new__": refuse}
    )


def __dir__():
    return sorted(__all__)
