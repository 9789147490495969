"""NumPy's library of matrix products (BLAS), limited to one thread.

The threads of BLAS wait for one another by spinning, on a busy machine even for a core that is not free: a product of
64 x 784 by 784 x 256 takes 80 microseconds on two quiet cores and 13,800 on busy ones.  The engine's own threads share
large products instead; see matmul.py.
"""

import contextlib
import os
import sys

# Environment variables that the libraries read when loaded: OpenBLAS, MKL, BLIS, Accelerate.
VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
MANY = 1 << 16


def read_limit(*names):
    """Return the number of threads in the first of these environment variables that is set, or None."""
    for name in names:
        first = os.environ.get(name, "").partition(",")[0].strip()  # OpenMP takes a list: one number for each level
        if first.isascii() and first.isdigit() and int(first[:9]) > 0:
            return min(int(first[:9]), MANY)
    return None


CORE = os.environ.get("OPENBLAS_CORETYPE", "").lower()
"""The processor whose loops OpenBLAS is told to take; empty if OpenBLAS chooses."""
LIMIT = read_limit("OPENBLAS_NUM_THREADS") or MANY  # number of threads for matrix products, as in PyTorch's BLAS


@contextlib.contextmanager
def load_single_threaded():
    """A context for loading NumPy, whose BLAS then has one thread.

    If NumPy is loaded already, limit its BLAS to one.
    """
    if "numpy" in sys.modules:
        import threadpoolctl  # 4 ms, for programs that load NumPy first

        threadpoolctl.threadpool_limits(1, "blas")
        yield
        return
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
    try:
        yield
    finally:  # child processes are not affected
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
