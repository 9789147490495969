"""Reshaped tensors: views where possible, copies otherwise."""

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.checks import integer
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays import memory
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import FORMS, PUBLIC
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.device import contiguous_format
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.messages import ABSENT, wrap_dim
from tensh.engine.operators.basic import clone, expand
from tensh.engine.operators.forms import dims_of, ints, method, require
from tensh.engine.operators.shapes.composites.layout import contiguous
from tensh.engine.operators.shapes.views import (
    infer_size,
    reshape_alias,
    squeeze_all,
    squeeze_dim,
    squeeze_dims,
    unsafe_view,
    view,
)
from tensh.engine.operators.shapes.views import view as viewed


# ── other sizes ──────────────────────────────────────────────────────────────
def forms_of_view(self, *shape, **named):
    """Handle ``view`` with arguments other than plain numbers."""
    if len(shape) == 1 and not named and (type(shape[0]) is tuple or type(shape[0]) is Size):
        return viewed.fn(self, tuple(shape[0]))
    form = bind("view", ("(torch.dtype dtype)", "(tuple of ints size)"), shape, named)
    return view_as_dtype(self, form["dtype"]) if "dtype" in form else viewed.fn(self, tuple(form["size"]))


FORMS["view"] = forms_of_view


def view_as_dtype(self, dtype):
    """View memory as elements of another dtype, without history."""
    array, to = self.array, dtype.numpy
    if array.itemsize != to.itemsize:
        require_divisible(array, dtype)
    view = array.view(to)
    if not array.size and array.base is None:  # no elements to share, and NumPy's view has lost the strides
        view = np.empty(view.shape, to)
    return wrap(view)


def require_divisible(array, dtype):
    """Raise unless the last dimension can be viewed as smaller or larger elements."""
    how = f"to view {BY_NUMPY[array.dtype].title} as {dtype.title} (different element sizes)"
    if not array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {how}")
    steps, ratio = memory.strides(array), dtype.itemsize // array.itemsize
    numbers = [("size(-1)", array.shape[-1]), ("storage_offset()", memory.offset(array)), ("stride(-1)", steps[-1])]
    numbers += [(f"stride({d})", step) for d, step in enumerate(steps[:-1])]
    for what, number in numbers:
        if what == "stride(-1)":
            if number != 1 and array.size:
                raise RuntimeError(f"self.stride(-1) must be 1 {how}, but got {number}")
        elif ratio and number % ratio:
            raise RuntimeError(f"self.{what} must be divisible by {ratio} {how}, but got {number}")


@composite(function=False)
def view_as(self, other):
    """A view in the shape of ``other``.  Differentiable.  Shape: [*], that of ``other``."""
    return view.fn(self, require(other, "view_as", "other", 1).array.shape)


def reshape_to(input, shape):
    """Reshape the input to a tuple of ints: a view where possible, a copy otherwise."""
    array = input.array
    if array.flags.c_contiguous:
        return viewed.fn(input, shape)
    shape = infer_size(shape, array.size)
    steps = memory.view_strides(array.shape, memory.strides(array), shape)
    if steps is not None:
        return reshape_alias.fn(input, shape, steps)
    return unsafe_view.fn(clone.fn(input, memory_format=contiguous_format), shape)


TENSORS["reshape"] = reshape_to


def reshape(input, shape):
    """The input in another shape, one size of which may be -1: a view where possible, a copy otherwise.

    Differentiable.  Shape: [*] to [*shape].

    >>> import tensh as torch
    >>> torch.reshape(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return reshape_to(require(input, "reshape", "input", 1), dims_of(shape, "reshape", "shape"))


PUBLIC["reshape"] = reshape


@method
def reshape(self, *shape, **named):
    """The tensor in another shape, one size of which may be -1: a view where possible, a copy otherwise.

    Shape: [*] to [*shape].
    """
    if self.array.flags.c_contiguous and shape and not named:
        return self.view(*shape) if type(shape[0]) is int else reshape_to(self, ints(shape, named, "reshape", "shape"))
    return reshape_to(self, ints(shape, named, "reshape", "shape"))


@composite(function=False)
def reshape_as(self, other):
    """The tensor in the shape of ``other``, by ``reshape``.  Shape: [*], that of ``other``."""
    return reshape_to(self, require(other, "reshape_as", "other", 1).array.shape)


@composite
def flatten(input, start_dim=0, end_dim=-1):
    """The dimensions from ``start_dim`` to ``end_dim`` merged; the input itself if nothing changes.  Differentiable.

    Shape: [a, b, c] to [a b c]. Raise RuntimeError if ``start_dim`` comes after ``end_dim``.

    >>> import tensh as torch
    >>> torch.zeros(2, 3, 4).flatten(1).shape
    torch.Size([2, 12])
    """
    shape = require(input, "flatten", "input", 1).array.shape
    if start_dim == 0 and end_dim == -1 and len(shape) > 1:
        return reshape_to(input, (input.array.size,))
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape_to(input, (1,))
    if start == end:
        return input
    length = 1
    for n in shape[start : end + 1]:
        length *= n
    return reshape_to(input, (*shape[:start], length, *shape[end + 1 :]))


@composite
def unflatten(input, dim, sizes):
    """Dimension ``dim`` split into the given ``sizes``, one of which may be -1.  Differentiable, a view.

    Shape: [a b, c] to [a, b, c]. Raise RuntimeError where sizes do not fit.

    >>> import tensh as torch
    >>> torch.zeros(2, 6).unflatten(1, (2, 3)).shape
    torch.Size([2, 2, 3])
    """
    shape = require(input, "unflatten", "input", 1).array.shape
    sizes = dims_of(sizes, "unflatten", "sizes")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    dim = wrap_dim(integer(dim, "unflatten", "dim", 1), len(shape))
    if not shape:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        )
    length = shape[dim]
    try:
        sizes = infer_size(sizes, length)
    except RuntimeError as error:
        if "invalid for input" not in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({length}) in the input "
            "tensor"
        ) from None
    return view.fn(input, (*shape[:dim], *sizes, *shape[dim + 1 :]))


@composite
def ravel(input):
    """All elements in one dimension: a view if the tensor is contiguous, a copy otherwise.  Differentiable.

    Shape: [*] to [n].
    """
    return view.fn(contiguous(require(input, "ravel", "input", 1)), (-1,))


@composite
def squeeze(input, dim=ABSENT):
    """The input without its dimensions of size 1, or without those among ``dim`` (an int or several).

    Differentiable, a view.  Shape: [n, 1, m] to [n, m].

    >>> import tensh as torch
    >>> torch.zeros(1, 2, 1).squeeze().shape
    torch.Size([2])
    """
    if dim is ABSENT:
        return squeeze_all.fn(input)
    if isinstance(dim, (tuple, list)):
        return squeeze_dims.fn(input, tuple(dim))
    return squeeze_dim.fn(input, dim)


# ── expanding ────────────────────────────────────────────────────────────────
def expand_to(input, size):
    """The input broadcast to ``size``, a tuple of ints."""
    return expand.fn(input, size)


def forms_of_expand(self, *size, implicit=False, **named):
    """Handle ``expand`` with arguments other than plain numbers."""
    if type(implicit) is not bool:
        raise TypeError(f"expand(): argument 'implicit' must be bool, not {type_name(implicit)}")
    return expand_to(self, ints(size, named, "expand", "size"))


FORMS["expand"] = forms_of_expand


@composite(function=False)
def expand_as(self, other):
    """The tensor expanded to the size of ``other``.  Differentiable, a view.  Shape: [*], that of ``other``."""
    return expand_to(self, require(other, "expand_as", "other", 1).array.shape)


@method
def broadcast_to(self, *size, **named):
    """The tensor expanded to ``size``.  Differentiable, a view.  Shape: [*size]."""
    return expand_to(self, ints(size, named, "broadcast_to", "size"))


def broadcast_to(input, size):  # noqa: F811
    """The input expanded to ``size``.  Differentiable, a view.  Shape: [*size]."""
    return expand_to(require(input, "broadcast_to", "input", 1), dims_of(size, "broadcast_to", "size"))


PUBLIC["broadcast_to"] = broadcast_to
