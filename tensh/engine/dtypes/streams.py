"""torch.Stream and torch.Event: queues of work and marks in them, which a CPU has only in name.

Work on a CPU is done when the call that starts it returns, so a stream is always empty and an event has always happened.
Both objects exist because programs for any device make them; what needs a device that queues work raises PyTorch's error.
"""

from typing import NamedTuple

from tensh.engine.dtypes.device import device as Device
from tensh.support.naming import OfTorch

HERE = "cpu", "meta"  # devices that PyTorch has without an accelerator
NUMBERED = (  # kinds of device in the order of PyTorch's enumeration, which streams count by
    "cpu cuda mkldnn opengl opencl ideep hip fpga maia xla vulkan metal xpu mps meta hpu ve lazy ipu mtia privateuseone"
).split()


def device_of(kind, given):
    """Return the device that a stream or event is made for; RuntimeError where there is none of the kind."""
    if isinstance(given, Stream | Event):
        raise TypeError(
            f"{kind}(): argument 'device' (position 1) must be torch.device, not {type(given).__module__}.{kind}"
        )
    found = Device("cpu" if given is None else given)
    if found.type not in HERE:
        raise RuntimeError(f"PyTorch is not linked with support for {found.type} devices")
    return found


def require_positional(kind, given):
    if len(given) > 1:
        raise TypeError(f"{kind}() takes from 0 to 1 positional arguments but {len(given)} were given")


class _Identity(NamedTuple):
    """The identity of a stream."""

    stream_id: int = 0
    device_index: int = -1
    device_type: int = 0


class Stream(metaclass=OfTorch):
    """A queue of work on a device: on the CPU always empty.

    Args:
        device: a device or its name; the CPU by default.
        priority: accepted and ignored, as by PyTorch on a CPU.

    RuntimeError for a device other than "cpu" and "meta", and for ``record_event`` and ``wait_stream``, which need a
    device that queues work.

    >>> import tensh as torch
    >>> stream = torch.Stream()
    >>> stream
    torch.Stream device_type=cpu, device_index=-1, stream_id=0
    >>> stream.query()
    True
    """

    __slots__ = ("_identity",)
    __module__ = "torch"

    def __init__(self, *args, device=None, priority=0, **identity):
        if identity.keys() - {*_Identity._fields}:
            raise TypeError(f"Stream() got an unexpected keyword argument '{next(iter(identity))}'")
        if len(args) == len(_Identity._fields) or identity:
            self._identity = _Identity(*args, **identity)
            return
        require_positional("Stream", args)
        made_for = device_of("Stream", *args or (device,))
        self._identity = _Identity(device_type=NUMBERED.index(made_for.type))

    @property
    def device(self):
        """The device of the stream."""
        return Device(self._kind) if self.device_index < 0 else Device(self._kind, self.device_index)

    @property
    def _kind(self):
        return NUMBERED[self.device_type]

    stream_id = property(lambda self: self._identity.stream_id, doc="The number of the stream on its device.")
    device_index = property(lambda self: self._identity.device_index, doc="The number of the device; -1 without one.")
    device_type = property(lambda self: self._identity.device_type, doc="The number of the kind of device; 0: CPU.")

    @property
    def native_handle(self):
        """Raise RuntimeError: no library keeps a handle of a stream on the CPU."""
        raise RuntimeError("Backend doesn't support getting stream native handle.")

    def query(self):
        """Return True: all work is done."""
        return True

    def synchronize(self):
        """Return at once: all work is done."""

    def is_capturing(self):
        """Return False: no graph of a device is being captured."""
        return False

    def record_event(self, event=None):
        """Raise RuntimeError: the CPU has no events."""
        refuse_events(self._kind)

    def wait_event(self, event):
        """Return at once: an event that was never recorded is not waited for."""

    def wait_stream(self, other):
        """Raise RuntimeError: the CPU has no events to wait by."""
        refuse_events(self._kind)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def __eq__(self, other):
        return isinstance(other, Stream) and self._identity == other._identity

    def __hash__(self):
        return hash(self._identity)

    def __lt__(self, other):
        if not isinstance(other, Stream):
            return NotImplemented
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle 'torch.Stream' object")

    def __repr__(self):
        return f"torch.Stream device_type={self._kind}, device_index={self.device_index}, stream_id={self.stream_id}"


class Event(metaclass=OfTorch):
    """A mark in a queue of work, to be waited for: on the CPU nothing queues work, so none is ever recorded.

    Args:
        device: a device or its name; the CPU by default.
        enable_timing: True if the event is to measure time. bool.
        blocking, interprocess: accepted and ignored, as by PyTorch on a CPU. bool.

    RuntimeError for a device other than "cpu" and "meta", and for ``record``.

    >>> import tensh as torch
    >>> torch.Event(enable_timing=True).query()
    True
    """

    __slots__ = ("_device", "_timed")
    __module__ = "torch"

    def __init__(self, *args, device=None, enable_timing=False, blocking=False, interprocess=False):
        require_positional("Event", args)
        options = {"enable_timing": enable_timing, "blocking": blocking, "interprocess": interprocess}
        for name, value in options.items():
            if not isinstance(value, bool):
                raise TypeError(f"Event(): argument '{name}' must be bool, not {type(value).__name__}")
        self._device, self._timed = device_of("Event", *args or (device,)), enable_timing

    device = property(lambda self: self._device, doc="The device of the event.")
    event_id = property(lambda self: 0, doc="The number of the event: 0 before it is recorded.")

    def record(self, stream=None):
        """Raise RuntimeError: the CPU has no events."""
        refuse_events(self._device.type)

    def wait(self, stream=None):
        """Return at once: an event that was never recorded is not waited for."""

    def query(self):
        """Return True: nothing was recorded that is still to come."""
        return True

    def synchronize(self):
        """Return at once: nothing was recorded that is still to come."""

    def elapsed_time(self, end_event):
        """Raise ValueError: no event was recorded, so there is no time between two."""
        if not isinstance(end_event, Event):
            raise RuntimeError("expected other to be a torch.Event object")
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def ipc_handle(self):
        """Raise NotImplementedError, as PyTorch does."""
        refuse_sharing()

    @classmethod
    def from_ipc_handle(cls, device, ipc_handle):
        """Raise NotImplementedError, as PyTorch does."""
        refuse_sharing()

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle 'torch.Event' object")

    def __repr__(self):
        return (
            f"torch.Event device_type={self._device.type}, device_index=-1, event_flag={int(self._timed)}, event_id=0"
        )


def refuse_events(kind):
    raise RuntimeError(f"{kind} backend doesn't support events.")


def refuse_sharing():
    raise NotImplementedError("torch.Event ipc is not supported yet, please open an issue if you need this!")
