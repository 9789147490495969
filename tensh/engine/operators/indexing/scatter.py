"""Writing at index tensors and masks, slice by slice, and with one index per element."""

import numpy as np

from tensh.engine.arrays.absent import require_elements
from tensh.engine.arrays.orders import move_axis
from tensh.engine.arrays.scattering import add_at_once
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.codegen.table import OR_THE_SAME, op
from tensh.engine.errors.messages import expandable, wrap_dim
from tensh.engine.operators.elementwise.arithmetic import add_scaled
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.indexing.gather import extent, require_index, require_within, write_in_parts
from tensh.engine.operators.indexing.index import (  # fmt: skip
    ALL,
    add_into,
    add_slices,
    index_error,
    index_nothing,
    key_of,
    refuse_empty_masks,
    title,
)
from tensh.engine.operators.precision import is_half
from tensh.engine.operators.reductions.summation import add_along
from tensh.engine.operators.writing import writes


@op(public=False, out=False, grad=None)
def zeros_as(grad, shape):
    """Zeros of another shape in the dtype of ``grad``."""
    require_elements(grad)
    return np.zeros(shape, grad.dtype)


def only_mask(indices):
    """Return True if the only index array is a mask."""
    arrays = [each for each in indices if each is not None]
    return len(arrays) == 1 and arrays[0].dtype.kind == "b"


# ── x[...] = value with tensors ──────────────────────────────────────────────
@writes(
    dense=False, expanded="index_put_", public=False, watched=("indices",),
    input="g if accumulate else index_put(g, indices, zeros_as(g, ()), False)", values="index(g, indices)",
)  # fmt: skip
def index_put(input, indices, values, accumulate=False):
    """The input with ``values`` written (or with ``accumulate`` added) at index arrays and masks."""
    if input.dtype is not values.dtype and values.size == 1 and not accumulate and only_mask(indices):
        values = values.astype(input.dtype)  # PyTorch fills under a mask, which casts
    refuse_empty_masks(input.shape, indices)
    leading_one = values.ndim > 1 and values.shape[0] == 1  # NumPy drops such a dimension
    if not input.size or input.dtype is not values.dtype or leading_one:
        shape = index_nothing(input, indices).shape
        if not expandable(values.shape, shape):
            raise mismatch(values, shape)
    if input.dtype is not values.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {title(input)} for the destination and "
            f"{title(values)} for the source."
        )
    if not input.size:
        return
    try:
        if accumulate:
            add_into(input, indices, values)
        else:
            input[key_of(indices)] = values
    except IndexError as error:
        raise index_error(input.shape, indices, error) from None
    except (TypeError, ValueError):  # indices may be out of range as well; a mask of a vector takes no matrix
        raise mismatch(values, index_nothing(input, indices).shape) from None


def mismatch(values, shape):
    """Return the error for values that do not broadcast to the indexed elements' shape."""
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of shape "
        f"{list(shape)}"
    )


# ── one index per slice ──────────────────────────────────────────────────────
def require_slices(name, input, dim, index, source):
    """Raise unless there is a slice of ``source`` along ``dim`` for every index."""
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {title(index)} and size: "
            f"{list(index.shape)}"
        )
    if index.dtype.kind != "i" or index.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {title(index)}")
    if input.dtype is not source.dtype:
        raise RuntimeError(
            f"{name}(): self ({title(input)}) and source ({title(source)}) must have the same scalar type"
        )
    if dim and dim >= source.ndim:
        raise RuntimeError(f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}")
    slices = source.shape[dim] if source.ndim else 1
    if index.size != slices and not source.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if index.size != slices:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): ({slices}), for dim: {dim}"
        )
    one, other = input.shape, source.shape
    if one and other:
        one, other = (shape[:dim] + shape[dim + 1 :] for shape in (one, other))
    if one != other:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input.shape)} source.shape = {list(source.shape)}"
        )


def find_outside(index, n):
    """Return the first number of ``index`` out of range for ``n`` slices, or None."""
    if not index.size:
        return None
    low, high = extent(index)
    if low >= 0 and high < n:
        return None
    return int(index[(index < 0) | (index >= n)].flat[0])


@writes(out=True, apart=OR_THE_SAME, input="g", index=None, source="index_select(g, dim, index) * alpha")
def index_add(input, dim, index, source, *, alpha=1):
    """The input with the slices of ``source``, times ``alpha``, added at ``index`` along ``dim``.  Differentiable.

    Shapes: [*] with ``index`` [k]; ``source`` has k slices along ``dim``. Raise IndexError or RuntimeError for indices out
    of range and slices that do not fit.

    >>> import tensh as torch
    >>> torch.zeros(3).index_add(0, torch.tensor([0, 2, 2]), torch.ones(3))
    tensor([1., 0., 2.])
    """
    dim = wrap_dim(dim, input.ndim)
    require_slices("index_add_", input, dim, index, source)
    wrong = find_outside(index, input.shape[dim] if input.ndim else 1)
    if wrong is not None:
        if input.ndim < 2 or input.size and (0 < dim < input.ndim - 1 or index.dtype != np.int64):
            raise IndexError("index out of range in self")
        if not input.size:
            return
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {input.shape[dim]}")
    if alpha != 1:
        require_kind("Number", alpha, "index_add", "alpha")
        if input.ndim > 1 and is_half(input.dtype):
            slices = move_axis(input, dim, 0)
            for place, each in zip(index.reshape(-1).tolist(), move_axis(source, dim, 0), strict=True):
                slices[place] = add_scaled(slices[place], each, alpha)
            return
        source = source * FITTING[alpha, source.dtype]
    add_slices(input, dim, index, source)


@writes(
    early=True, out=True, apart=OR_THE_SAME, input="index_fill_number(g, dim, index, 0)", index=None, source="index_select(g, dim, index)"
)  # fmt: skip
def index_copy(input, dim, index, source):
    """The input with its slices at ``index`` along ``dim`` replaced by those of ``source``.  Differentiable.

    Shapes: [*] with ``index`` [k]; ``source`` has k slices along ``dim``. Raise IndexError for indices out of range and
    slices that do not fit.

    >>> import tensh as torch
    >>> torch.zeros(3).index_copy(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
    tensor([6., 0., 5.])
    """
    dim = wrap_dim(dim, input.ndim)
    require_copy(input, dim, index, source)
    wrong = find_outside(index, input.shape[dim] if input.ndim else 1)
    if wrong is not None:
        size = input.shape[dim] if input.ndim else 1
        raise IndexError(f"index_copy_(): index {wrong} is out of bounds for dimension {dim} with size {size}")
    if not input.ndim:
        input[...] = source.reshape(-1)[-1]
    else:
        input[(ALL,) * dim + (index.reshape(-1),)] = source


def require_copy(input, dim, index, source):
    """Check the arguments of ``index_copy``."""
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if not source.ndim and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if source.ndim != input.ndim and source.ndim and input.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if index.dtype.kind != "i" or index.itemsize != 8:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {title(index)}")
    if input.dtype is not source.dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {title(input)} and (source) "
            f"{title(source)}"
        )
    one, other = (a.shape[:dim] + a.shape[dim + 1 :] for a in (input, source))
    if one != other:
        texts = [" ".join(map(str, shape)) for shape in (one, other)]
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{texts[0]} at dimension {dim} and source slice shape: {texts[1]} at dimension 0."
        )
    if source.ndim and index.size != source.shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({source.shape[dim]})"
        )


def require_filling_index(index):
    """Raise IndexError for an index of another dtype than int64."""
    if index.dtype.kind != "i" or index.itemsize != 8:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")


def fill_slices(input, dim, index, value):
    """Set the slices at ``index`` along ``dim``."""
    require_filling_index(index)
    dim = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    n = input.shape[dim] if input.ndim else 1
    if index.size and ((bounds := extent(index))[0] < -n or bounds[1] >= n):
        wrong = index[(index < -n) | (index >= n)].flat[0]
        raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {n}")
    if index.size:
        input[(ALL,) * dim + (index.reshape(-1),) if input.ndim else ...] = value


@writes(
    dense=False, expanded="index_fill_", public=False, node="IndexFillBackward0",
    input="index_fill_number(g, dim, index, 0)", index=None,
)  # fmt: skip
def index_fill_number(input, dim, index, value):
    """The input with its slices at ``index`` along ``dim`` set to a number."""
    fill_slices(input, dim, index, value)


@writes(
    dense=False, expanded="index_fill_", shared=True, public=False, node="IndexFillBackward1",
    input="index_fill_number(g, dim, index, 0)", index=None, value="slices_sum(g, dim, index)",
)  # fmt: skip
def index_fill_tensor(input, dim, index, value):
    """The input with its slices at ``index`` along ``dim`` set to a 0-d tensor."""
    fill_slices(input, dim, index, value)


@op(public=False, out=False, grad="index_fill_tensor(zeros_as(g, grad.shape), dim, index, g)", index=None)
def slices_sum(grad, dim, index):
    """The sum of the slices at ``index``, each counted once."""
    if not grad.ndim:
        return grad
    keep = np.zeros(grad.shape[dim], bool)
    keep[index] = True
    return add_along(grad[(ALL,) * wrap_dim(dim, grad.ndim) + (keep,)])


# ── one index per element ────────────────────────────────────────────────────
def require_scatter(input, dim, index, src):
    """Raise unless ``index`` fits into ``input`` beside ``dim``, and into ``src``."""
    if index.size:
        require_index(index, "scatter")
    if src is not None and src.dtype is not input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return
    shape, sizes = input.shape or (1,), index.shape or (1,)
    if len(sizes) != len(shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if sizes == shape and (src is None or src.shape == index.shape):
        return require_within(index, dim, shape[dim])
    too_large = any(n > m for d, (n, m) in enumerate(zip(sizes, shape, strict=True)) if d != dim)
    if src is not None and len(sizes) != len(src.shape or (1,)):
        if not too_large and len(sizes) > src.ndim > 0 and all(n <= m for n, m in zip(sizes, src.shape)):
            wrap_dim(src.ndim, src.ndim)  # the sizes are compared before their number
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if too_large or src is not None and any(n > m for n, m in zip(sizes, src.shape or (1,), strict=True)):
        beside = f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {dim}"
        raise RuntimeError(beside if src is None else f"{beside} and to be no larger size than src {list(src.shape)}")
    require_within(index, dim, shape[dim])


def scatter(write, input, dim, index, src=None):
    """Check the arguments, then call ``write(flat input, flat positions, flat values)`` for the dense array ``input``."""
    dim = wrap_dim(dim, input.ndim)
    require_scatter(input, dim, index, src)
    if not index.size:
        return
    if src is not None and src.ndim and src.shape != index.shape:
        src = src[tuple([slice(0, n) for n in index.shape])]
    write_in_parts(write, input, dim, index, *(() if src is None else (src,)))


@writes(
    public=False,
    node="ScatterBackward0",
    input="scatter_number(g, dim, index, 0)",
    index=None,
    src="pad_to(gather(g, dim, index), src.shape)",
)
def scatter_src(input, dim, index, src):
    """The input with the elements of ``src`` written at ``index`` along ``dim``."""
    scatter(np.ndarray.__setitem__, input, dim, index, src)


@writes(public=False, node="ScatterBackward1", input="scatter_number(g, dim, index, 0)", index=None)
def scatter_number(input, dim, index, value):
    """The input with a number written at ``index`` along ``dim``."""
    scatter(lambda flat, where: flat.__setitem__(where, value), input, dim, index)


@writes(out=True, apart=OR_THE_SAME, input="g", index=None, src="pad_to(gather(g, dim, index), src.shape)")
def scatter_add(input, dim, index, src):
    """The input with the elements of ``src`` added at ``index`` along ``dim``.  Differentiable.

    ``out[index[i][j]][j] += src[i][j]`` for dim 0.  Shapes: all [*] of as many dimensions; ``index`` no larger than ``src``.
    Raise RuntimeError for indices out of range and shapes that do not fit.

    >>> import tensh as torch
    >>> torch.zeros(3).scatter_add(0, torch.tensor([0, 2, 2]), torch.ones(3))
    tensor([1., 0., 2.])
    """
    scatter(add_at_once, input, dim, index, src)


@op(public=False, out=False, node="ConstantPadNdBackward0", grad="crop_to(g, grad.shape)")
def pad_to(grad, shape):
    """``grad`` padded with zeros at the end to a size that may be larger."""
    if grad.shape == shape:
        return grad
    out = np.zeros(shape, grad.dtype)
    if grad.size:
        out[tuple([slice(0, n) for n in grad.shape])] = grad
    return out


@op(public=False, out=False, node="SliceBackward0", grad="pad_to(g, grad.shape)")
def crop_to(grad, shape):
    """``grad`` cropped at the end to a size that may be smaller."""
    return grad[tuple([slice(0, n) for n in shape])] if grad.ndim == len(shape) else np.zeros(shape, grad.dtype)
