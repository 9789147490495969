"""Devices, layouts and memory formats."""

import threading
import weakref

import numpy as np

from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.core.clock import mode
from tensh.support.locks import make_shared_lock
from tensh.support.naming import OfTorch, final, kinds_within, name_type, torch_is_tensh


def kinds_error(type, index, args):
    """Return PyTorch's error for a type of device that is not a text."""
    if isinstance(type, (int, np.integer)) and not isinstance(type, bool) and index is None:
        if not -(2**63) <= type < 2**63:
            return ValueError("Overflow when unpacking long long")
        if type < 0:
            return RuntimeError("Device index must not be negative")
        return RuntimeError("Cannot access accelerator device when none is available.")
    if index is not None:
        return TypeError(f"device(): argument 'type' (position 1) must be str, not {kinds_of([type])}")
    why = f"      didn't match because some of the arguments have invalid types: (!{kinds_of(args)}{kinds_within(type)}!)\n"
    return TypeError(
        f"device() received an invalid combination of arguments - got ({kinds_of(args)}), but expected one of:\n"
        f" * (torch.device device)\n{why if len(args) == 1 else ''} * (str type, int index = -1)\n"
    )


def read_device(text, index):
    """Return (kind, index) of a text such as ``"cuda:1"``.  Raise PyTorch's error for an invalid one."""
    if not text:
        raise RuntimeError("Device string must not be empty")
    kind, colon, number = text.partition(":")
    if colon:
        if index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
        if not number.isdecimal() or (len(number) > 1 and number[0] == "0"):
            raise RuntimeError(f"Invalid device string: '{text}'")
        index = int(number[:20])  # enough digits for a number that is refused anyway
        if index >= 2**31:
            raise RuntimeError(f"Could not parse device index '{number}' in device string '{text}'")
    elif index is not None and not -(2**63) <= index < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if not kind.replace("_", "a").isalpha():
        raise RuntimeError(f"Invalid device string: '{text}'")
    return kind, index


@final
class device(metaclass=OfTorch):
    """The device of a tensor.  tensh computes on the CPU; other devices can be named but not used.

    Raise RuntimeError for a name unknown to PyTorch.

    >>> import tensh as torch
    >>> torch.device("cuda", 1)
    device(type='cuda', index=1)
    """

    __slots__ = ("type", "index")
    __module__ = "torch"

    KINDS = (
        "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone"
    ).split()

    @shows("cls, type, index=None", "")
    def __new__(cls, *args, **given):
        type, index = named_device(*args, **given) if 0 < len(args) + len(given) < 3 else (None, None)
        if isinstance(type, device):
            return type
        type = type.decode(errors="replace") if isinstance(type, bytes) else type
        if not isinstance(type, str):
            raise kinds_error(type, index, args)
        if index is not None and (not isinstance(index, int) or isinstance(index, bool)):
            raise TypeError(f"device(): argument 'index' (position 2) must be int, not {kinds_of([index])}")
        kind, index = read_device(type, index)
        if kind not in cls.KINDS:
            expected = ", ".join(cls.KINDS)
            raise RuntimeError(f"Expected one of {expected} device type at start of device string: {type}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self = object.__new__(cls)
        self.type, self.index = kind, index
        return self

    def __repr__(self):
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __lt__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        raise TypeError("comparison not implemented")

    __le__ = __gt__ = __ge__ = __lt__

    def __enter__(self):
        if self.type != "meta":
            require_cpu(self)
        before = mode.devices
        mode.devices = (*before, self)
        try:
            switch_shortcuts()
            return self
        except BaseException:  # ^C, after which nothing calls __exit__
            mode.devices = before
            switch_shortcuts()
            raise

    def __exit__(self, *error):
        mode.devices = mode.devices[:-1]
        switch_shortcuts()

    def __reduce__(self):
        facts = (self.type,) if self.index is None else (self.type, self.index)
        return (device if torch_is_tensh() else rebuild_device), facts


def named_device(type, index=None):
    """Return the arguments of ``device`` by name."""
    return type, index


named_device.__qualname__ = "device"  # in Python's errors


def kinds_of(values):
    return ", ".join(map(name_type, values))


def rebuild_device(type, index=None):
    """Rebuild a pickled device."""
    return device(type, index)


made_device = rebuild_device  # the name in pickles of earlier versions


cpu, meta = device("cpu"), device("meta")


# ── the default device ───────────────────────────────────────────────────────
_shortcuts: list = []  # (container, its contents)
_away: weakref.WeakSet = weakref.WeakSet()  # the living threads whose default is another device than the CPU
_lock = make_shared_lock()  # held while the shortcuts change, which all threads share


def shortcut(container):
    """Register a set or dictionary of the arguments for which a function skips the check of the device.

    It is empty while another device than the CPU is the default of any thread.
    """
    with _lock:
        _shortcuts.append((container, container.copy()))
        if _away:
            container.clear()
    return container


def switch_shortcuts():
    """Empty or refill the shortcuts after the default device of this thread has changed."""
    change = _away.discard if default_device() is cpu else _away.add
    with _lock:
        change(threading.current_thread())
        for container, content in _shortcuts:
            container.clear() if _away else container.update(content)


def default_device():
    """Return the device on which this thread makes new tensors."""
    return mode.devices[-1] if mode.devices else mode.device or cpu


def set_default_device(where):
    """Set the default device of new tensors, the CPU or "meta"; None is the CPU.  "cuda" fails when a tensor is made."""
    where = cpu if where is None else device(where)
    if where.type not in ("meta", "cuda"):
        require_cpu(where)
    mode.device = None if where.type == "cpu" else where
    switch_shortcuts()


HERE = shortcut({"cpu"})
"""True where new tensors are made on the CPU; a container, because asking it costs less than a call."""


def on_meta(where):
    """Return True if ``where``, or by default the default device, is "meta"; an error for any device but that and the CPU."""
    where = default_device() if where is None else device(where)
    if where.type == "meta":
        return True
    require_cpu(where)
    return False


def require_cpu(where):
    """Raise PyTorch's error unless ``where`` (a device, its name, or None) is the CPU."""
    if where is None or where is cpu:
        return
    where = device(where)
    if where.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if where.type != "cpu":
        raise NotImplementedError(f"tensh computes on the CPU only: there is no device '{where}'")


class Constant(metaclass=OfTorch):
    """A named constant that prints as ``torch.NAME``; the kinds below are told apart by class."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name if torch_is_tensh() else (find_constant, (self.name,))


@final
class layout(Constant):
    """The layout of a tensor in memory; ``torch.strided`` is the usual one."""

    __slots__ = ()
    __module__ = "torch"


@final
class memory_format(Constant):
    """The order of a new tensor's dimensions in memory."""

    __slots__ = ()
    __module__ = "torch"


CONSTANTS = {
    name: kind(name)
    for kind, names in {
        layout: "strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc _mkldnn jagged",
        memory_format: "contiguous_format preserve_format channels_last channels_last_3d",
    }.items()
    for name in names.split()
}
strided, contiguous_format, preserve_format, channels_last, channels_last_3d = map(
    CONSTANTS.get, "strided contiguous_format preserve_format channels_last channels_last_3d".split()
)


def find_constant(name):
    """Return the layout or memory format called ``name``, to rebuild a pickled one."""
    return CONSTANTS[name]


constant = find_constant  # the name in pickles of earlier versions


def require_strided(which):
    """Raise unless ``which`` is None or ``torch.strided``."""
    if which is not None and which is not strided:
        raise NotImplementedError(f"layout {which} is not supported: tensh has strided and sparse tensors")
