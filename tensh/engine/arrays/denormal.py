"""Numbers next to zero: whether the processor computes with them or takes them for zero, by its control register MXCSR."""

import ctypes
import functools
import platform
import sys

from tensh.engine.arrays.threads import pool

WORDS = 8  # of the C library's ``fenv_t`` on x86-64, of 32 bits each
MXCSR = 7  # the place of the register in it
FLUSH = 0x8040  # its bits "flush to zero" and "denormals are zeros"


def is_supported():
    """True on x86-64 with Linux, whose C libraries keep the register in this place."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def set_flush(flush):
    """Set the bits of the register of this thread."""
    library, words = ctypes.CDLL(None), (ctypes.c_uint32 * WORDS)()
    library.fegetenv(words)
    words[MXCSR] = words[MXCSR] | FLUSH if flush else words[MXCSR] & ~FLUSH
    library.fesetenv(words)


def flush_denormals(flush):
    """Let this thread and those that help it take numbers next to zero for zero, or not; return True if that could be done."""
    if not is_supported():
        return not flush
    set_flush(flush)
    pool.prepare = functools.partial(set_flush, flush)
    return True
