"""torch.accelerator: reports that there is none, so that programs that ask run on the CPU.

>>> import tensh as torch
>>> torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
'cpu'
"""

from tensh.engine.methods.unsupported import unsupported_name


def is_available():
    """Return False: tensh has no accelerator and computes on the CPU."""
    return False


def device_count():
    """Return the number of accelerators: 0."""
    return 0


def current_accelerator(check_available=False):
    """Return the accelerator device: None."""


NEEDS_DEVICE = (
    "current_device_idx current_device_index current_stream empty_cache empty_host_cache get_device_capability get_memory_info "
    "max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats "
    "reset_peak_memory_stats set_device_idx set_device_index set_stream synchronize"
).split()
__all__ = ["current_accelerator", "device_count", "is_available", *NEEDS_DEVICE]  # noqa: PLE0604 (they are strings)


def __getattr__(name):
    if name in NEEDS_DEVICE:
        return _unavailable(name)
    raise unsupported_name("torch.accelerator", name)


def _unavailable(name):
    def function(*args, **options):
        raise RuntimeError("Cannot access accelerator device when none is available.")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raise RuntimeError: there is no accelerator."
    return function


def __dir__():
    return sorted(__all__)
