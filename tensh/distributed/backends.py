"""Backends, which carry tensors between processes: their names, and which are available."""

import enum
import os

from tensh.distributed.mpi.world import is_mpi_there

CARRIERS = "gloo", "nccl", "xccl", "ucc", "mpi", "fake"


def is_built(name):
    """Return True if a backend is available: gloo, which means MPI or a group of one; mpi if it is installed."""
    return name == "gloo" or name == "mpi" and is_mpi_there()


class Backend(str):
    """The name of a backend, in lower case.  Raise ValueError for anything but text.

    >>> import tensh as torch
    >>> torch.distributed.Backend("GLOO") == torch.distributed.Backend.GLOO
    True
    """

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO, NCCL, XCCL, UCC, MPI, FAKE = CARRIERS
    backend_list = [UNDEFINED, *CARRIERS]
    default_device_backend_map = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl", "mps": "gloo"}

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())


Backend.__module__ = "torch.distributed.distributed_c10d"


def devices_of(backend):
    """Return device -> backend for a name such as ``gloo`` or ``cpu:gloo,cuda:nccl``; the default is the CPU's."""
    if backend == Backend.UNDEFINED:
        return {"cpu": Backend.GLOO}
    if ":" not in backend:
        return dict.fromkeys(("cpu", "cuda"), backend)
    found = {}
    for pair in backend.split(","):
        device, _, name = pair.partition(":")
        if not device or not name or ":" in name:
            raise ValueError(f"Invalid device:backend pairing: {pair}")
        if device in found:
            raise ValueError(f"Duplicate device type {device} in backend string: {backend}")
        found[device] = Backend(name)
    return found


def check_built(backend):
    """Raise RuntimeError for a backend that tensh lacks, AssertionError for an unknown one."""
    names = {"gloo": "Gloo", "mpi": "MPI"}
    for each in devices_of(backend).values():
        if each not in CARRIERS:
            raise AssertionError(f"Unknown backend type {each}")
    carrier = devices_of(backend).get("cpu", backend)
    if not is_built(carrier):
        extra = (
            ". MPI is only included if you build PyTorch from source on a host that has MPI installed."
            if carrier == "mpi"
            else ""
        )
        raise RuntimeError(f"Distributed package doesn't have {names.get(carrier, carrier.upper())} built in{extra}")


def is_available():
    """Return True: process groups and stores are available.

    >>> import tensh as torch
    >>> torch.distributed.is_available()
    True
    """
    return True


def _make_query(name):
    def is_there():
        return is_built(name)

    is_there.__name__ = is_there.__qualname__ = f"is_{name}_available"
    is_there.__doc__ = f"True if the backend {name} is available."
    return is_there


is_gloo_available, is_nccl_available, is_xccl_available, is_ucc_available, is_mpi_available = map(
    _make_query, CARRIERS[:-1]
)


def is_backend_available(backend):
    """Return True if tensh has a backend.

    >>> import tensh as torch
    >>> torch.distributed.is_backend_available("gloo"), torch.distributed.is_backend_available("nccl")
    (True, False)
    """
    return is_built(str(backend).lower())


def is_torchelastic_launched():
    """Return True if torchelastic started this process, according to its environment variables."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_default_backend_for_device(device):
    """Return the backend for tensors on a device.  Raise ValueError for a device without one.

    >>> import tensh as torch
    >>> torch.distributed.get_default_backend_for_device("cpu")
    'gloo'
    """
    kind = getattr(device, "type", None) or str(device).partition(":")[0]
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"Default backend not registered for device : {device}")
    return Backend.default_device_backend_map[kind]


def get_node_local_rank(fallback_rank=None):
    """Return the number of this process on its machine: the variable ``LOCAL_RANK``, or ``fallback_rank``.

    Raise RuntimeError if there is neither.

    >>> import tensh as torch
    >>> torch.distributed.get_node_local_rank(fallback_rank=0)
    0
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


DebugLevel = enum.Enum("DebugLevel", "OFF INFO DETAIL", start=0, module="torch.distributed")
DebugLevel.__doc__ = "How much collectives check and report."
"""Levels of debugging of collectives."""


def get_debug_level():
    """Return the debugging level of collectives, from the variable ``TORCH_DISTRIBUTED_DEBUG``."""
    return getattr(DebugLevel, os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper(), DebugLevel.OFF)
