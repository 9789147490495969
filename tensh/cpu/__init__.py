"""torch.cpu: the CPU as one device among others, for programs that name their device's module.

Its streams and events do nothing: work on a CPU is done when the call that starts it returns.

>>> import tensh as torch
>>> torch.cpu.device_count(), torch.cpu.current_device()
(1, 'cpu')
"""

import importlib
import os
import platform
from types import MappingProxyType

from tensh.engine.methods.unsupported import unsupported_name

__all__ = [
    "Event", "Stream", "StreamContext", "current_device", "current_stream", "device_count", "get_capabilities",
    "is_available", "is_initialized", "set_device", "stream", "synchronize",
]  # fmt: skip


class Stream:
    """The stream of the CPU, in which nothing waits."""

    __module__ = "torch.cpu"

    def __init__(self, priority=-1):
        pass

    def wait_stream(self, stream):
        """Return at once."""

    def record_event(self):
        """Return None: there is nothing to wait for."""

    def wait_event(self, event):
        """Return at once."""


class Event:
    """An event on the CPU, which has always happened."""

    __module__ = "torch.cpu"

    def query(self):
        """Return True."""
        return True

    def record(self, stream=None):
        """Do nothing."""

    def synchronize(self):
        """Return at once."""

    def wait(self, stream=None):
        """Return at once."""


CURRENT = Stream()


class StreamContext:
    """A ``with`` block whose work goes to a stream: to the only one that there is.

    Args:
        stream: a stream, or None.
    """

    __module__ = "torch.cpu"

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        pass

    def __exit__(self, type, value, traceback):
        pass


def is_available():
    """Return True: there is a CPU."""
    return True


def is_initialized():
    """Return True: a CPU needs no set-up."""
    return True


def device_count():
    """Return the number of CPU devices: 1, whatever the number of cores."""
    return 1


def current_device():
    """Return the name of the device: "cpu"."""
    return "cpu"


def set_device(device):
    """Do nothing: there is one CPU device."""


def synchronize(device=None):
    """Return at once: work on a CPU is done when the call that starts it returns."""


def current_stream(device=None):
    """Return the only stream of the CPU."""
    return CURRENT


def stream(stream):
    """Return a ``with`` block whose work goes to a stream.

    >>> import tensh as torch
    >>> with torch.cpu.stream(torch.cpu.current_stream()):
    ...     torch.ones(2)
    tensor([1., 1.])
    """
    return StreamContext(stream)


def get_capabilities():
    """Return what the processor offers: its architecture, the number of cores, and a flag for each set of instructions.

    The flags are those that NumPy asks the processor for, by PyTorch's names. A read-only mapping.

    >>> import tensh as torch
    >>> torch.cpu.get_capabilities()["num_logical_cores"] >= 1
    True
    """
    from numpy._core._multiarray_umath import __cpu_features__ as features

    flags = {_flag_name(name): has for name, has in features.items() if "_" not in name}
    cores = os.cpu_count() or 1
    return MappingProxyType({"architecture": platform.machine(), "num_logical_cores": cores, **flags})


def _flag_name(name):
    """Return PyTorch's name for a flag of NumPy's: avx512_vbmi2 for AVX512VBMI2, sse4_1 for SSE41."""
    name = name.lower()
    if name.startswith("avx512"):
        return f"avx512_{name.removeprefix('avx512')}"
    return f"sse4_{name[-1]}" if name in ("sse41", "sse42") else name


def __getattr__(name):
    if name == "amp":
        return importlib.import_module("tensh.cpu.amp")
    raise unsupported_name("torch.cpu", name)


def __dir__():
    return sorted([*__all__, "amp"])
