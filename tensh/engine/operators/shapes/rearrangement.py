"""Joining, repeating and moving elements: results in new memory."""

from functools import lru_cache, partial

import numpy as np

from tensh.engine.arguments.checks import integer
from tensh.engine.arrays import memory
from tensh.engine.arrays.copying import copy_into
from tensh.engine.codegen.derivatives import LIST
from tensh.engine.codegen.describe import describe_inplace
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import on_tensors, word
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY, combine_categories, promote_types
from tensh.engine.errors.messages import too_large, wrap_dim, wrap_dims
from tensh.engine.inplace.plain import is_plain
from tensh.engine.inplace.writes import begin_write, write_inplace
from tensh.engine.operators.kernels import LARGE, write_unless, zero_unless
from tensh.engine.operators.reductions.summation import add_along
from tensh.engine.operators.shapes.views import ALL, BEFORE, make_key, select, slice_dim

# ── joining ──────────────────────────────────────────────────────────────────
NO_CAST = TypeError("torch.cat(): input types can't be cast to the desired output type {1.title}")


@op(sequence="tensors", out=NO_CAST, apart=True, public="function", tensors="parts(g, tensors.shape, dim)")
def cat(tensors, dim=0):
    """Join tensors along ``dim``; they agree in all other sizes.  Differentiable.

    Shapes: [n, *], [m, *] to [n + m, *]. Raise RuntimeError for other shapes, ValueError without tensors.

    >>> import tensh as torch
    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    try:
        if dim.__class__ is int and are_alike(tensors) and (tensors[0].ndim < 4 or memory.is_row_major(tensors[0])):
            return np.concatenate(tensors, dim)
    except (ValueError, TypeError, IndexError):
        pass  # PyTorch's error is raised below
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [array.shape for array in tensors]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated")
    full = [shape for shape in shapes if shape != (0,)]  # empty vectors fit any tensor, and on their own any dimension
    dim = wrap_dim(dim, len(full[0])) if full else 0
    full = full or shapes
    require_matching(full, dim)
    size = (*full[0][:dim], sum([shape[dim] for shape in full]), *full[0][dim + 1 :])
    if all([memory.channels_innermost(array) for array in tensors]):
        return join_channels(tensors, size, dim)
    out = np.empty(size, common_dtype(tensors))
    return np.concatenate([a for a in tensors if a.shape != (0,)] or tensors[:1], dim, out, casting="unsafe")


def join_channels(tensors, size, dim):
    """Join arrays whose channels lie innermost, as those of the result do."""
    out = np.empty((size[0], *size[2:], size[1]), common_dtype(tensors)).transpose(0, -1, *range(1, len(size) - 1))
    return np.concatenate(tensors, dim, out, casting="unsafe")


def are_alike(arrays):
    """Return True if all arrays are row-major and of one dtype."""
    dtype = arrays[0].dtype
    for array in arrays:  # noqa: SIM110 - a generator takes twice as long
        if array.dtype is not dtype or not array.flags.c_contiguous:
            return False
    return True


def common_dtype(arrays):
    """Return the common dtype by PyTorch's promotion: 0-d arrays count only if their category is higher."""
    dtype = arrays[0].dtype
    if all([array.dtype is dtype for array in arrays]):
        return dtype
    ranks = [None, None]
    for array in arrays:
        own, rank = BY_NUMPY[array.dtype], array.ndim == 0
        ranks[rank] = own if ranks[rank] is None else promote_types(ranks[rank], own)
    return combine_categories(*ranks).numpy


def require_matching(shapes, dim):
    """Raise unless the shapes agree beside ``dim``."""
    first = shapes[0]
    for number, shape in enumerate(shapes):
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for d, (n, m) in enumerate(zip(first, shape, strict=True)):
            if n != m and d != dim:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got size {m} for tensor "
                    f"number {number} in the list."
                )


def parts(grad, shapes, dim):
    """Return consecutive parts along ``dim`` of the given shapes; empty vectors, which fit any tensor, get no part."""
    dim = wrap_dim(dim, grad.ndim)
    cut = on_tensors("slice_dim") if isinstance(grad, Tensor) else slice_dim.kernel
    found, start = [], 0
    for shape in shapes:
        size = 0 if shape == (0,) else shape[dim]
        part = cut(grad, dim, start, start + size, 1)
        found.append(part if len(shape) == part.ndim else part.reshape(-1))
        start += size
    return found


def rows(grad, dim):
    """The parts of ``grad`` along ``dim``, without that dimension."""
    one = on_tensors("select") if isinstance(grad, Tensor) else select.kernel
    return [one(grad, dim, i) for i in range(grad.shape[dim])]


word(parts), word(rows)


@op(sequence="tensors", out=NO_CAST, apart=True, public="function", tensors="rows(g, dim)")
def stack(tensors, dim=0):
    """The tensors, all of one size, stacked along a new dimension ``dim``.  Differentiable.

    Shapes: k of [*] to [k, *]. Raise RuntimeError for other shapes, or without tensors.

    >>> import tensh as torch
    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = tensors[0].shape
    for number, array in enumerate(tensors):
        if array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and {list(array.shape)} at "
                f"entry {number}"
            )
    dim = wrap_dim(dim, len(shape) + 1)
    key = (*BEFORE[dim], None)
    if are_alike(tensors):
        return np.concatenate([array[key] for array in tensors], dim)
    if dim < len(shape) and all([memory.channels_innermost(array) for array in tensors]):
        size = (*shape[:dim], shape[dim] * len(tensors), *shape[dim + 1 :])
        return join_channels(tensors, size, dim).reshape(*shape[:dim], len(tensors), *shape[dim:])
    out = np.empty((*shape[:dim], len(tensors), *shape[dim:]), common_dtype(tensors))
    return np.concatenate([array[key] for array in tensors], dim, out, casting="unsafe")


@op(public=False, out=False, sequence="tensors", node="BlockDiagBackward0", tensors="blocks(g, shapes)")
def block_diagonal(tensors, shapes):
    """Matrices along the diagonal of zeros."""
    out = np.zeros((sum(m for m, _ in shapes), sum(n for _, n in shapes)), common_dtype(tensors))
    for block, array, shape in zip(split_blocks(out, shapes), tensors, shapes, strict=True):
        block[...] = array.reshape(shape)
    return out


@op(public=False, out=False, many=True, outs=LIST, grad="block_diagonal(gs, shapes)")
def blocks(grad, shapes):
    """The blocks along the diagonal."""
    return split_blocks(grad, shapes)


def split_blocks(array, shapes):
    found, row, column = [], 0, 0
    for m, n in shapes:
        found.append(array[row : row + m, column : column + n])
        row, column = row + m, column + n
    return found


# ── repeating ────────────────────────────────────────────────────────────────
def interleave_shape(shape, repeats):
    """Return ``shape`` extended to the length of ``repeats``, and the size with a repetition before every dimension."""
    shape = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    return shape, [n for pair in zip(repeats, shape, strict=True) for n in pair]


@op(
    public=False,
    out=False,
    node="RepeatBackward0",
    input="zeros_as(g, input.shape) if 0 in repeats else repeat_back(g, input.shape, repeats)",
)
def repeat_dims(input, repeats):
    """The input repeated ``repeats`` times along each dimension."""
    shape, size = interleave_shape(input.shape, repeats)
    repeated = [n * times for n, times in zip(shape, repeats, strict=True)]
    try:
        out = np.empty(size, input.dtype)
    except ValueError as error:
        raise too_large(error, repeated, input.itemsize) from None
    out[...] = input.reshape([n for each in shape for n in (1, each)])
    return out.reshape(repeated)


@op(public=False, out=False, grad="repeat_dims(g, repeats)")
def repeat_back(grad, shape, repeats):
    """The sum of all repetitions."""
    _, size = interleave_shape(shape, repeats)
    return add_along(grad.reshape(size), tuple(range(0, len(size), 2))).reshape(shape)


# ── moving ───────────────────────────────────────────────────────────────────
@op(public=False, out=False, node="FlipBackward0", input="flip_dims(g, dims)")
def flip_dims(input, dims):
    """The input with the order reversed along ``dims``."""
    dims = wrap_dims(dims, input.ndim)
    turned = input[tuple([BACKWARDS if d in dims else ALL for d in range(input.ndim)])]
    if input.size < LARGE and memory.is_row_major(input):
        return turned.copy()
    out = memory.empty_like(input, input.dtype)
    copy_into(out, turned)
    return out


BACKWARDS = slice(None, None, -1)


@op(public=False, out=False, node="RollBackward0", input="roll_dims(g, opposite(shifts), dims)")
def roll_dims(input, shifts, dims):
    """Shift elements by ``shifts`` along ``dims``, or of the flattened input; those past the end re-enter."""
    if not input.size:
        return input.copy()
    if not dims:
        return roll_dims.kernel(input.reshape(-1), shifts, (0,)).reshape(input.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        dim = wrap_dim(dim, input.ndim)
        n = input.shape[dim]
        shift = shift % n if n else 0
        kept = shift and memory.channels_innermost(input)
        out = memory.empty_like(input, input.dtype) if kept else np.empty(input.shape, input.dtype)
        out[make_key(dim, slice(shift, None))] = input[make_key(dim, slice(0, n - shift))]
        out[make_key(dim, slice(0, shift))] = input[make_key(dim, slice(n - shift, None))]
        input = out
    return input


@word
def opposite(numbers):
    """Negate several numbers."""
    return tuple(-n for n in numbers)


@op(public=False, out=False, node="Rot90Backward0", input="rotate_dims(g, -times, dims)")
def rotate_dims(input, times, dims):
    """Rotate the input by ``times`` 90 degrees in the plane of two dimensions."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    one, two = (wrap_dim(d, input.ndim) for d in dims)
    if one == two:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    match times % 4:
        case 0:
            return input.copy()
        case 1:
            return flip_dims.kernel(input, (two,)).swapaxes(one, two)
        case 2:
            return flip_dims.kernel(input, (one, two))
        case 3:
            return flip_dims.kernel(input, (one,)).swapaxes(one, two)


# ── triangles and diagonals ──────────────────────────────────────────────────
KEPT, ROWS = 1 << 16, 64  # elements of a mask that is kept, and rows that are cleared at a time


@lru_cache(8)
def small_triangle(part, rows, columns, diagonal):
    """Return a mask of a triangle: comparing indices takes a fifth of the time of NumPy's function."""
    dtype = np.int32 if rows + columns < 1 << 30 else np.int64
    column, edge = np.arange(columns, dtype=dtype), np.arange(diagonal, rows + diagonal, dtype=dtype)[:, None]
    return np.less_equal(column, edge) if part is np.tril else np.greater_equal(column, edge)


def triangle_mask(part, rows, columns, diagonal):
    """Return a mask of a triangle, cached up to KEPT elements, because making one takes as long as using it, or longer."""
    make = small_triangle if rows * columns <= KEPT else small_triangle.__wrapped__
    return make(part, rows, columns, diagonal)


def is_stack(array):
    """Return True for arrays of up to three dimensions and dense stacks of matrices, which PyTorch writes without a copy."""
    if array.ndim <= 3:
        return True
    steps, dense = memory.strides(array)[:-2], memory.contiguous_strides(array.shape)[:-2]
    return (array.shape[0] == 1 or steps[0] in (0, dense[0])) and steps[1:] == dense[1:]


def clear_outside(array, part, diagonal):
    """Write zeros outside a triangle of the matrices, some rows at a time: only the block on the diagonal needs a mask.

    A million numbers take a fifth of the time of a mask of them all.
    """
    rows, columns = array.shape[-2:]
    lower = part is np.tril
    for top in range(0, rows, ROWS):
        bottom = min(top + ROWS, rows)
        begin, end = min(max(top + diagonal + lower, 0), columns), min(max(bottom + diagonal - (not lower), 0), columns)
        (array[..., top:bottom, end:] if lower else array[..., top:bottom, :begin]).fill(0)
        if begin < end:
            inside = array[..., top:bottom, begin:end]
            write_unless(inside, inside, triangle_mask(part, bottom - top, end - begin, top + diagonal - begin))


def triangle(name, part, what):
    """Declare ``tril`` or ``triu``."""

    def kernel(input, diagonal=0):
        return zero_unless(np.ascontiguousarray(input) if input.ndim else input, is_within(input, diagonal))

    def is_within(input, diagonal):
        return triangle_mask(part, *input.shape[-2:], take_diagonal(input, diagonal))

    def take_diagonal(input, diagonal):
        if input.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        if type(diagonal) is not int:
            diagonal = integer(diagonal, name, "diagonal", 1)
        if not -(2**63) <= diagonal < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return min(max(diagonal, -input.shape[-2]), input.shape[-1])  # all beyond are alike

    doc = f"""The {what} of the matrices in the last two dimensions, zeros elsewhere.  Differentiable.

    Shape: [..., n, m].

    ``diagonal`` counts from the main diagonal: 1 is the one above it.
    """
    declared = op(kernel, name=name, doc=doc, input=f"{name}(g, diagonal)")

    def clear_inplace(input, diagonal=0):
        if is_plain(input, ()):
            stamp_write(input.array)
            clear_outside(input.array, part, take_diagonal(input.array, diagonal))
            return input
        since = begin_write(input)
        zeros = partial(np.copyto, src=0, where=~is_within(input.array, diagonal), casting="unsafe")
        return write_inplace(input, since, declared.fn(input, diagonal), f"{name}_", is_stack(input.array) and zeros)

    clear_inplace.__name__ = clear_inplace.__qualname__ = f"{name}_"
    clear_inplace.__module__, clear_inplace.__doc__ = "torch", describe_inplace(name)
    METHODS[f"{name}_"] = clear_inplace


triangle("tril", np.tril, "elements on and below a diagonal")
triangle("triu", np.triu, "elements on and above a diagonal")


@op(
    public=False,
    out=False,
    node="NarrowCopyBackward0",
    input="slice_back(g, input.shape, dim, start, start + length, 1)",
)
def narrowed_copy(input, dim, start, length):
    """Copy a part along ``dim`` into new memory."""
    return input[make_key(dim, slice(start, start + length))].copy()
