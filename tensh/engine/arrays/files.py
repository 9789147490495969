"""Files as memory: the first bytes of a file, mapped."""

import errno
import os
import weakref
from functools import partial

import numpy as np

from tensh.engine.arrays.owners import first_owner, lend
from tensh.support.endless import is_endless

_mapped: dict[int, tuple] = {}  # id(block) -> (its file if writes reach it, a weak reference that removes the entry)


def is_mapped(block):
    """Return True for memory that is a mapped file."""
    return id(block) in _mapped


def file_of(block):
    """Return the name of the file that writes to a block reach; None for other memory."""
    return _mapped[id(block)][0] if id(block) in _mapped else None


def map_file(filename, shared, nbytes):
    """Map the first ``nbytes`` bytes of a file, which are read on demand.

    With ``shared``, writes reach the file, which is created or extended if necessary. Raise RuntimeError if the file is
    missing or too short, or the disk is full.
    """
    if is_endless(filename):
        raise RuntimeError(f"{filename} is a pipe or a device, not a file")
    there = os.path.exists(filename)
    try:
        with open(filename, "r+b" if shared and there else "w+b" if shared else "rb") as file:
            have = file.seek(0, os.SEEK_END)
            if have < nbytes and shared:
                lengthen(file, have, nbytes, there)
            elif have < nbytes:
                raise RuntimeError(
                    f"file <{filename}> size <{have}> is smaller than the required mapping size <{nbytes}>"
                )
    except OSError as error:
        access = "read-write" if shared else "read-only"
        words = f"unable to open file <{filename}> in {access} mode: {error.strerror} ({error.errno})"
        raise RuntimeError(words) from None
    if nbytes:
        array = lend(np.asarray(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,))))
    else:
        array = np.empty(0, np.uint8)
    block = first_owner(array)
    number = id(block)
    _mapped[number] = filename if shared else None, weakref.ref(block, partial(_mapped.pop, number))
    return array


def lengthen(file, have, nbytes, there):
    """Extend a file of ``have`` bytes; on failure restore it, or remove it unless it was ``there``."""
    try:
        file.truncate(nbytes)
        if hasattr(os, "posix_fallocate"):  # fail now, because a write to a page without space would kill the process
            os.posix_fallocate(file.fileno(), 0, nbytes)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EINVAL):  # a file system that cannot reserve space
            return
        if there:
            file.truncate(have)
        else:
            os.unlink(file.name)
        words = f"unable to resize file <{file.name}> to the right size: {error.strerror} ({error.errno})"
        raise RuntimeError(words) from None
