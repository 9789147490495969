"""Settings of the C library's allocator that keep freed memory for the next arrays.

New memory costs more than most operations: the system clears every page when it is first touched.  The C library
returns free memory at the end of its heap, only to request it again; without that, a forward and backward pass over 4
MB arrays takes half the time.  C libraries other than glibc are left unchanged.
"""

import os

KEPT = 256 << 20  # bytes of free memory that the process keeps at most
LARGEST = 64 << 20, 32 << 20  # bytes; larger blocks are returned immediately.  Older versions of glibc refuse the first
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # numbers in malloc.h


def keep():
    """Keep freed memory, unless the environment configures the C library."""
    if any(name.startswith("MALLOC_") for name in os.environ):
        return
    import ctypes  # NumPy has imported it

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    if any(set_option(MMAP_THRESHOLD, size) for size in LARGEST):
        set_option(TRIM_THRESHOLD, KEPT)
