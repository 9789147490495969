"""Gathering, with one index per element, and the flat positions that scattering shares with it.

``places`` turns indices along one dimension into positions in flat memory, which NumPy reads (``take``) several times
as fast as with one index array for every dimension.
"""

import math
from functools import lru_cache

import numpy as np

from tensh.engine.arrays.gathering import is_within, take_flat, take_in_rows, take_slices
from tensh.engine.arrays.scattering import ADDING, MANY, add_at_once, write_slices
from tensh.engine.arrays.threads import PARALLEL, map_rows
from tensh.engine.codegen.table import op
from tensh.engine.errors.messages import OTHER_DTYPE, wrap_dim


# ── positions ────────────────────────────────────────────────────────────────
def places(shape, dim, index):
    """Return the position in flat, dense memory of ``shape`` for each element of ``index`` along ``dim``."""
    if not shape:
        return index
    beside, step = rows_beside(shape, dim, index.shape)
    along = index if step == 1 else np.multiply(index, step, dtype=np.int64)
    return along if beside is None else along + beside


def rows_beside(shape, dim, sizes):
    """Return (the positions for an index array of zeros, the stride along ``dim``)."""
    make = small_rows if sum(sizes) <= 256 else positions_beside
    return make(shape, dim, sizes)


@lru_cache(256)
def small_rows(shape, dim, sizes):
    """Return the same; of few positions as many as there are indices: adding broadcast ones takes three times as long."""
    found, own = positions_beside(shape, dim, sizes)
    if found is not None and 0 < math.prod(sizes) <= FEW:
        found = np.broadcast_to(found, sizes).copy()
    return found, own


FEW = 1 << 10  # positions


def positions_beside(shape, dim, sizes):
    step, own, found = 1, 1, None
    for d in range(len(shape) - 1, -1, -1):
        if d == dim:
            own = step
        elif sizes[d] > 1:
            rows = (np.arange(sizes[d]) * step).reshape(-1, *[1] * (len(shape) - d - 1))
            found = rows if found is None else found + rows
        step *= shape[d]
    return found, own


def extent(index):
    """Return the smallest and the largest number of a non-empty index array, by their places: a third of the time."""
    return index.item(index.argmin()), index.item(index.argmax())


def require_index(index, name):
    """Raise unless ``index`` has an index dtype."""
    if index.dtype.kind != "i" or index.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def find_shared(index, dim, shape):
    """Return the numbers along ``dim`` of an expanded index array, such as a vector for whole rows, or None.

    They are those of all slices of an array of ``shape``, which are read or added as a whole.
    """
    if 0 not in index.strides or index.ndim != len(shape):
        return None
    for d, (n, m, step) in enumerate(zip(index.shape, shape, index.strides, strict=True)):
        if d != dim and (n != m or step and n > 1):
            return None
    if math.prod(shape[dim + 1 :]) < 2:
        return None
    return index[(0,) * dim + (slice(None),) + (0,) * (len(shape) - dim - 1)]


def require_within(index, dim, n):
    """Raise unless all of ``index`` is within a dimension of size ``n``."""
    if 0 in index.strides and index.size:  # expanded: repeated numbers are read once
        index = index[tuple([slice(None) if step else slice(1) for step in index.strides])]
    if not index.size or is_within(index, n):
        return
    low, high = extent(index)
    if low < 0 or high >= n:
        wrong = index[(index < 0) | (index >= n)].flat[0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {n}")


# ── reading, and the way back ────────────────────────────────────────────────
@op(
    out=OTHER_DTYPE,
    apart=True,
    input="gather_back(g, input.shape, dim, index)",
    index=None,
)
def gather(input, dim, index, *, sparse_grad=False):
    """Return for every element of ``index`` the input's element with that index along ``dim``.  Differentiable.

    ``out[i][j] = input[index[i][j]][j]`` for dim 0.  The gradient is dense whatever ``sparse_grad`` says.  Shapes: [*]
    and ``index`` [*] of as many dimensions. Raise RuntimeError for indices out of range.

    >>> import tensh as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    dim = wrap_dim(dim, input.ndim)
    if index.size == 0:
        return np.empty(index.shape, input.dtype)
    require_index(index, "gather")
    if index.ndim != input.ndim and index.ndim + input.ndim > 1:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d in range(input.ndim):
        if d != dim and index.ndim and index.shape[d] > input.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {dim}"
            )
    if not input.ndim:
        require_within(index, 0, 1)
        return input.reshape(-1).take(index)
    n = input.shape[dim]
    if (shared := find_shared(index, dim, input.shape)) is not None:
        require_within(shared, dim, n)
        return take_slices(np.ascontiguousarray(input), shared, dim)
    if dim == 1 and input.ndim == 2 and len(index) == len(input) and index.size >= PARALLEL:
        return take_in_rows(np.ascontiguousarray(input), index, lambda some: require_within(some, dim, n))
    beside, step = rows_beside(input.shape, dim, index.shape)

    def place(some, part):
        require_within(some, dim, n)
        along = some if step == 1 else np.multiply(some, step, dtype=np.int64)
        if beside is None:
            return along
        return along + (beside[part] if beside.shape[:1] == index.shape[:1] and beside.ndim == index.ndim else beside)

    return take_flat(input, index, place)


@op(public=False, out=False, node="ScatterAddBackward0", grad="gather(g, dim, index)", index=None)
def gather_back(grad, shape, dim, index):
    """``grad`` added to zeros, every element at its index along ``dim``."""
    out = np.zeros(shape, grad.dtype)
    write_in_parts(add_at_once, out, wrap_dim(dim, len(shape)), index, grad)
    return out


def write_in_parts(write, out, dim, index, *values):
    """Call ``write(flat out, flat positions, flat values)`` for an index array that fits the dense array ``out``.

    Unless ``dim`` is the first dimension, rows have no position in common and are written in parallel.  Whole slices are
    added as such.
    """
    shared = find_shared(index, dim, out.shape) if write in ADDING and index.size >= MANY else None
    if shared is not None:
        write_slices(write, out, dim, shared, *values)
        return

    def work(part):
        where = places(out.shape, dim, index[part]).reshape(-1)
        write(out[part].reshape(-1), where, *[v[part].reshape(-1) for v in values])

    if dim and index.size >= PARALLEL:
        map_rows(work, len(index), index.size // len(index))
    else:
        work(...)
