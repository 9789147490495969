"""Files as memory: the first bytes of a file, mapped."""

import errno
import os

import numpy as np

from tensh.engine.arrays import memory


def map_file(filename, shared, nbytes):
    """A row of the first ``nbytes`` bytes of a file, read when they are used.

    ``shared`` writes reach the file, which is made, or made longer, if need be. Raise RuntimeError if there is no such file,
    it is too short or the disk has no room for it.
    """
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
    if not nbytes:
        return np.empty(0, np.uint8)
    return memory.lend(np.asarray(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,))))


def lengthen(file, have, nbytes, there):
    """Make a file of ``have`` bytes longer, or leave it as it was: not at all, unless it was ``there``."""
    try:
        file.truncate(nbytes)
        if hasattr(os, "posix_fallocate"):  # an error now, where a write to a page without room would end the process
            os.posix_fallocate(file.fileno(), 0, nbytes)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EINVAL):  # a file system that keeps no room
            return
        if there:
            file.truncate(have)
        else:
            os.unlink(file.name)
        words = f"unable to resize file <{file.name}> to the right size: {error.strerror} ({error.errno})"
        raise RuntimeError(words) from None
