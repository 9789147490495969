"""Views: operators whose result shares the input's memory.

Each has its adjoint as derivative (``select`` has ``select_back``), which writes the gradient into zeros.  The adjoint
of that is the view again, so that derivatives of any order exist.
"""

from functools import lru_cache

import numpy as np

from tensh.engine.arguments.checks import integer
from tensh.engine.arrays import memory
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, word
from tensh.engine.errors.messages import wrap_dim, wrap_dims


def view_op(view=True, **keywords):
    """Declare an operator whose result is a view of its input."""
    return op(view=view, out=False, **keywords)


ALL = slice(None)
BEFORE = tuple([(ALL,) * d for d in range(65)])  # an index of all dimensions before one


# ── other sizes ──────────────────────────────────────────────────────────────
def infer_size(size, number):
    """Return ``size`` with its -1 inferred for ``number`` elements; raise PyTorch's errors if that is impossible."""
    known, unknown = 1, None
    for d, n in enumerate(size):
        if n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = d
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n} at index {d} of shape {list(size)}")
        else:
            known *= n
    if number != known and (unknown is None or known == 0 or number % known):
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {number}")
    if unknown is None:
        return tuple(size)
    if known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified dimension size -1 can be "
            "any value and is ambiguous"
        )
    return (*size[:unknown], number // known, *size[unknown + 1 :])


NOT_VIEWABLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
    "subspaces). Use .reshape(...) instead."
)


PLAIN_SIZES = set()
"""A cache of sizes in which NumPy's views need no check."""


def has_strides_of_view(out, size, input):
    """Return True if ``out``, NumPy's view of ``input`` in ``size``, has PyTorch's strides.

    NumPy gives trailing dimensions of one element the stride of the last longer dimension, PyTorch that of the input's last
    dimension.  This matters from four dimensions on, where layers ask for the memory format.
    """
    shape = out.shape
    if shape != size and -1 not in size:
        return False
    if len(size) > 3 and size[-1] in (1, -1):
        return shape[-1] != 1 or input.shape[-1:] != (1,)
    if len(PLAIN_SIZES) < 4096:
        PLAIN_SIZES.add(size)
    return True


@view_op(public="method", node="ViewBackward0", input="reshape(g, input.shape)")
def view(input, size):
    """A view in another shape: ``view(2, -1)``, ``view((2, -1))``, or elements of another dtype: ``view(dtype)``.

    One size may be -1 and is inferred.  Differentiable (not with a dtype), a view.  Raise RuntimeError where the shape
    needs a copy: then use ``reshape``.  Shape: [*] to [*shape].

    >>> import tensh as torch
    >>> torch.arange(6).view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    try:
        out = input.reshape(size)
        base = out.base
        if (base is input or base is input.base) and (size in PLAIN_SIZES or has_strides_of_view(out, size, input)):
            return out
    except ValueError:
        pass
    except TypeError:
        if type(size) is not list:
            raise
        return view.kernel(input, tuple(size))
    size = infer_size(size, input.size)
    steps = memory.view_strides(input.shape, memory.strides(input), size)
    if steps is None:
        raise RuntimeError(NOT_VIEWABLE)
    return memory.view_strided(input, size, steps)


@view_op(public=False, node="ReshapeAliasBackward0", input="reshape(g, input.shape)")
def reshape_alias(input, size, stride):
    """View memory with a size and strides known to fit."""
    out = input.reshape(size)  # NumPy's own view takes a fifteenth of the time
    base = out.base
    if (base is input or base is input.base) and (*[s * out.itemsize for s in stride],) == out.strides:
        return out
    return memory.view_strided(input, size, stride)


@op(public=False, out=False, node="UnsafeViewBackward0", input="reshape(g, input.shape)")
def unsafe_view(input, size):
    """The input, a new copy without other references, in another size."""
    return input.reshape(size)


ARRAYS["reshape"] = lambda g, shape: g.reshape(shape)


@view_op(public=False, node="AliasBackward0", input="g")
def alias(input):
    """View memory unchanged, as another tensor."""
    return input


@view_op(public=False, node="SqueezeBackward0", input="reshape(g, input.shape)")
def squeeze_all(input):
    """The input without its dimensions of size 1."""
    return input.squeeze()


@view_op(
    public=False, node="SqueezeBackward1",
    input="unsqueeze(g, dim) if input.shape and input.shape[dim] == 1 else g",
)  # fmt: skip
def squeeze_dim(input, dim):
    """The input without the dimension ``dim`` if it is of size 1."""
    dim = wrap_dim(dim, input.ndim)
    return input.squeeze(dim) if input.ndim and input.shape[dim] == 1 else input


@view_op(public=False, node="SqueezeBackward2", input="reshape(g, input.shape)")
def squeeze_dims(input, dim):
    """The input without those of the dimensions ``dim`` that are of size 1."""
    dims = wrap_dims(dim, input.ndim)
    return input.squeeze(tuple(d for d in dims if input.shape[d] == 1)) if input.ndim else input


@view_op(input="squeeze_dim(g, dim)")
def unsqueeze(input, dim):
    """The input with a new dimension of size 1 before dimension ``dim``.  Differentiable, a view.

    Shape: [*] to [1, *] for dim 0.

    >>> import tensh as torch
    >>> torch.zeros(2, 3).unsqueeze(1).shape
    torch.Size([2, 1, 3])
    """
    ndim = input.ndim
    if type(dim) is not int or not 0 <= dim <= ndim:
        dim = wrap_dim(dim, ndim + 1)
    return input[*BEFORE[dim], None] if ndim < 3 else insert_dim(input, dim)


def insert_dim(array, dim):
    """View ``array`` with a new dimension of one element before ``dim``.

    It has PyTorch's stride, wherever it is moved later.  NumPy's index None gives it the stride 0, which is read as that of a
    dense array; this is enough below four dimensions, where no layer asks for the memory format.
    """
    shape = array.shape
    if 1 not in shape and (dim < len(shape) or array.flags.c_contiguous):
        return array.reshape((*shape[:dim], 1, *shape[dim:]))
    wide, steps = layout_beside_new(shape, array.strides, dim, array.itemsize)
    out = array.reshape(wide)
    if out.strides == steps:
        return out
    return memory.view_strided(array, *layout_beside_new(shape, memory.strides(array), dim, 1))


@lru_cache(1024)
def layout_beside_new(shape, steps, dim, last):
    """Return the shape and strides with a new dimension of one element before ``dim``; ``last`` is its stride at the end."""
    step = shape[dim] * steps[dim] if dim < len(shape) else last
    return (*shape[:dim], 1, *shape[dim:]), (*steps[:dim], step, *steps[dim:])


# ── other orders ─────────────────────────────────────────────────────────────
@word
def inverse(dims):
    """The inverse permutation of ``dims``."""
    back = [0] * len(dims)
    for place, d in enumerate(dims):
        back[d] = place
    return tuple(back)


ORDERS = set()
"""A cache of checked permutations: checking takes half as long as the view."""


def order_of(dims):
    """Return ``dims``; raise for a dimension beyond 32 bits, to which NumPy would truncate it."""
    if dims and (max(dims) > 63 or min(dims) < -64):
        raise OverflowError
    if len(ORDERS) < 4096:
        ORDERS.add(dims)
    return dims


@view_op(public="method", node="PermuteBackward0", input="permute(g, inverse(dims))")
def permute(input, dims):
    """The dimensions in the order ``dims``, given as numbers or as one sequence.  Differentiable, a view.

    Shape: [a, b, c] to [b, c, a] for (1, 2, 0). Raise RuntimeError for repeated dimensions.
    """
    try:
        return input.transpose(dims if dims in ORDERS else order_of(dims))
    except (ValueError, TypeError, OverflowError):
        if len(dims) != input.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}"
            ) from None
        for d in dims:
            wrap_dim(d, input.ndim)
        raise RuntimeError("permute(): duplicate dims are not allowed.") from None


@view_op(input="transpose(g, dim0, dim1)")
def transpose(input, dim0, dim1):
    """The input with two dimensions swapped.  Differentiable, a view.  Shape: [a, b] to [b, a]."""
    try:
        if dim0.__class__ is int is dim1.__class__:  # NumPy also takes bools and arrays
            return input.swapaxes(dim0, dim1)
        return input.swapaxes(wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim))
    except (ValueError, TypeError, OverflowError):
        wrap_dim(dim0, input.ndim)
        wrap_dim(dim1, input.ndim)
        return input  # a tensor without dimensions


@view_op(node="TBackward0", input="t(g)")
def t(input):
    """The transpose of a matrix; vectors and numbers are unchanged.  Differentiable, a view.

    Shape: [n, m] to [m, n]. Raise RuntimeError for more dimensions.

    >>> import tensh as torch
    >>> torch.zeros(2, 3).t().shape
    torch.Size([3, 2])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input.T


# ── parts ────────────────────────────────────────────────────────────────────
def make_key(dim, index):
    """Return NumPy's index for ``index`` in dimension ``dim``, counted from 0."""
    return (*BEFORE[dim], index)


@view_op(input="select_back(g, input.shape, dim, index)")
def select(input, dim, index):
    """The slice at ``index`` of dimension ``dim``, which is removed.  Differentiable, a view.

    Shape: [n, *] to [*]. Raise IndexError for an index out of range.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [3, 4]]).select(1, 0)
    tensor([1, 3])
    """
    if type(dim) is type(index) is int and 0 <= dim < input.ndim:
        try:
            return input[*BEFORE[dim], index, ...]
        except IndexError:
            pass
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = wrap_dim(dim, input.ndim), integer(index, "select", "index", 3)
    try:
        return input[*BEFORE[dim], index, ...]
    except IndexError:
        size = list(input.shape)
        raise IndexError(f"select(): index {index} out of range for tensor of size {size} at dimension {dim}") from None


@op(public=False, node="SelectBackwardBackward0", grad="select(g, dim, index)")
def select_back(grad, shape, dim, index):
    """``grad`` as one slice of zeros."""
    out = np.zeros(shape, grad.dtype)
    out[make_key(wrap_dim(dim, len(shape)), index)] = grad
    return out


@view_op(public=False, node="SliceBackward0", input="slice_back(g, input.shape, dim, start, stop, step)")
def slice_dim(input, dim, start, stop, step):
    """The elements from ``start`` up to ``stop`` in steps of ``step`` along ``dim``."""
    if type(dim) is int and 0 <= dim < input.ndim and step > 0:
        return input[*BEFORE[dim], slice(start, stop, step)]
    if input.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return input[make_key(wrap_dim(dim, input.ndim), slice(start, stop, step))]


@op(public=False, node="SliceBackwardBackward0", grad="slice_dim(g, dim, start, stop, step)")
def slice_back(grad, shape, dim, start, stop, step):
    """``grad`` as a part of zeros."""
    out = np.zeros(shape, grad.dtype)
    out[make_key(wrap_dim(dim, len(shape)), slice(start, stop, step))] = grad
    return out


@view_op(public="method", input="unfold_back(g, input.shape, dimension, size, step)")
def unfold(input, dimension, size, step):
    """All windows of ``size`` elements along a dimension, ``step`` apart; the last dimension is the window.

    Differentiable, a view.  Shape: [..., n, ...] to [..., windows, ..., size]. Raise RuntimeError for a size out of range.

    >>> import tensh as torch
    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    return windows(input, dimension, size, step)


def windows(array, dimension, size, step):
    dim = wrap_dim(dimension, array.ndim)
    length = array.shape[dim] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    shape, steps = list(array.shape) + [size], list(memory.strides(array)) + [1]
    if array.ndim:
        shape[dim], steps[dim], steps[-1] = (length - size) // step + 1, steps[dim] * step, steps[dim]
    return memory.view_strided(array, shape, steps)


@op(public=False, node="UnfoldBackwardBackward0", grad="unfold(g, dimension, size, step)")
def unfold_back(grad, shape, dimension, size, step):
    """The sum of windows, each at its position."""
    out = np.zeros(shape, grad.dtype)
    places = windows(out, dimension, size, step)
    for start in reversed(range(0, size, step)):  # in the order of windows; parts of ``step`` elements do not overlap
        places[..., start : start + step] += grad[..., start : start + step]
    return out
