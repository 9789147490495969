"""NumPy's library of matrix products (BLAS), held to one thread.

The threads of BLAS wait for one another by spinning.  On a machine whose cores are busy they spin for a core that is not
free: a product of 64 x 784 by 784 x 256 takes 80 microseconds on two quiet cores and 13,800 on busy ones.  The engine's
own threads share large products instead; see matmul.py.
"""

import contextlib
import os
import sys

# What the libraries read while they are loaded: OpenBLAS, MKL, BLIS, Accelerate.
VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
MANY = 1 << 16


def read_limit(*names):
    """The number of threads that the first of some environment variables asks for; None where none does."""
    for name in names:
        first = os.environ.get(name, "").partition(",")[0].strip()  # OpenMP takes a list: one number for each level
        if first.isascii() and first.isdigit() and int(first[:9]) > 0:
            return min(int(first[:9]), MANY)
    return None


LIMIT = read_limit("OPENBLAS_NUM_THREADS") or MANY  # of threads for matrix products, as PyTorch's BLAS would keep it


@contextlib.contextmanager
def load_single_threaded():
    """Load NumPy within: its BLAS has one thread.  Where NumPy is there already, its BLAS is told to use one."""
    if "numpy" in sys.modules:
        import threadpoolctl  # 4 ms, for programs that load NumPy first

        threadpoolctl.threadpool_limits(1, "blas")
        yield
        return
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
    try:
        yield
    finally:  # programs that this one starts decide for themselves
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
