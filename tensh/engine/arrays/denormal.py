"""Denormal numbers: computed or flushed to zero, by the processor's control register MXCSR."""

import ctypes
import functools
import platform
import sys

from tensh.engine.arrays.tabulated import tables
from tensh.engine.arrays.threads import pool

WORDS = 8  # 32 bit words of the C library's ``fenv_t`` on x86-64
MXCSR = 7  # index of the register in it
FLUSH = 0x8040  # its bits "flush to zero" and "denormals are zeros"


def is_supported():
    """Return True on x86-64 with Linux, whose C libraries store the register there."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def set_flush(flush):
    """Set the bits of the register of this thread."""
    library, words = ctypes.CDLL(None), (ctypes.c_uint32 * WORDS)()
    library.fegetenv(words)
    words[MXCSR] = words[MXCSR] | FLUSH if flush else words[MXCSR] & ~FLUSH
    library.fesetenv(words)


def flush_denormals(flush):
    """Make this thread and its helpers flush denormal numbers to zero, or not; return True on success."""
    if not is_supported():
        return not flush
    set_flush(flush)
    pool.prepare = functools.partial(set_flush, flush)
    tables.clear()
    return True
