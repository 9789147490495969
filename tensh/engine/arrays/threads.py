"""Array jobs cut into blocks and shared by the machine's cores.

NumPy releases Python's lock, so threads run in parallel.  Blocks depend on shapes alone, never on the number of
threads, and are computed independently: results are bit for bit the same on any number of cores. Starting a job takes 5
µs, and another core begins after 20 to 50, so small arrays are not cut.
"""

import math
import os
import threading
from contextlib import suppress
from itertools import count, pairwise

import numpy as np
from numpy import ndarray, ufunc

from tensh.engine.arrays import halves
from tensh.engine.arrays.blas import MANY, read_limit
from tensh.engine.arrays.tabulated import compute_halves
from tensh.engine.arrays.vectors import HAS_AVX512
from tensh.engine.core.clock import owner
from tensh.engine.core.lift import Lift
from tensh.support.processors import count_processors

# Elements from which a job is worth sharing: one of many steps for each element, one of few, and one bound by memory.
# Two cores take 0.7 of the time of one for 200 microseconds of work, and the same time for 70.
PARALLEL_HEAVY, PARALLEL, PARALLEL_LIGHT = (1 << 18 if HAS_AVX512 else 1 << 17), 1 << 19, 1 << 21
# Elements of a block: the least, and the most.  With fewer, more would stay in the cache, but threads would wait for
# Python's lock, and be woken late: on two cores sums along rows take twice the time in blocks of 1 << 17.
BLOCK, MOST = 1 << 17, 1 << 19
BLOCKS = 8  # number of blocks of a large array, so that cores of different speed end together
# Comparisons and logical functions, whose results are bool: NumPy writes them into numbers one by one.
COMPARISONS = frozenset(
    getattr(np, name)
    for name in "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not".split()
)
# Elementwise functions that are bound by memory; others have an attribute ``light``.
LIGHT = COMPARISONS | frozenset(
    getattr(np, name)
    for name in "add subtract multiply divide negative absolute bitwise_and bitwise_or bitwise_xor invert isnan isinf isfinite".split()
)
IN_CACHE = 1 << 16  # elements of a block that is computed and then copied into an existing array
HUGE = 1 << 30  # elements of a result whose memory is asked for before its operands are computed


# Elements of NumPy's buffer, 8192 by default.  Where rows are no longer than that, a number that stands for a whole row
# is copied into the buffer for every element: multiplying rows of 1024 by a number each then takes twice the time.
BUFFER = 1024


def settle():
    """Set NumPy's state of every thread."""
    np.seterr(all="ignore")  # inf and nan are silent, as in PyTorch; an errstate per operation would cost more than it
    np.setbufsize(BUFFER)


# ── threads ──────────────────────────────────────────────────────────────────
class ThreadPool:
    """Threads that wait for a job, created on first use, and again in a forked child."""

    def __init__(self):
        # number of threads, as set by a program or its environment; None means the number of processors
        self.limit = read_limit("OMP_NUM_THREADS", "MKL_NUM_THREADS")
        self.forget()

    def forget(self):
        self.busy, self.bells, self.job = threading.Lock(), [], None

    prepare = None
    """Functions that a helper thread calls before each job, to apply the program's processor settings."""

    def size(self):
        """Return the number of threads that may work, including the caller."""
        return self.limit or count_processors()

    def serve(self, bell):
        """Loop of a thread: wait for a signal, take part in the job."""
        settle()
        while bell.acquire():
            if self.prepare is not None:
                self.prepare()
            self.job()

    def call(self, helpers):
        """Wake that many threads."""
        while len(self.bells) < helpers:
            bell = threading.Lock()
            bell.acquire()
            threading.Thread(target=self.serve, args=(bell,), name="tensh", daemon=True).start()
            self.bells.append(bell)
        for bell in self.bells[:helpers]:
            with suppress(RuntimeError):  # still awake from the previous job
                bell.release()


pool = ThreadPool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.forget)


def run(work, blocks, alone=False, limit=MANY):
    """Call ``work(0)`` to ``work(blocks - 1)``, each once, in any order, on several threads unless ``alone``.

    No more than ``limit`` of them take part.
    A job within a job, or during another thread's job, runs in the calling thread alone.
    """
    helpers = 0 if alone else min(pool.size(), blocks, limit) - 1
    if helpers < 1 or not pool.busy.acquire(blocking=False):
        for i in range(blocks):
            work(i)
        return
    busy = pool.busy
    try:
        run_with_helpers(work, blocks, helpers)
    finally:
        busy.release()


def run_with_helpers(work, blocks, helpers):
    """Run a job with helper threads.  Blocks are taken one by one, so a late thread does less, or nothing."""
    take, finish, over, errors = count().__next__, count(1).__next__, threading.Lock(), {}
    over.acquire()

    def job():
        while (i := take()) < blocks:
            try:
                work(i)
            except (Exception, Lift) as error:
                errors[i] = error
            if finish() == blocks:
                over.release()

    pool.job = job
    pool.call(helpers)
    job()
    over.acquire()
    work = None  # a thread that wakes late refers to the job, which must not keep its arrays alive
    if errors:
        raise errors[min(errors)]


def block_size(size):
    """Return the number of elements in a block of an array of ``size``."""
    return min(max(size // BLOCKS, BLOCK), MOST)


def even_share(size, most=MOST):
    """Return the number of elements in each of the fewest blocks of at most ``most``, an even number: two cores end together.

    For jobs of many steps, whose threads wait for Python's lock in every step: normalising a million numbers takes 0.2
    milliseconds in two blocks and 0.4 in eight, where one core takes 0.26.
    """
    return -(-size // (2 * -(-size // (2 * most))))


def map_rows(work, rows, length, size=None, least=None):
    """Call ``work(part)`` for slices of ``rows``, each of about ``size`` elements if a row has ``length``.

    On several threads, if there are ``least`` elements (PARALLEL_HEAVY).
    """
    number = max(1, (size or block_size(rows * length)) // max(length, 1))
    blocks = -(-rows // number)
    run(lambda i: work(slice(i * number, (i + 1) * number)), blocks, rows * length < (least or PARALLEL_HEAVY))


def map_shares(work, rows):
    """Call ``work(part)`` for slices of ``rows`` that may be cut anywhere, because each row is computed by itself.

    The calling thread begins with an equal share, woken threads with less, and the rest is cut into small blocks: two
    cores add 8 million numbers in 0.86 of the time of eight equal blocks.
    """
    threads = min(pool.size(), rows)
    if threads < 2:
        work(slice(rows))
        return
    first, small = rows // threads, rows // (8 * threads)
    middle = rows - first - threads * small
    ends = [first + middle * k // (threads - 1) for k in range(threads)]
    ends += [rows - small * k for k in reversed(range(threads))]
    parts = [slice(start, end) for start, end in pairwise([0, *ends]) if start < end]
    run(lambda i: work(parts[i]), len(parts))


# ── elementwise functions ────────────────────────────────────────────────────
def parallel_map(kernel, arrays, others=(), into=None, **options):
    """Call ``kernel(*arrays, *others, **options)``, an elementwise function, in blocks.

    ``arrays`` are broadcast; None stands for a missing one.  A ufunc writes ``into`` an array if given; other functions
    do if the result has its dtype and is real or complex, since such functions do not fail halfway. A function with an
    attribute ``write_into``, which writes the result into its first argument, needs no copies.
    """
    if any([type(a) is not ndarray for a in arrays if a is not None]):  # other arrays raise Absence, or handle it
        return kernel(*arrays, *others, **options, **({"out": into} if isinstance(kernel, ufunc) else {}))
    if halves.fits(kernel, arrays, into):
        return halves.compute(kernel, *arrays)
    if len(arrays) == 1 and (found := compute_halves(kernel, arrays[0], others, options)) is not None:
        if into is None:
            return found
        into[...] = found
        return into
    shape = np.broadcast_shapes(*[a.shape for a in arrays if a is not None])
    is_converted = into is not None and into.dtype.kind != "b" and kernel in COMPARISONS
    direct, write = isinstance(kernel, ufunc) and not is_converted, getattr(kernel, "write_into", None)
    seen = lines_of([a for a in (*arrays, into) if a is not None and a.ndim], shape)
    if seen is None or math.prod(shape) <= BLOCK or into is not None and map_transposed(into, arrays):
        return kernel(*arrays, *others, **options, **({"out": into} if direct else {}))
    if into is None and math.prod(shape) > HUGE:
        np.empty(shape, arrays[0].dtype)  # fails without memory for the result
    # kernels with temporary arrays should find these in the cache
    most = IN_CACHE if into is not None else BLOCK
    size = even_share(math.prod(shape), block_size(math.prod(shape)) if direct or write else most)
    parts, places = split_blocks([a if a is None or not a.ndim else seen(a) for a in arrays], size)
    out = into
    if not direct:
        dtype = kernel(*parts(slice(0)), *others, **options).dtype
        if out is None or (out.dtype is not dtype or dtype.kind not in "fcV") and dtype.kind != "b":
            out = np.empty(shape, dtype, "F" if seen is transpose else "C")
    elif out is None:
        dtype = kernel.resolve_dtypes((*[a.dtype for a in arrays], None))[-1]
        out = np.empty(shape, dtype, "F" if seen is transpose else "C")
    target = seen(out)

    def work(i):
        place = places[i]
        if direct:
            kernel(*parts(place), out=target[place])
        elif write:
            write(target[place], *parts(place), *others, **options)
        else:
            target[place] = kernel(*parts(place), *others, **options)

    run(work, len(places), into is not None and math.prod(shape) < PARALLEL_LIGHT and is_light(kernel))
    return out


def is_light(kernel):
    return kernel in LIGHT or hasattr(kernel, "light")


def parallel_kernel(kernel, number):
    """Make ``kernel``, a function of so many arrays, a word of derivatives that computes large arrays in blocks."""
    least = PARALLEL_LIGHT if is_light(kernel) else PARALLEL_HEAVY

    def quick(first, *rest):
        if first.size < least or not all([a is None or type(a) is ndarray for a in rest[: number - 1]]):
            return kernel(first, *rest)
        return parallel_map(kernel, (first, *rest[: number - 1]), rest[number - 1 :])

    return quick


def map_transposed(into, arrays):
    """Return True if ``into`` shares memory with an array other than element by element."""
    block = owner(into)
    return any([a is not None and a is not into and owner(a) is block for a in arrays])


def lines_of(arrays, shape):
    """Return the function that reshapes arrays which broadcast to ``shape`` to be cut along the first dimension.

    None if they have no common order of elements; NumPy then chooses the order.
    """
    if all([a.shape == shape and a.flags.c_contiguous for a in arrays]):
        return flat
    if all([a.shape == shape and a.flags.f_contiguous for a in arrays]):
        return transpose
    return keep_array if shape[0] > 1 and all([is_in_order(a) for a in arrays]) else None


def flat(array):
    return array.reshape(-1)


def transpose(array):
    return array.T.reshape(-1)


def keep_array(array):
    return array


def is_in_order(array):
    """Return True if the elements are in memory order, with or without gaps."""
    steps = [abs(step) for n, step in zip(array.shape, array.strides, strict=True) if n > 1 and step]
    return all([one >= two for one, two in zip(steps, steps[1:], strict=False)])


def split_blocks(arrays, size):
    """Return (function from a slice of the first dimension to the arrays' parts, the slices of all blocks)."""
    shape = np.broadcast_shapes(*[a.shape for a in arrays if a is not None])
    ndim, length = len(shape), shape[0]
    rows = max(1, size // math.prod(shape[1:]))

    def parts(place):
        return [a[place] if a is not None and a.ndim == ndim and len(a) == length else a for a in arrays]

    return parts, [slice(start, start + rows) for start in range(0, length, rows)]
