"""Memory that several processes map: files without a name, of which nothing is left when the last process has ended.

A block of such memory is known by its array here, and by the number of its file in every process. The descriptor of the file
stays open as long as the block is in use, to be handed on.
"""

import contextlib
import mmap
import os
import sys
import tempfile
import weakref
from multiprocessing import reduction

import numpy as np

AVAILABLE = os.name == "posix" and reduction.HAVE_SEND_HANDLE  # can a descriptor go to another process?
MAPPING = {"trackfd": False} if sys.version_info >= (3, 13) else {}  # before, each mapping keeps a second descriptor

_descriptors: dict[int, tuple] = {}  # id(block) -> (the descriptor of its file, a reference that lets go of both)
_blocks = weakref.WeakValueDictionary()  # (device, number of the file) -> block: memory that comes back is the same


def new_file():
    """The descriptor of a file without a name: in memory, where the system has such files."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("tensh-shared")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def make_room(descriptor):
    """Allow this process more open files, up to what the system lets it have, before there are too many.

    Each block in shared memory keeps one open, and the usual limit is 1024.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and 2 * descriptor > soft:  # numbers are given from the lowest on
        most = max(8 * soft, 1 << 14)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(
                resource.RLIMIT_NOFILE, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
            )


def is_shared(block):
    """True for memory that other processes may map."""
    return id(block) in _descriptors


def descriptor_of(block):
    """The descriptor of the file that shared memory is."""
    return _descriptors[id(block)][0]


def copy_to_shared(block):
    """Copy dense memory into new shared memory of the same dtype, in the order of its bytes.

    Raise OSError where there is no room for it.
    """
    descriptor = new_file()
    try:
        if hasattr(os, "posix_fallocate"):  # an error now, where a write to a page without memory would end the process
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
    """The block of elements that a file holds. The descriptor belongs to the block from then on."""
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
