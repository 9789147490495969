"""Functions of index tensors and masks, with PyTorch's overloads."""

import inspect

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays import memory
from tensh.engine.arrays.bounds import count_elements
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.describe import describe_inplace
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.codegen.table import OR_THE_SAME
from tensh.engine.core import lift, ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import broadcast_clash, wrap_dim
from tensh.engine.errors.warnings import warn_once
from tensh.engine.inplace.out import write_out
from tensh.engine.inplace.writes import begin_write
from tensh.engine.operators.forms import dims_of, method, require, require_kind
from tensh.engine.operators.indexing.composites.indexing import copy_if_shared, fills, read_array
from tensh.engine.operators.indexing.fold import OPERATORS, SCATTER
from tensh.engine.operators.indexing.gather import gather
from tensh.engine.operators.indexing.index import find_nonzero, index_error
from tensh.engine.operators.indexing.scatter import (
    find_outside,
    index_fill_number,
    index_fill_tensor,
    require_filling_index,
    require_slices,
    scatter_number,
)
from tensh.engine.operators.indexing.scatter import index_put as index_put_op
from tensh.engine.operators.shapes.composites.parts import require_room
from tensh.engine.operators.shapes.composites.reshaping import expand_to, reshape_to
from tensh.engine.operators.shapes.embedding import diagonal_put, number_as, select_put, slice_put, strided_put
from tensh.engine.operators.shapes.split import unbind


def both(choose, doc, out=True):
    """Declare a function and its in-place form; ``choose`` returns the operator and its arguments."""
    name = choose.__name__

    def select(input, args, named, called=name):
        try:
            return choose(require(input, called, "input", 1), *args, **named)
        except TypeError as error:
            if called != name:
                raise TypeError(str(error).replace(f"{name}()", f"{called}()", 1)) from None
            raise

    def function(input, *args, **named):
        try:
            operator, given = select(input, args, named)
        except Lift:
            return ports.batched_function(name, function, (input, *args), named)
        except (IndexError, RuntimeError):
            refresh_node(input)  # views that must not be written are reported before indices
            raise
        return operator.fn(input, *given)

    def choose_inplace(self, *args, **named):
        try:
            begin_write(self, *args, *named.values(), may_overlap=True)
            operator, given = select(self, args, named, f"{name}_")
        except Lift:
            return ports.batched_function(f"{name}_", choose_inplace, (self, *args), named)
        return operator.write_(self, *given)

    for fn, called in (function, name), (choose_inplace, f"{name}_"):
        fn.__name__ = fn.__qualname__ = called
        fn.__signature__, fn.passes_on = inspect.signature(choose), True
    function.__doc__, choose_inplace.__doc__ = doc, describe_inplace(name)
    composite(function, out=out, apart=OR_THE_SAME)
    method(choose_inplace)


# ── slices ───────────────────────────────────────────────────────────────────
def index_fill(input, dim, index, value):
    require(index, "index_fill", "index", 2)
    if isinstance(value, Tensor) and value.array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.array.ndim} dimension(s)."
        )
    given = value.array.item() if isinstance(value, Tensor) else value
    if isinstance(given, complex) and input.array.dtype.kind not in "cW":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    if isinstance(value, Tensor):
        if input.array.dtype.kind in "iu":
            FITTING[given, input.array.dtype]  # raises on overflow
        return index_fill_tensor, (dim, index, value)
    require_kind("Number", value, "index_fill", "value")
    require_filling_index(index.array)
    wrap_dim(dim, input.array.ndim)
    return index_fill_number, (dim, index, number_as(value, input.array.dtype))


both(index_fill, """The input with its slices at ``index`` along ``dim`` set to ``value``.

    ``value`` is a number or a tensor without dimensions.  Differentiable.  Shapes: [*] with ``index`` [k].
    """, out=False)  # fmt: skip


def index_arrays(input, indices, name):
    """Index arrays and masks from a sequence of tensors, checked against the dimensions of ``input``."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, not {type_name(indices)}")
    arrays = []
    for number, each in enumerate(indices):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type_name(each)}")
        arrays.append(np.asarray(read_array(each.array)))
    too_many = IndexError(f"too many indices for tensor of dimension {input.array.ndim} (got {len(arrays)})")
    if len(arrays) > input.array.ndim:
        raise too_many
    if sum(array.ndim if array.dtype.kind == "b" else 1 for array in arrays) > input.array.ndim:
        raise index_error(input.array.shape, arrays, too_many)
    return tuple(arrays)


def index_put(input, indices, values, accumulate=False):
    arrays = index_arrays(input, indices, "index_put")
    require(values, "index_put", "values", 2)
    require_kind("bool", accumulate, "index_put", "accumulate")
    if not accumulate and fills(indices, values, input.array.shape, input.array.dtype):
        values = copy_if_shared(values, input)
    return index_put_op, (arrays, values, accumulate)


both(index_put, """The input with ``values`` at the positions given by a tuple of index tensors.

    With ``accumulate`` they are added to what is there.  Differentiable.  Shapes: [*]; values broadcast to the positions.
    """, out=False)  # fmt: skip
PUBLIC["index_put_"] = METHODS["index_put_"]


# ── elements ─────────────────────────────────────────────────────────────────
SCATTER_FORMS = ("Tensor src", "Tensor src, *, str reduce", "Number value", "Number value, *, str reduce")


def number_for(input, dim, index, value):
    """Return a number as an element of the input; PyTorch reports errors of the index first."""
    if not index.array.size:
        value = 0
    try:
        return number_as(value, input.array.dtype)
    except RuntimeError:
        scatter_number.fn(input, dim, index, number_as(0, input.array.dtype))
        raise


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    require(index, "scatter", "index", 2)
    if (src is None) is (value is None) or not isinstance(src, (Tensor, int, float, complex, type(None))):
        bind(
            "scatter",
            [f"(int dim, Tensor index, {form})" for form in SCATTER_FORMS],
            (dim, index, *(() if src is None else (src,))),
            {} if value is None else {"value": value},
        )
    if not isinstance(src, Tensor):
        value, src = src if value is None else value, None
    if reduce is not None and src is not None:
        warn_once(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
            "release. Use torch.scatter_reduce instead for more reduction options."
        )
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    wrap_dim(dim, input.array.ndim)
    given = src if src is not None else number_for(input, dim, index, value)
    return SCATTER[reduce, src is None], (dim, index, given)


both(scatter, """The input with elements of ``src``, or a number, written at ``index`` along ``dim``.

    ``out[index[i][j]][j] = src[i][j]`` for dim 0.  ``reduce`` ("add" or "multiply") combines them with what is there and
    is not differentiable.  Differentiable otherwise.  Shapes: all [*] of as many dimensions; ``index`` no larger than
    ``src``.
    """)  # fmt: skip


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    require(index, "scatter_reduce", "index", 2), require(src, "scatter_reduce", "src", 3)
    require_kind("str", reduce, "scatter_reduce", "reduce")
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    require_kind("bool", include_self, "scatter_reduce", "include_self")
    return OPERATORS["scatter"][reduce], (dim, index, src, include_self)


both(scatter_reduce, """The elements of ``src`` combined at ``index`` along ``dim``.

    ``reduce`` is "sum", "prod", "mean", "amax" or "amin"; without ``include_self`` the input's own elements do not count
    where others come.  Differentiable.  Shapes: all [*] of as many dimensions; ``index`` no larger than ``src``.
    """)  # fmt: skip


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    require(index, "index_reduce", "index", 2), require(source, "index_reduce", "source", 3)
    require_kind("str", reduce, "index_reduce", "reduce")
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    require_kind("bool", include_self, "index_reduce", "include_self")
    array, dim = source.array, wrap_dim(dim, input.array.ndim)
    warn_once("index_reduce() is in beta and the API may change at any time.")
    require_slices("index_reduce_", input.array, dim, index.array, array)
    if find_outside(index.array, input.array.shape[dim] if input.array.ndim else 1) is not None:
        raise IndexError("index out of range in self")
    each = index.array.reshape([-1 if d == dim else 1 for d in range(array.ndim)])
    return OPERATORS["index"][reduce], (dim, wrap(np.broadcast_to(each, array.shape)), source, include_self)


both(index_reduce, """The slices of ``source`` combined at ``index`` along ``dim``.

    ``reduce`` is "prod", "mean", "amax" or "amin"; without ``include_self`` the input's own slices do not count where
    others come.  Differentiable.  Shapes: [*] with ``index`` [k]; ``source`` has k slices along ``dim``.
    """)  # fmt: skip


@composite
def take_along_dim(input, indices, dim=None, *, out=None):
    """The elements at ``indices`` along ``dim`` (of the flat input without it); the other dimensions are broadcast.

    Differentiable.  Shapes: ``indices`` and the result [*]. Raise RuntimeError for indices that are not int64.

    >>> import tensh as torch
    >>> x = torch.tensor([[3, 1, 2]])
    >>> torch.take_along_dim(x, x.argsort(1), 1)
    tensor([[1, 2, 3]])
    """
    array = require(indices, "take_along_dim", "indices", 2).array
    if dim is None:
        return gather.fn(reshape_to(input, (-1,)), 0, wrap(array.reshape(-1)), out=out)
    if input.array.ndim != array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.array.ndim} dimensions for input, and {array.ndim} dimensions for indices"
        )
    if array.dtype.kind != "i" or array.itemsize != 8:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {BY_NUMPY[array.dtype].title}"
        )
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, array.ndim)
    n = input.array.shape[dim] if array.ndim else 1
    sizes = [(*a.shape[:dim], *a.shape[dim + 1 :]) for a in (input.array, array)]
    if (
        clash := broadcast_clash([a.shape[:dim] + (1,) + a.shape[dim + 1 :] for a in (input.array, array)])
    ) is not None:
        raise RuntimeError(clash)
    beside = sizes[0] if sizes[0] == sizes[1] else np.broadcast_shapes(*sizes)
    if n == 0 and 0 not in (*beside, array.shape[dim]):
        raise RuntimeError("ZeroDivisionError")  # PyTorch divides by the size
    index = array % n if n else array
    shape = (*beside[:dim], array.shape[dim], *beside[dim:]) if array.ndim else ()
    if array.shape != shape:
        index = np.broadcast_to(index, shape)
    input = expand_to(input, (*beside[:dim], n, *beside[dim:]) if array.ndim else ())
    return gather.fn(input, dim, wrap(index), out=out)


# ── positions of elements ────────────────────────────────────────────────────
@composite
def nonzero(input, *, as_tuple=False, out=None):
    """The indices of the elements that are not zero, as rows; ``as_tuple`` gives a vector for every dimension.

    Shape: [*] with d dimensions to [found, d]. Raise RuntimeError for an ``out`` that is not int64, or beside ``as_tuple``.

    >>> import tensh as torch
    >>> torch.nonzero(torch.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    array = require(input, "nonzero", "input", 1).array
    if not as_tuple:
        result = wrap(find_nonzero(array).T)
        wrong = "nonzero: Expected out tensor to have scalar type {0.title} but got scalar type{1.title}"
        return result if out is None else write_out(out, result, "nonzero", wrong, (input,))
    if out is not None:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    return unbind.fn(wrap(find_nonzero(array if array.ndim else array.reshape(1)).T), 1)


@composite
def argwhere(input):
    """The indices of the elements that are not zero, as rows.  Shape: [*] with d dimensions to [found, d]."""
    return wrap(find_nonzero(require(input, "argwhere", "input", 1).array).T)


@composite
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """The first ``size`` rows of ``nonzero``, padded with ``fill_value``.

    Shape: [size, d]. Raise RuntimeError for a negative ``size``.
    """
    rows = find_nonzero(require(input, "nonzero_static", "input", 1).array).T
    require_kind("int", size, "nonzero_static", "size")
    require_kind("int", fill_value, "nonzero_static", "fill_value")
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    result = np.full((size, rows.shape[1]), fill_value, np.int64)
    result[: len(rows)] = rows[:size]
    return wrap(result) if out is None else write_out(out, wrap(result), "nonzero_static")


@composite(method=False)
@lift.accept_batches
def unravel_index(indices, shape):
    """The coordinates of positions in a flattened tensor of ``shape``: a tensor for every dimension.

    Shapes: each [*] as the positions. Raise ValueError for a negative size.

    >>> import tensh as torch
    >>> torch.unravel_index(torch.tensor(5), (2, 3))
    (tensor(1), tensor(2))
    """
    array = require(indices, "unravel_index", "indices", 1).array
    if array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, list, tuple)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in shape:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    if 0 in shape and array.size:
        raise RuntimeError("ZeroDivisionError")
    steps = np.cumprod((1, *shape[:0:-1]), dtype=np.int64)[::-1] if shape else np.empty(0, np.int64)
    return unbind.fn(wrap(array[..., None] // steps % np.array(shape, np.int64)), -1)


# ── replacing parts ──────────────────────────────────────────────────────────
@composite(out=True)
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """The input with the elements from ``start`` to ``end`` along ``dim`` replaced by ``src``.  Differentiable.

    Shapes: ``src`` is [*] with as many elements along ``dim``.
    """
    require(input, "slice_scatter", "input", 1), require(src, "slice_scatter", "src", 2)
    return slice_put.fn(input, src, dim, start, end, step)


@composite
def select_scatter(input, src, dim, index):
    """The input with the slice at ``index`` of ``dim`` replaced by ``src``.  Differentiable.

    Shapes: ``src`` is [*] without ``dim``. Raise RuntimeError for any other, IndexError for an index out of range.
    """
    require(input, "select_scatter", "input", 1), require(src, "select_scatter", "src", 2)
    if not input.array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.array.ndim)
    n = input.array.shape[dim]
    if not -n <= index < n:
        size = list(input.array.shape)
        raise IndexError(f"select(): index {index} out of range for tensor of size {size} at dimension {dim}")
    return select_put.fn(input, src, dim, index)


@composite
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """The input with a diagonal replaced by ``src``.  Differentiable.

    Shapes: ``src`` [..., k], as ``diagonal`` gives.
    """
    require(input, "diagonal_scatter", "input", 1), require(src, "diagonal_scatter", "src", 2)
    return diagonal_put.fn(input, src, offset, dim1, dim2)


@composite
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """The input with the elements at the given strides replaced by ``src``.  Differentiable.  Shapes: ``src`` [*size].

    Raise RuntimeError for elements outside the input's memory, and for inputs that require grad and are not contiguous.
    """
    array = require(input, "as_strided_scatter", "input", 1).array
    size, stride = dims_of(size, "as_strided_scatter", "size"), dims_of(stride, "as_strided_scatter", "stride")
    start = memory.offset(array) if storage_offset is None else storage_offset
    require_room(array, size, stride, start)
    first = start - memory.offset(array)
    inside = 0 <= first <= array.size - count_elements(size, stride)
    if array.flags.c_contiguous and (inside or input.requires_grad):
        return strided_put.fn(input, src, size, stride, first)
    if input.requires_grad:
        raise RuntimeError("as_strided_scatter is currently only supported for contiguous inputs")
    changed = strided_put.fn(wrap(memory.flat_memory(array)), src, size, stride, start)  # all of its memory
    place = array.shape, memory.strides(array), memory.offset(array)
    return changed.as_strided(*place) if changed.requires_grad else wrap(memory.view_strided(changed.array, *place))
