"""Differences of neighbours, numerical gradients and integrals."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.reductions.composites.reductions import sum
from tensh.engine.operators.shapes.composites.joining import cat
from tensh.engine.operators.shapes.views import slice_dim

mul_number, div_number = TENSORS["mul_number"], TENSORS["div_number"]


def slice_along(x, dim, start=None, stop=None):
    """The slice from ``start`` to ``stop`` along a dimension from 0."""
    return slice_dim.fn(x, dim, start, stop, 1)


# ── differences ──────────────────────────────────────────────────────────────
@composite(out=True)
def diff(input, n=1, dim=-1, prepend=None, append=None):
    """The ``n``-th differences of neighbours along ``dim``; ``prepend`` and ``append`` are joined to the input before.

    Differentiable.  Shape: [..., d] to [..., d - n]. Raise RuntimeError for a negative ``n`` or a number.

    >>> import tensh as torch
    >>> torch.diff(torch.tensor([1, 3, 6]))
    tensor([2, 3])
    """
    ndim = input.array.ndim
    if not ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0 and prepend is None is append:  # then any integer is a valid dim
        require_kind("int", dim, "diff", "dim")
        return input.detach().clone().copy_(input)  # recorded as a copy, as in PyTorch
    axis = wrap_dim(dim, ndim)
    for extra in (prepend, append):
        if extra is not None:
            check_joined(input, extra, axis)
    if n == 0:
        return input.detach().clone().copy_(input)
    parts = [part for part in (prepend, input, append) if part is not None]
    x = cat(parts, axis) if len(parts) > 1 else input
    n = min(n, x.array.shape[axis])
    for _ in range(n):
        first, second = slice_along(x, axis, 1), slice_along(x, axis, None, -1)
        x = first.logical_xor(second) if x.array.dtype.kind == "b" else first - second
    return x


def check_joined(input, extra, axis):
    if extra.array.ndim != input.array.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for i, (n, m) in enumerate(zip(input.array.shape, extra.array.shape)):
        if i != axis and n != m:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({i}) = {n}, but got tensor.size({i}) = {m}"
            )


# ── numerical gradients ──────────────────────────────────────────────────────
@composite(method=False)
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The numerical gradient along every dimension (or those of ``dim``), by central differences: a tuple of tensors.

    ``spacing`` is one number, one per dimension, or one tensor of coordinates per dimension; ``edge_order`` (1 or 2) is
    the order at the edges.  Differentiable.  Shapes: each [*]. Raise RuntimeError for another ``edge_order``.

    >>> import tensh as torch
    >>> torch.gradient(torch.tensor([1.0, 2.0, 4.0]))
    (tensor([1.0000, 1.5000, 2.0000]),)
    """
    ndim = input.array.ndim
    axes = list(range(ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    axes = [wrap_dim(d, ndim) for d in axes]
    for number, axis in enumerate(axes):
        if axis in axes[:number]:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    spaces = list_spacings(spacing, axes, dim, ndim)
    if input.array.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for axis in axes:
        if input.array.shape[axis] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(
        uneven(input, axis, space, edge_order) if isinstance(space, Tensor) else even(input, axis, space, edge_order)
        for axis, space in zip(axes, spaces)
    )


def list_spacings(spacing, axes, dim, ndim):
    """Return one spacing per dimension."""
    if spacing is None:
        return [1] * len(axes)
    if isinstance(spacing, (int, float, complex)):
        return [spacing] * len(axes)
    spacing = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing]
    if len(spacing) != len(axes):
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                f"'self.dim() = {ndim}', since dim argument was not given, but got a list of length {len(spacing)}"
            )
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length {len(axes)}."
        )
    for space in spacing:
        if isinstance(space, Tensor) and space.array.ndim != 1:
            raise RuntimeError(
                f"torch.gradient expected each element of spacing to have one dimension, but got an element with {space.ndim} "
                "dimensions!"
            )
    return spacing


def even(x, axis, space, order):
    """Central differences of equally spaced elements, recorded in PyTorch's order, in which gradients are added."""
    n = x.shape[axis]
    inner = div_number(subtract_parts(x, axis, (2, None), (None, -2)), space)
    if order == 1:
        first = subtract_parts(x, axis, (1, 2), (0, 1))
        last = subtract_parts(x, axis, (n - 1, n), (n - 2, n - 1))
    else:
        third = mul_number(slice_along(x, axis, 2, 3), 0.5)
        second = mul_number(slice_along(x, axis, 1, 2), 2)
        first = mul_number(slice_along(x, axis, 0, 1), -1.5) + second - third
        one, second = (mul_number(slice_along(x, axis, n - k, n - k + 1), weight) for k, weight in ((1, 1.5), (2, 2)))
        last = mul_number(slice_along(x, axis, n - 3, n - 2), 0.5) - second + one
    first, last = div_number(first, space), div_number(last, space)
    return cat([first, div_number(inner, 2), last], axis)


def subtract_parts(x, axis, part, other):
    """Subtract one slice from another; the subtrahend is recorded first."""
    subtrahend = slice_along(x, axis, *other)
    return slice_along(x, axis, *part) - subtrahend


def add_weighted_parts(x, axis, parts):
    """Add slices, each a (start, stop, weight), times their weights; the last is recorded first."""
    products = [weight * slice_along(x, axis, start, stop) for start, stop, weight in reversed(parts)]
    return products[2] + products[1] + products[0]


def uneven(x, axis, coordinates, order):
    """Differences weighted by the distances of the coordinates."""
    shape = [1] * x.ndim
    shape[axis] = -1
    steps = subtract_parts(coordinates, 0, (1, None), (None, -1))
    one, two = slice_along(steps, 0, None, -1), slice_along(steps, 0, 1)
    a, b, c = -two / (one * (one + two)), (two - one) / (one * two), one / (two * (one + two))
    a, b, c = (each.reshape(shape) for each in (a, b, c))
    inner = add_weighted_parts(x, axis, [(None, -2, a), (1, -1, b), (2, None, c)])
    n = x.shape[axis]
    if order == 1:
        first = subtract_parts(x, axis, (1, 2), (0, 1)) / steps.select(0, 0)
        last = subtract_parts(x, axis, (n - 1, n), (n - 2, n - 1)) / steps.select(0, -1)
    else:
        h, k = (lambda: steps.select(0, 0)), (lambda: steps.select(0, 1))  # recorded at every use, as in PyTorch
        a, b = -(mul_number(h(), 2.0) + k()) / (h() * (h() + k())), (h() + k()) / (h() * k())
        c = -h() / (k() * (h() + k()))
        first = add_weighted_parts(x, axis, [(0, 1, a), (1, 2, b), (2, 3, c)])
        p, q = (lambda: steps.select(0, -1)), (lambda: steps.select(0, -2))
        a, b = p() / (q() * (p() + q())), -(p() + q()) / (p() * q())
        c = (mul_number(p(), 2) + q()) / (p() * (p() + q()))
        last = add_weighted_parts(x, axis, [(n - 3, n - 2, a), (n - 2, n - 1, b), (n - 1, n, c)])
    return cat([first, inner, last], axis)


# ── integrals ────────────────────────────────────────────────────────────────
def refuse_bools(name, y, x, dx=1):
    if type(dx) in (bool, complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    if y.array.dtype.kind == "b" or x is not None and x.array.dtype.kind == "b":
        which = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {which}, but bool is not supported")


def distances(name, y, x, axis):
    """Return the distances of the sample points ``x``, broadcastable with ``y``."""
    if x.array.ndim == 1 and x.array.size != y.array.shape[axis]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if x.array.ndim == 1:
        shape = [1] * y.array.ndim
        shape[axis] = x.array.size
        x = x.view(shape)
    elif x.array.ndim < y.array.ndim:
        x = x.reshape((1,) * (y.array.ndim - x.array.ndim) + x.array.shape)
    return slice_along(x, axis, 1) - slice_along(x, axis, None, -1)


@composite(method=False)
def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The integral along ``dim`` by the trapezoidal rule, at points ``x`` or at distances ``dx``.  Differentiable.

    Shape: [..., n] to [...]. Raise RuntimeError for bools.

    >>> import tensh as torch
    >>> torch.trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    axis = wrap_dim(dim if x is None else wrap_dim(dim, y.array.ndim), y.array.ndim, scalar=False)
    if y.array.shape[axis] == 0:
        shape = y.array.shape[:axis] + y.array.shape[axis + 1 :]
        return wrap(np.zeros(shape, y.array.dtype))
    refuse_bools("trapezoid", y, x, dx)
    if x is not None:
        steps = distances("trapezoid", y, x, axis)
        return div_number(sum((slice_along(y, axis, None, -1) + slice_along(y, axis, 1)) * steps, axis), 2)
    ends = y.select(axis, 0) + y.select(axis, -1)
    return mul_number(sum(y, axis) - mul_number(ends, 0.5), float(dx) if type(dx) is int and abs(dx) >= 2**63 else dx)


@composite(method=False)
def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The running integral along ``dim`` by the trapezoidal rule.  Differentiable.

    Shape: [..., n] to [..., n - 1]. Raise RuntimeError for bools.

    >>> import tensh as torch
    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """
    if x is None:
        refuse_bools("cumulative_trapezoid", y, x)
    axis = wrap_dim(dim, y.array.ndim)
    refuse_bools("cumulative_trapezoid", y, x, dx)
    if not y.array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    pairs = slice_along(y, axis, 1) + slice_along(y, axis, None, -1)
    if x is None:
        return mul_number(pairs, dx / 2).cumsum(axis)
    return div_number((pairs * distances("cumulative_trapezoid", y, x, axis)).cumsum(axis), 2)


PUBLIC["trapz"] = trapezoid
