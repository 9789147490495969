"""A quick start: nothing heavy is imported before it is needed, and what is needed is cheap.

Imports make hundreds of thousands of objects that stay until the end, and no garbage. Without the two functions here
the collector looks through them again and again, at start-up and once more when the interpreter ends: 20 ms of 115.
"""

import gc
import os


def begin():
    """Before the imports: no collection, and BLAS threads that soon sleep when they have no work."""
    gc.disable()
    # They start when NumPy is loaded, and spin for 2**26 cycles in OpenBLAS's default setting: 20 ms of processor time
    # for every start, and more the more processors there are. 2**20 cycles, a third of a millisecond, cost nothing
    # there and keep the threads awake between the products of a training step; 2**4 made a 128 x 128 product take
    # 48 us instead of 30.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")


def freeze_loaded():
    """After the imports: what is there stays out of every collection to come; what the user makes is collected."""
    gc.freeze()
    gc.enable()


def end():
    """Whatever happened, leave with the collector on."""
    gc.enable()
