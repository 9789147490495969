"""Settings for all calls of torch.save and torch.load."""

import contextlib
import enum
import mmap
from contextvars import ContextVar


class LoadEndianness(enum.Enum):
    """Byte order of numbers in files that do not declare it.

    >>> import tensh as torch
    >>> torch.serialization.LoadEndianness.LITTLE.value
    2
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


SETTINGS = {"endianness": None, "crc32": True, "mmap": mmap.MAP_PRIVATE}
skips_data = ContextVar("skips_data", default=False)


def get_default_load_endianness():
    """Return the byte order assumed for files that do not declare it; None for that of this machine.

    >>> import tensh as torch
    >>> print(torch.serialization.get_default_load_endianness())
    None
    """
    return SETTINGS["endianness"]


def set_default_load_endianness(endianness):
    """Set the byte order assumed for files that do not declare it: a LoadEndianness, or None.

    Raise TypeError for anything else.

    >>> import tensh as torch
    >>> torch.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    SETTINGS["endianness"] = endianness


def get_crc32_options():
    """Return whether checksums are computed, which detect damaged records.

    >>> import tensh as torch
    >>> torch.serialization.get_crc32_options()
    True
    """
    return SETTINGS["crc32"]


def set_crc32_options(compute_crc32):
    """Set what ``get_crc32_options`` returns; checksums are always written, so that any program can read the archive.

    >>> import tensh as torch
    >>> torch.serialization.set_crc32_options(True)
    """
    SETTINGS["crc32"] = compute_crc32


def get_default_mmap_options():
    """Return how ``torch.load(mmap=True)`` maps memory.

    >>> import tensh as torch
    >>> import mmap
    >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return SETTINGS["mmap"]


class set_default_mmap_options(contextlib.ContextDecorator):
    """Set how ``torch.load(mmap=True)`` maps memory, for good or within a ``with`` block.

    ``mmap.MAP_PRIVATE`` (a write changes a copy) or ``mmap.MAP_SHARED``. Raise ValueError for other flags.

    >>> import tensh as torch
    >>> import mmap
    >>> with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags):
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self.before, SETTINGS["mmap"] = SETTINGS["mmap"], flags

    def __enter__(self):
        return None

    def __exit__(self, *error):
        SETTINGS["mmap"] = self.before


class skip_data:
    """Save and load without the elements of tensors, within a ``with`` block.

    ``save`` leaves room for them, which another program may fill later; ``load`` makes tensors of zeros in place of those
    in a file. Files in the format of PyTorch before 1.6 are read with their elements. ``materialize_fake_tensors`` has no
    effect: tensors on the device meta have no memory. ``save`` raises RuntimeError for the old format.

    >>> import tensh as torch, io
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2, 3), file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """

    def __init__(self, materialize_fake_tensors=False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self):
        self.before = skips_data.get()
        skips_data.set(True)

    def __exit__(self, *error):
        skips_data.set(self.before)
