"""The largest and smallest elements, and their indices.  nan counts as more extreme than any number."""

import math
from operator import methodcaller

import numpy as np

from tensh.engine.arguments.checks import dims
from tensh.engine.arrays.absent import place_beside
from tensh.engine.arrays.halves import convert
from tensh.engine.arrays.threads import PARALLEL_LIGHT, run
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import OTHER_DTYPE, refuse_dtype, wrap_dim
from tensh.engine.operators.precision import F4, I8, compute_in_float32, is_half
from tensh.engine.operators.reductions.reductions import LARGE, axes_of
from tensh.engine.operators.reductions.rows import (  # fmt: skip
    PARTS,
    as_little,
    is_little,
    largest_by_places,
    places_in_rows,
    reduce_rows,
    smallest_by_places,
    starts,
)

MANY = 1 << 12  # numbers of 16 bits from which comparing them as float32 takes a tenth of the time
argmax, argmin = np.ndarray.argmax, np.ndarray.argmin  # np.argmax looks for __array_function__ first: 300 ns


# ── checks ───────────────────────────────────────────────────────────────────
def require_elements(name, input, axes, parentheses="()"):
    """Raise PyTorch's error for an extreme without elements."""
    for axis in axes:
        if input.ndim and input.shape[axis] == 0:
            raise IndexError(f"{name}{parentheses}: Expected reduction dim {axis} to have non-zero size.")


def no_extreme(name):
    return RuntimeError(
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
        "Specify the reduction dim with the 'dim' argument."
    )


def refuse_complex(name, input):
    if input.dtype.kind in "cW":
        raise RuntimeError(f"{name}(): does not support complex input")


# ── values and their indices ─────────────────────────────────────────────────
def is_strided(input, axis):
    """Return True if the lines along ``axis`` are strided in the memory of a large array."""
    return input.size >= LARGE and axis != input.ndim - 1 and input.flags.c_contiguous and input.shape[axis] > 1


def index_of(find, input, axis, values):
    """Return the first index along ``axis`` of each of the extreme ``values``.

    NumPy copies an array with non-contiguous lines, which takes ten times as long as comparing it.
    """
    if not is_strided(input, axis):
        return find(input, axis, None, keepdims=True)
    equal = input == values
    if input.dtype.kind in "fV" and np.isnan(values).any():
        equal |= (input != input) & (values != values)
    inner = math.prod(input.shape[axis + 1 :])
    line, place = np.divmod(np.flatnonzero(equal)[::-1], inner)
    indices = np.empty(values.shape, I8)
    indices.reshape(-1, inner)[line // input.shape[axis], place] = line % input.shape[axis]
    return indices


def extreme_along(name, reduce, find):
    """Make the kernel of ``max`` and ``min`` along one dimension: values and indices."""

    def kernel(input, dim, keepdim=False):
        axis = wrap_dim(dim, input.ndim)
        require_elements(name, input, (axis,))
        refuse_complex(name, input)
        if input.ndim == 0:
            return input.copy(), place_beside(np.zeros((), I8), input)
        matrix = as_little(input, axis) if axis == input.ndim - 1 else None
        if matrix is not None:
            indices = find(matrix, 1)
            values = matrix.take(indices + starts(matrix.shape))
            if matrix is input and not keepdim:
                return values, indices
            shape = input.shape[:-1] + (1,) * keepdim
            return values.reshape(shape), indices.reshape(shape)
        if input.size >= MANY and is_half(input.dtype):
            return compute_in_float32(kernel)(input, axis, keepdim)
        if not is_strided(input, axis):
            return reduce_rows(reduce, input, axis, keepdim), find(input, axis, None, keepdims=keepdim)
        values = reduce(input, axis, None, None, True)
        indices = index_of(find, input, axis, values)
        return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))

    return kernel


ALONG = (
    "put_along(restore(g, input.shape, dim, keepdim), input.shape, restore(indices, input.shape, dim, keepdim), dim)"
)
max_dim = op(
    extreme_along("max", np.maximum.reduce, argmax),
    name="max_dim", doc="The largest element along ``dim``, and its index.", public=False, node="MaxBackward0",
    outs=("values", "indices"), returns="max", input=ALONG,
)  # fmt: skip
min_dim = op(
    extreme_along("min", np.minimum.reduce, argmin),
    name="min_dim", doc="The smallest element along ``dim``, and its index.", public=False, node="MinBackward0",
    outs=("values", "indices"), returns="min", input=ALONG,
)  # fmt: skip


# ── of all elements ──────────────────────────────────────────────────────────
def extreme_of_all(name, find):
    """Make the kernel of ``max`` and ``min`` of all elements: NumPy finds the index of an extreme faster than its value."""

    def kernel(input):
        if not input.size:
            raise no_extreme(name)
        if input.dtype.kind in "cW":
            refuse_dtype(f"{name}_all", input.dtype)
        if input.size >= MANY and is_half(input.dtype):
            return compute_in_float32(kernel)(input)
        flat = input.ravel()
        if flat.size < PARALLEL_LIGHT:
            return flat[find(flat)]
        number = -(-flat.size // PARTS)
        found = np.empty(PARTS, flat.dtype)

        def work(i):
            part = flat[i * number : (i + 1) * number]
            found[i] = part[find(part)]

        run(work, PARTS)
        return found[find(found)]

    return kernel


SHARED = {"mask": "(input == out) | ((input != input) & (out != out))"}  # equal extremes share the gradient
SHARE = "where(mask, g / sum_all(mask, input.dtype), zeros_as(g, ()))"
max_all = op(
    extreme_of_all("max", argmax),
    name="max_all", doc="The largest element.", public=False, kernel_name="max_all", let=SHARED, node="MaxBackward1",
    input=SHARE,
)  # fmt: skip
min_all = op(
    extreme_of_all("min", argmin),
    name="min_all", doc="The smallest element.", public=False, kernel_name="min_all", let=SHARED, node="MinBackward1",
    input=SHARE,
)  # fmt: skip


def extreme(name, reduce, find):
    """Make the kernel of ``amax`` and ``amin``."""

    def kernel(input, dim=(), keepdim=False):
        if type(dim) is int and dim in (1, -1) and is_little(input):
            found = input.take(places_in_rows(input, find))
            return found[:, None] if keepdim else found
        if not input.size:
            axes = dims(dim, input.ndim)
            if len(axes) == input.ndim and dim in ((), None):
                raise no_extreme(name)
            for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
                require_elements(name, input, (axis,))
        axes = axes_of(dim, input.ndim)
        if input.dtype.kind in "cW" and (input.size or not input.ndim):
            refuse_dtype(f"{name[1:]}_values", input.dtype)
        if input.size >= MANY and is_half(input.dtype):
            return compute_in_float32(kernel)(input, axes, keepdim)
        return reduce_rows(reduce, input, axes, keepdim)

    return kernel


# Elements equal to the extreme share the gradient.
MASK = "input == restore({0}, input.shape, dim, keepdim)"
PART = "restore({1}, input.shape, dim, keepdim) * {0}_mask / sum_dim({0}_mask, dim, True, input.dtype)"


def refuse_other_dtype(result, out):
    """Raise RuntimeError unless ``out=`` has the dtype of the input, and so of the result."""
    raise RuntimeError(
        f"Expected the dtype for input and out to match, but got {result.title} for input's dtype and {out.title} for "
        "out's dtype."
    )


for _name, _reduce, _find, _word in (
    ("amax", largest_by_places, argmax, "largest"),
    ("amin", smallest_by_places, argmin, "smallest"),
):
    op(
        extreme(_name, _reduce, _find),
        name=_name, out=refuse_other_dtype, let={"out_mask": MASK.format("out")}, input=PART.format("out", "g"),
        doc=f"""The {_word} element, or the {_word} ones along ``dim`` (an int or a sequence of them).

    Shape: [*] to [], or without ``dim``. Raise IndexError or RuntimeError without elements.

    Differentiable; equal elements share the gradient.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [4, 3]]).{_name}(dim=1)
    tensor({"[2, 4]" if _name == "amax" else "[1, 3]"})
    """,
    )  # fmt: skip


@op(
    out=OTHER_DTYPE,
    outs=("min", "max"),
    many=True,
    let={"min_mask": MASK.format("min"), "max_mask": MASK.format("max")},
    input=f"{PART.format('min', 'g_min')} + {PART.format('max', 'g_max')}",
)
def aminmax(input, *, dim=None, keepdim=False):
    """The smallest and the largest element, of all or along ``dim``.  Differentiable.

    Shape: [*] to two of [], or without ``dim``. Raise RuntimeError without elements.

    >>> import tensh as torch
    >>> torch.aminmax(torch.tensor([3, 1, 2]))
    torch.return_types.aminmax(
    min=tensor(1),
    max=tensor(3))
    """
    if not input.size:
        if dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        require_elements("aminmax", input, (wrap_dim(dim, input.ndim),), "")
    if dim is not None and type(dim) is not tuple or dim == ():  # a batch has several
        dim = wrap_dim(dim, input.ndim)
    axes = dims(dim, input.ndim)
    if input.dtype.kind in "cW":
        if dim is not None and not input.ndim:
            raise RuntimeError(f"aminmax not implemented for {BY_NUMPY[input.dtype].title}")
        refuse_dtype("aminmax", input.dtype)
    if input.size >= MANY and is_half(input.dtype):
        return tuple(
            convert(each, input.dtype) for each in aminmax.kernel(convert(input, F4), dim=dim, keepdim=keepdim)
        )
    return reduce_rows(np.minimum.reduce, input, axes, keepdim), reduce_rows(np.maximum.reduce, input, axes, keepdim)


# ── indices ──────────────────────────────────────────────────────────────────
def place(name, find, reduce):
    """Make the kernel of ``argmax`` and ``argmin``."""
    find_any = methodcaller(name)  # also an array's that is no NumPy array, and raises

    def kernel(input, dim=None, keepdim=False):
        if input.dtype.kind in "bcW":
            raise RuntimeError(f"{name}(): does not support {'bool' if input.dtype.kind == 'b' else 'complex'} input")
        if input.size >= MANY and is_half(input.dtype):
            input = convert(input, F4)
        if dim is None:
            if not input.size:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
            found = find_any(input)
            return np.reshape(found, (1,) * input.ndim) if keepdim else found
        axis = wrap_dim(dim, input.ndim)
        require_elements(name, input, (axis,))
        if input.ndim == 0:
            return place_beside(np.zeros((), I8), input)
        if not is_strided(input, axis):
            return getattr(input, name)(axis, None, keepdims=keepdim)
        indices = index_of(find, input, axis, reduce(input, axis, None, None, True))
        return indices if keepdim else indices.squeeze(axis)

    return kernel


for _name, _find, _reduce, _word in (
    ("argmax", argmax, np.maximum.reduce, "largest"),
    ("argmin", argmin, np.minimum.reduce, "smallest"),
):
    op(
        place(_name, _find, _reduce),
        name=_name,
        input=None,
        doc=f"""The index of the {_word} element: in the flattened input, or along ``dim``.  Of equal elements, the first.

    Shape: [*] to [], or without ``dim``. Raise IndexError without elements.

    >>> import tensh as torch
    >>> torch.tensor([[1, 5], [7, 3]]).{_name}(dim=1)
    tensor({"[1, 0]" if _name == "argmax" else "[0, 1]"})
    """,
    )
