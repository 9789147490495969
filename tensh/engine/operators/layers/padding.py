"""Padding: elements around a tensor, of one value or copied from the tensor."""

import functools

import numpy as np

from tensh.engine.codegen.mixing import ZERO
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.codegen.table import op
from tensh.engine.operators.layers.formats import keeping_format, row_major
from tensh.engine.operators.layers.halves import pad_halves, pad_halves_by_dimensions
from tensh.engine.operators.layers.taps import Taps, declare_tap


# ── one value ────────────────────────────────────────────────────────────────
@op(public="function", out=False, input="constant_pad_nd(g, opposite(pad), 0)")
@keeping_format
def constant_pad_nd(input, pad, value=0):
    """The input with ``value`` around it; ``pad`` has counts (before, after) from the last dimension on.

    Differentiable. Negative counts remove elements, so the adjoint of padding is padding.  Shape: [..., d] to [...,
    before + d + after].

    >>> import tensh as torch
    >>> torch.constant_pad_nd(torch.ones(2), (1, 2))
    tensor([0., 1., 1., 0., 0.])
    """
    if value is None:
        raise TypeError("constant_pad_nd(): argument 'value' must be Number, not NoneType")
    if len(pad) % 2:
        raise RuntimeError("Length of pad must be even but instead it equals " + str(len(pad)))
    if len(pad) // 2 > input.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. "
            f"Pad length is {len(pad)}while the input has {input.ndim}dimensions."
        )
    shape, inside, kept = place_inside(input.shape, tuple(pad))
    fill = FITTING[value, input.dtype] if max(pad, default=0) > 0 else ZERO[input.dtype]
    zero = fill is ZERO[input.dtype]
    result = np.zeros(shape, input.dtype) if zero else np.full(shape, fill, input.dtype)
    result[inside] = input[kept]
    return result


@functools.lru_cache(256)
def place_inside(sizes, pad):
    """Return (the padded shape, the slices of it that the input fills, the slices of the input that stay)."""
    ends = [(0, 0)] * (len(sizes) - len(pad) // 2) + [pad[i : i + 2] for i in range(len(pad) - 2, -1, -2)]
    shape = tuple(n + before + after for n, (before, after) in zip(sizes, ends))
    if any(n < 0 for n in shape):
        raise RuntimeError("narrow(): length must be non-negative.")
    inside = tuple(slice(max(b, 0), n - max(a, 0)) for n, (b, a) in zip(shape, ends))
    return shape, inside, tuple(slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in zip(sizes, ends))


# ── elements of the tensor itself ────────────────────────────────────────────
@functools.lru_cache(1024)
def mirror_places(mode, size, before, after):
    """Return the index of the source of each element of a padded dimension."""
    if mode == "circular":  # elements cut off are not repeated on the other side
        first, last = max(-before, 0), size - max(-after, 0)
        place = np.arange(first - max(before, 0), last + max(after, 0))
        place = first + (place - first) % max(last - first, 1)
    else:
        place = np.arange(-before, size + after)
        if mode == "reflect":
            period = 2 * max(size - 1, 1)
            place %= period
            place = np.minimum(place, period - place)
        else:
            place = np.clip(place, 0, size - 1)
    taps = Taps(size, place[None])
    taps.counts = before, after
    return taps


def declare_pad(name, dims):
    """Declare ``reflection_pad1d`` and the like."""
    node, name = f"{name.title()}Pad{dims}DBackward0", f"{name}_pad{dims}d"
    return declare_tap(name, node, types="iufc", kernel_name=name, saves_input=True, halves=pad_halves)


REFLECTION_PAD = {dims: declare_pad("reflection", dims) for dims in (1, 2, 3)}
REPLICATION_PAD = {dims: declare_pad("replication", dims) for dims in (1, 2, 3)}
CIRCULAR_PAD = dict.fromkeys(
    (1, 2, 3),
    declare_tap(
        "circular_pad", "PadCircularBackward0", types="biufcW8", lying=row_major, halves=pad_halves_by_dimensions
    ),
)
