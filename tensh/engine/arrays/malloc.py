"""Settings of the C library's allocator, so that freed memory is kept for the next arrays.

New memory costs more than most operations: the system clears every page when it is first touched.  The
C library gives back what is freed at the end of its heap, and asks for it again a moment later; a forward and backward
pass over 4 MB arrays takes half the time without that.  Where it is not glibc nothing is changed.
"""

import os

KEPT = 256 << 20  # bytes of free memory that the process keeps at most
LARGEST = 64 << 20, 32 << 20  # bytes; larger memory is given back at once.  Older versions of glibc refuse the first
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them


def keep():
    """Keep freed memory, unless the environment says how the C library should do it."""
    if any(name.startswith("MALLOC_") for name in os.environ):
        return
    import ctypes  # NumPy has imported it

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    if any(set_option(MMAP_THRESHOLD, size) for size in LARGEST):
        set_option(TRIM_THRESHOLD, KEPT)
