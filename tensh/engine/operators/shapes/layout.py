"""Other views of a tensor's memory: given strides, complex numbers as pairs of real ones."""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.scattering import add_at_once
from tensh.engine.codegen.steps import RETYPED
from tensh.engine.codegen.table import op
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.operators.shapes.views import view_op


# ── strides ──────────────────────────────────────────────────────────────────
@view_op(
    public=False,
    node="AsStridedBackward0",
    input="zeros_as(g, input.shape) if 0 in size or 0 in input.shape else"
    " restride_back(g, input.shape, strides, size, stride, start)",
)
def restride(input, size, stride, start, strides=None):
    """A view of the memory with another size and strides, ``start`` elements after the input's first.

    ``strides`` are those of the input, None if it is dense.
    """
    return memory.view_within(input, size, stride, start)


def room(shape, steps, size, stride, start):
    """Return (first, last + 1) of the elements of two layouts, counted from the first element of one of them."""
    layouts = (shape, steps), (size, stride)
    ends = [0 if 0 in ns else sum((n - 1) * step for n, step in zip(ns, ss, strict=True)) for ns, ss in layouts]
    return min(0, start), max(ends[0], start + ends[1]) + 1


def places_of(layout, low, high):
    """Return the positions of a layout's elements in the memory between ``low`` and ``high``."""
    size, stride, start = layout
    return memory.view_strided(np.arange(high - low), size, stride, start - low)


def move_gradient(grad, source, target, low, high):
    """Add ``grad`` to zeros by one layout, and read it by another."""
    flat = np.zeros(high - low, grad.dtype)
    if memory.may_overlap(*source[:2]):
        add_at_once(flat, places_of(source, low, high).reshape(-1), grad.reshape(-1))
    elif grad.size:
        memory.view_strided(flat, source[0], source[1], source[2] - low)[...] = grad
    return (
        memory.view_strided(flat, target[0], target[1], target[2] - low)
        if 0 not in target[0]
        else flat[:0].reshape(target[0])
    )


def copies(shape, steps, grad):
    """Return for each element of a layout the number of elements at its position."""
    reach = 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    places = places_of((shape, steps, 0), 0, reach)
    return np.bincount(places.reshape(-1))[places].astype(grad.dtype)


@op(public=False, node="AsStridedBackwardBackward0", grad="restride_part(g, strides, size, stride, start)")
def restride_back(grad, shape, strides, size, stride, start):
    """``grad`` of one layout of memory as the gradient of another."""
    steps = memory.contiguous_strides(shape) if strides is None else strides
    out = move_gradient(grad, (size, stride, start), (shape, steps, 0), *room(shape, steps, size, stride, start))
    return out / copies(shape, steps, grad) if out.size and memory.may_overlap(shape, steps) else out


@op(public=False, node="AsStridedBackward0", grad="restride_back(g, grad.shape, strides, size, stride, start)")
def restride_part(grad, strides, size, stride, start):
    """The adjoint of ``restride_back``."""
    shape = grad.shape
    steps = memory.contiguous_strides(shape) if strides is None else strides
    if grad.size and memory.may_overlap(shape, steps):
        grad = grad / copies(shape, steps, grad)
    return move_gradient(
        grad, (shape, steps, 0), (size, stride, start), *room(shape, steps, size, stride, start)
    ).copy()


# ── complex numbers as pairs ─────────────────────────────────────────────────
@view_op(view=RETYPED, public="function", node="ViewAsRealBackward0", input="complex_of_pairs(g)")
def view_as_real(input):
    """Complex numbers as pairs of real ones in a last dimension of size 2.  Differentiable, a view.

    Shape: [*] to [*, 2]. Raise RuntimeError for real numbers.
    """
    if input.dtype.kind not in "cW":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    real = BY_NUMPY[input.dtype].to_real().numpy
    if input.flags.c_contiguous:
        return input.reshape(*input.shape, 1).view(real)
    return input[..., None].view(real)


@view_op(view=RETYPED, public="function", node="ViewAsComplexBackward0", input="pairs_of_complex(g)")
def view_as_complex(input):
    """Pairs of real numbers in the last dimension as complex numbers.  Differentiable, a view.

    Shape: [*, 2] to [*]. Raise RuntimeError for other shapes.
    """
    steps = memory.strides(input)
    if input.dtype.kind != "f":
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            + BY_NUMPY[input.dtype].title
        )
    if not input.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if steps[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 for step in steps[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if memory.offset(input) % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return input.view(BY_NUMPY[input.dtype].to_complex().numpy)[..., 0]


@op(public=False, node="ViewAsComplexBackward0", grad="pairs_of_complex(g)")
def complex_of_pairs(grad):
    """Pairs in the last dimension as complex numbers."""
    return np.ascontiguousarray(grad).view(BY_NUMPY[grad.dtype].to_complex().numpy)[..., 0]


@op(public=False, node="ViewAsRealBackward0", grad="complex_of_pairs(g)")
def pairs_of_complex(grad):
    """Complex numbers as pairs in a new last dimension."""
    return np.ascontiguousarray(grad)[..., None].view(f"f{grad.itemsize // 2}")
