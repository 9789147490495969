"""Files as memory: the first bytes of a file, mapped."""

import os

import numpy as np

from tensh.engine.arrays import memory


def map_file(filename, shared, nbytes):
    """A row of the first ``nbytes`` bytes of a file, read when they are used.

    ``shared`` writes reach the file, which is made, or made longer, if need be. Raise RuntimeError if there is no such file
    or it is too short.
    """
    try:
        with open(filename, "r+b" if shared and os.path.exists(filename) else "w+b" if shared else "rb") as file:
            have = file.seek(0, os.SEEK_END)
            if have < nbytes and shared:
                file.truncate(nbytes)
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
