"""Memory shared by several processes: unnamed files, which vanish when the last process ends.

A block is identified by its array within a process, and by the number of its file across processes. The file descriptor
stays open while the block is in use, so that it can be passed on.
"""

import contextlib
import mmap
import os
import sys
import tempfile
import weakref
from multiprocessing import reduction

import numpy as np

AVAILABLE = os.name == "posix" and reduction.HAVE_SEND_HANDLE  # whether descriptors can be sent to other processes
MAPPING = {"trackfd": False} if sys.version_info >= (3, 13) else {}  # else mappings keep a second descriptor

_descriptors: dict[int, tuple] = {}  # id(block) -> (the descriptor of its file, a weak reference that releases both)
_blocks = weakref.WeakValueDictionary()  # (device, number of the file) -> block: memory that comes back is the same


def new_file():
    """Return the descriptor of an unnamed file, in memory if the system supports it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("tensh-shared")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def make_room(descriptor):
    """Raise this process's limit of open files, up to the system's maximum, before it is reached.

    Each block in shared memory keeps one open, and the usual limit is 1024.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and 2 * descriptor > soft:  # the lowest free number is assigned
        most = max(8 * soft, 1 << 14)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(
                resource.RLIMIT_NOFILE, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
            )


def is_shared(block):
    """Return True for memory that other processes may map."""
    return id(block) in _descriptors


def descriptor_of(block):
    """Return the file descriptor of shared memory."""
    return _descriptors[id(block)][0]


def copy_to_shared(block):
    """Copy dense memory into new shared memory of the same dtype, in the order of its bytes.

    Raise OSError where there is no room for it.
    """
    descriptor = new_file()
    try:
        if hasattr(os, "posix_fallocate"):  # fail now, because a write to a page without memory would kill the process
            os.posix_fallocate(descriptor, 0, max(block.nbytes, 1))
        else:
            os.truncate(descriptor, max(block.nbytes, 1))
        new = map_file(descriptor, block.size, block.dtype)
    except BaseException:
        os.close(descriptor)
        raise
    new.view(np.uint8)[...] = block.reshape(-1, order="A").view(np.uint8)
    return new


def map_file(descriptor, size, dtype):
    """Map a file as a block of elements. The block then owns the descriptor."""
    facts = os.fstat(descriptor)
    key = facts.st_dev, facts.st_ino
    if (block := _blocks.get(key)) is not None:
        os.close(descriptor)
        return block
    make_room(descriptor)
    block = np.frombuffer(mmap.mmap(descriptor, 0, **MAPPING), dtype, size)
    number = id(block)

    def let_go(_, close=os.close, descriptors=_descriptors):
        del descriptors[number]
        close(descriptor)

    _descriptors[number] = descriptor, weakref.ref(block, let_go)
    _blocks[key] = block
    return block
