"""What can be set for all calls of torch.save and torch.load."""

import contextlib
import enum
import mmap


class LoadEndianness(enum.Enum):
    """The order of the bytes of numbers in files that do not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


SETTINGS = {"endianness": None, "crc32": True, "mmap": mmap.MAP_PRIVATE}


def get_default_load_endianness():
    """The order of bytes that is taken for that of files that do not say it; None for that of this machine."""
    return SETTINGS["endianness"]


def set_default_load_endianness(endianness):
    """Set the order of bytes that is taken for that of files that do not say it: a LoadEndianness, or None."""
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    SETTINGS["endianness"] = endianness


def get_crc32_options():
    """Whether sums are computed that tell a damaged record."""
    return SETTINGS["crc32"]


def set_crc32_options(compute_crc32):
    """Accepted; the sums are always there, so that any program can read the archive."""
    SETTINGS["crc32"] = compute_crc32


def get_default_mmap_options():
    """How ``torch.load(mmap=True)`` maps memory."""
    return SETTINGS["mmap"]


class set_default_mmap_options(contextlib.ContextDecorator):
    """Set how ``torch.load(mmap=True)`` maps memory: ``mmap.MAP_PRIVATE`` (a write changes a copy) or ``mmap.MAP_SHARED``.

    As a context, until its end.
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
