"""Rules of single operators and functions for meta tensors."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import make_absent, make_like
from tensh.engine.dispatch.meta.probing import probe
from tensh.engine.errors.unavailable import NO_KERNEL
from tensh.engine.operators.indexing import index as indexing
from tensh.engine.operators.linalg.symmetric import check_factors

KERNELS: dict = {}
"""Operator -> kernel on absent arrays, where probing would fail or be slow."""


def kernel(fn):
    KERNELS[fn.__name__] = fn
    return fn


@kernel
def cast(input, to, memory_format=None):
    if memory_format is None:
        return make_like(input, to)
    return make_absent(input.shape, to, [*memory.order_in(input, memory_format)])


@kernel
def mm(input, mat2):
    if input.shape[1] != mat2.shape[0]:
        (n, m), (k, j) = input.shape, mat2.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {k}x{j})")
    return make_absent((input.shape[0], mat2.shape[1]), input.dtype)


@kernel
def lstm_layer(input, w_ih, w_hh, b_ih, b_hh, hidden, cell, backwards):
    count, batch, width = *input.shape[:2], w_hh.shape[1]
    shapes = (count, batch, width), hidden.shape, cell.shape, (count, 4, batch, width), (count, batch, width)
    return tuple([make_absent(shape, input.dtype) for shape in shapes])


@kernel
def linalg_lu_solve(LU, pivots, B, left, adjoint):
    shape = (*np.broadcast_shapes(LU.shape[:-2], B.shape[:-2]), *B.shape[-2:])
    batch = [*range(len(shape) - 2)]
    return make_absent(shape, B.dtype, [*batch, len(shape) - 1, len(shape) - 2] if left else None)  # columns or rows


@kernel
def linalg_ldl_solve(LD, pivots, B, hermitian=False):
    check_factors(LD, pivots, B)
    return linalg_lu_solve(LD, pivots, B, True, False)


@kernel
def plu(LU, pivots):
    *batch, n, m = LU.shape
    sizes = (n, n), (n, min(n, m)), (min(n, m), m)
    return tuple(make_absent((*batch, *each), LU.dtype) for each in sizes)


@kernel
def unsafe_view(input, size):
    return input.reshape(size)


def make_refusal(kind, text):
    """Return a function that raises, because its result depends on elements."""

    def function(*args, **options):
        raise kind(text)

    return function


OF_ELEMENTS = {
    "equal": "equal", "unique_elements": "_unique2", "unique_slices": "unique_dim", "unique_runs": "unique_consecutive",
    "bincount": "bincount", "histogram_of": "histogram.bin_ct", "histogram_of_points": "histogramdd",
    "masked_select": "masked_select", "nonzero": "nonzero", "argwhere": "nonzero", "linalg_lstsq": "linalg_lstsq.out",
    "geqrf": "geqrf",
}  # fmt: skip
"""Operators and functions whose results depend on elements -> their names in PyTorch's message."""
ALL_NONZERO = NO_KERNEL.format("nonzero")


@kernel
def index(input, indices):
    """Refuse a mask, whose elements determine the shape of the result."""
    if any(each is not None and each.dtype.kind == "b" for each in indices):
        raise NotImplementedError(ALL_NONZERO)
    return probe(indexing.index.kernel, (input, indices), {}, "index")


REFUSED = {name: make_refusal(NotImplementedError, NO_KERNEL.format(spoken)) for name, spoken in OF_ELEMENTS.items()}
KERNELS.update(REFUSED)
