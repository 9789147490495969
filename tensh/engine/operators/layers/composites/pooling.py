"""Pooling over windows, in one, two and three dimensions: maximum, mean, and mean of powers."""

import math
from collections.abc import Iterable

import numpy as np

from tensh.engine.arguments.checks import is_empty
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import wrap
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.forms import require, require_kind, wants
from tensh.engine.operators.layers.composites.registry import (
    HALF,
    LAYERS,
    SMALL,
    last,
    layer,
    refuse_dtypes,
    rename,
    shapes,
)
from tensh.engine.operators.layers.composites.windows import (
    expand_setting,
    geometry,
    output_size,
    require_32_bits,
    windows,
)
from tensh.engine.operators.layers.pooling import AVG_POOL, MAX_POOL, MAX_POOL_WITH_INDICES, numbers_of_elements
from tensh.engine.operators.shapes.composites.layout import contiguous


# ── one dimension as two, the first of size 1 ────────────────────────────────
def flat(numbers, filler):
    """Return settings per dimension for a row as an image of one line."""
    return (filler, *numbers)


def require_row(name, input):
    ndim = require(input, name, "input", 1).array.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking arguments "
            f"for {name})"
        )


# ── the largest element ──────────────────────────────────────────────────────
def max_pool(name, dims, input, kernel_size, stride, padding, dilation, ceil_mode, indices):
    """Compute max pooling, with ``indices`` also the positions of the elements."""
    called = f"{name}_with_indices" if indices else name
    require(input, called, "input", 1)
    require_kind("bool", ceil_mode, called, "ceil_mode", 6)
    kernel, stride, padding, dilation = geometry("max", dims, called, kernel_size, stride, padding, dilation)
    if dims > 1 or indices or wants(input):
        require_32_bits(kernel, stride, padding, dilation)
    if dims == 1:
        require_row(name, input)
        if not indices and not wants(input):
            # PyTorch has another kernel, which works by rows, for inputs without gradients
            input = contiguous(input)
        input, dims, name = input.unsqueeze(-2), 2, "max_pool2d"
        kernel, stride, padding, dilation = flat(kernel, 1), flat(stride, 1), flat(padding, 0), flat(dilation, 1)
        result = max_pool_of(name, dims, input, kernel, stride, padding, dilation, ceil_mode, indices)
        return (result[0].squeeze(-2), result[1].squeeze(-2)) if indices else result.squeeze(-2)
    return max_pool_of(name, dims, input, kernel, stride, padding, dilation, ceil_mode, indices)


def max_pool_of(name, dims, input, kernel, stride, padding, dilation, ceil_mode, indices):
    sizes = windows(name, input, dims, kernel, stride, padding, dilation, ceil_mode)
    operators = MAX_POOL_WITH_INDICES if indices else MAX_POOL
    found = operators[dims].fn(input, kernel, stride, padding, dilation, sizes)
    return tuple(found) if indices else found


def check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode):
    """Raise the errors specific to max_pool1d."""
    shape = require(input, "max_pool1d", "input", 1).array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    facts = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    found = {}
    for position, (parameter, value) in enumerate(facts.items(), 2):
        if parameter == "stride" and (value is None or is_empty(value)):
            found[parameter] = found["kernel_size"]
            continue
        none = {"stride": "None, an int, list of ints, or tuple", "padding": "an int, list of ints, or tuple"}.get(
            parameter, "an int, list of ints or tuple"
        )
        complaint = f"max_pool1d() {parameter} must be {none} of ints of size 1 but got size {{got}}"
        found[parameter] = expand_setting(value, 1, "max_pool1d", parameter, position, complaint)[0]
    k, s, p, d = found.values()
    for parameter in ("kernel_size", "stride", "dilation"):
        if found[parameter] <= 0:
            raise RuntimeError(f"max_pool1d() {parameter} must be greater than zero, but got {found[parameter]}")
    if p < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}"
        )
    size = output_size(shape[-1], k, s, p, d, ceil_mode)
    if size <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")
    if input.array.dtype.kind not in "fV":
        refuse_dtypes("max_pool1d_impl", input, input.dtype.name)


def declare_max(dims):
    """Make ``max_pool1d`` and the like public; return the form without indices."""
    name = f"max_pool{dims}d"

    def plain(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        if dims == 1:
            check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
        result = max_pool(name, dims, input, kernel_size, stride, padding, dilation, ceil_mode, False)
        return result if result._base is None or result.node is not None else wrap(result.array)

    def pool_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True):
        return max_pool(name, dims, input, kernel_size, stride, padding, dilation, ceil_mode, True)

    def both(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        chosen = pool_with_indices if return_indices else plain
        return chosen(input, kernel_size, stride, padding, dilation, ceil_mode)

    doc = f"""The largest element of every window of ``kernel_size`` in the {last(dims)}.

    {shapes(dims)} Raise RuntimeError for other shapes.

    Windows are ``stride`` apart (by default, their own size), over an input with ``padding`` elements around it;
    ``dilation`` is the distance between elements of a window, ``ceil_mode`` keeps a last window that is not full.
    ``return_indices`` also returns the positions of the elements, for ``max_unpool{dims}d``.  Differentiable.
    """
    PUBLIC[name] = rename(plain, name, doc)
    LAYERS[name] = rename(both, name, doc)
    LAYERS[f"{name}_with_indices"] = rename(pool_with_indices, f"{name}_with_indices", doc)
    both.__module__ = pool_with_indices.__module__ = plain.__module__ = "torch.nn.functional"
    if dims == 1:
        PUBLIC["max_pool1d_with_indices"] = pool_with_indices
    return plain


# ── the mean ─────────────────────────────────────────────────────────────────
def divisor_of(spatial, kernel, stride, padding, sizes, count_include_pad, divisor_override):
    """Return the divisor of the windows' sums: a number, or an array where windows differ."""
    if divisor_override is not None:
        if not divisor_override:
            raise RuntimeError("divisor must be not zero")
        return divisor_override
    if (count_include_pad or not any(padding)) and all(
        [(t - 1) * s + k <= n + 2 * p for n, k, s, p, t in zip(spatial, kernel, stride, padding, sizes)]
    ):
        return math.prod(kernel)  # no window extends beyond the padding
    counts = [
        numbers_of_elements(n, k, s, p, t, bool(count_include_pad))
        for n, k, s, p, t in zip(spatial, kernel, stride, padding, sizes)
    ]
    if all((count == count[0]).all() for count in counts):
        return math.prod(int(count[0]) for count in counts)
    product = counts[0]
    for count in counts[1:]:
        product = np.multiply.outer(product, count)
    return product


def avg_pool_of(name, dims, input, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override):
    if divisor_override == 0 and divisor_override is not None:
        raise RuntimeError("divisor must be not zero")
    require_32_bits(kernel, stride, padding)
    sizes = windows(name, input, dims, kernel, stride, padding, (1,) * dims, ceil_mode)
    refuse_dtypes(*(("avg_pool2d", input, *SMALL) if dims == 2 else ("avg_pool3d_out_frame", input, *SMALL, *HALF)))
    spatial = input.array.shape[-dims:]
    divisor = divisor_of(spatial, kernel, stride, padding, sizes, count_include_pad, divisor_override)
    return AVG_POOL[dims].fn(input, kernel, stride, padding, sizes, divisor)


@layer(torch=True)
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of every window of ``kernel_size`` in the last dimension.  Differentiable.

    Shape: [N, C, L] or [C, L]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), 2)
    tensor([[1.5000, 3.5000]])
    """
    require_row("avg_pool1d", input)
    kernel, stride, padding, _ = geometry("avg", 1, "avg_pool1d", kernel_size, stride, padding, 1)
    result = avg_pool_of(
        "avg_pool2d", 2, input.unsqueeze(-2), flat(kernel, 1), flat(stride, 1), flat(padding, 0), ceil_mode,
        count_include_pad, None,
    )  # fmt: skip
    return result.squeeze(-2)


def declare_avg(dims):
    """Make ``avg_pool2d`` or ``avg_pool3d`` public."""
    name = f"avg_pool{dims}d"

    def function(
        input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None, *, out=None
    ):  # fmt: skip
        require(input, name, "input", 1)
        kernel, stride, padding, _ = geometry("avg", dims, name, kernel_size, stride, padding, 1)
        result = avg_pool_of(name, dims, input, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return result if out is None else write_out(out, result, name)

    doc = f"""The mean of every window of ``kernel_size`` in the {last(dims)}.

    {shapes(dims)} Raise RuntimeError for other shapes.

    Windows are ``stride`` apart (by default, their own size), over an input with ``padding`` zeros around it, which
    count unless ``count_include_pad`` is False; ``divisor_override`` divides by another number.  Differentiable.
    """
    return layer(rename(function, name, doc))


MAX_POOLS = {dims: declare_max(dims) for dims in (1, 2, 3)}
MEAN_POOLS = {1: avg_pool1d, 2: declare_avg(2), 3: declare_avg(3)}


# ── the mean of powers ───────────────────────────────────────────────────────
def lp_pool(dims, input, norm_type, kernel_size, stride, ceil_mode):
    """Return (the sum of powers in every window) ** (1 / norm_type), from the mean of powers."""
    max_pool, mean = MAX_POOLS[dims], MEAN_POOLS[dims]
    if dims > 1 and isinstance(kernel_size, Iterable):
        require_numbers(tuple(kernel_size), dims)
    if norm_type == math.inf:
        return max_pool(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -max_pool(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    means = mean(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    number = math.prod(kernel_size) if isinstance(kernel_size, (tuple, list)) else kernel_size**dims
    return (means.sign() * means.abs().relu() * number).pow(1.0 / norm_type)


def require_numbers(sizes, dims):
    """Raise ValueError unless there is a number for each dimension, with the message of Python's unpacking."""
    if len(sizes) < dims:
        raise ValueError(f"not enough values to unpack (expected {dims}, got {len(sizes)})")
    if len(sizes) > dims:
        raise ValueError(f"too many values to unpack (expected {dims})")


def declare_lp(dims):
    """Make ``lp_pool1d`` and the like public."""

    def function(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        return lp_pool(dims, input, norm_type, kernel_size, stride, ceil_mode)

    doc = f"""The ``norm_type``-norm of every window of ``kernel_size`` in the {last(dims)}.

    {shapes(dims)} Raise RuntimeError for other shapes.

    Differentiable; the gradient is zero where all elements of a window are.
    """
    layer(rename(function, f"lp_pool{dims}d", doc))


for _dims in (1, 2, 3):
    declare_lp(_dims)
