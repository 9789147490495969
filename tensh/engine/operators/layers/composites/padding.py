"""torch.nn.functional.pad."""

from tensh.engine.arguments.kinds import take_ints
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.layers.padding import (
    CIRCULAR_PAD,
    REFLECTION_PAD,
    REPLICATION_PAD,
    constant_pad_nd,
    mirror_places,
)

COMBINATIONS = (
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)


@layer
def pad(input, pad, mode="constant", value=None):
    """The input with elements around it: ``pad`` has counts (before, after) from the last dimension on.

    ``mode`` is 'constant' (filled with ``value``), 'reflect', 'replicate' (the border repeated) or 'circular'; negative
    counts remove elements.  Differentiable.  Shape: [..., d] to [..., before + d + after]. Raise RuntimeError for more
    counts than the mode takes.

    >>> import tensh as torch
    >>> torch.nn.functional.pad(torch.tensor([[1, 2, 3]]), (2, 1), mode="reflect")
    tensor([[3, 2, 1, 2, 3, 2]])
    """
    shape = require(input, "pad", "input", 1).array.shape
    pad = counts(pad)
    if mode != "constant" and mode not in MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * len(shape):
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {len(shape)}"
        )
    if mode == "constant":
        if value is not None and not isinstance(value, (int, float)):
            raise TypeError(f"pad(): argument 'value' (position 4) must be float, not {type_name(value)}")
        return constant_pad_nd.fn(input, pad, 0 if value is None else float(value))
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not pad or len(pad) > 6 or len(shape) not in (len(pad) // 2 + 1, len(pad) // 2 + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {len(shape)}D input tensor.\n{COMBINATIONS}"
        )
    return (pad_from_input if mode == "circular" else repeat_border)(input, pad, mode)


MODES = {"reflect": REFLECTION_PAD, "replicate": REPLICATION_PAD, "circular": CIRCULAR_PAD}


def counts(pad):
    """Check and return the counts of elements to add."""
    if not isinstance(pad, (tuple, list)):
        raise TypeError(f"pad(): argument 'pad' (position 2) must be tuple of ints, not {type_name(pad)}")
    try:
        return take_ints(pad)
    except TypeError as error:
        raise TypeError(error.message("pad(): argument 'pad'", " (position 2)", "tuple of ints")) from None


def pad_from_input(input, pad, mode):
    """Pad with elements of the input."""
    shape, dims = input.array.shape, len(pad) // 2
    if mode != "circular" and 0 in shape[len(shape) == dims + 2 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    maps = []
    for number, size in enumerate(shape[: -dims - 1 : -1]):
        before, after = pad[2 * number : 2 * number + 2]
        check(mode, input, dims, number, before, after)
        maps.insert(0, mirror_places(mode, size, before, after) if before or after else None)
    return MODES[mode][dims].fn(input, tuple(maps))


def repeat_border(input, pad, mode):
    """Pad by reflection or replication, which autocast computes in single precision."""
    return pad_from_input(input, pad, mode)


def check(mode, input, dims, number, before, after):
    """Raise PyTorch's errors for counts that a mode does not allow."""
    shape = input.array.shape
    dim = len(shape) - 1 - number
    size = shape[dim]
    new = size + before + after
    if mode == "circular":
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if new < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        return
    if mode == "reflect" and (before >= size or after >= size):
        raise RuntimeError(
            f"Argument #{4 + 2 * number}: Padding size should be less than the corresponding input dimension, but got: "
            f"padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
        )
    new = (new + 2**63) % 2**64 - 2**63  # overflows in 64 bits, as in PyTorch
    if dims == 1 and new < 1:
        raise RuntimeError(f"input (W: {size}) is too small. Calculated output W: {new}")
    if new < 0:
        sizes = [*shape[:dim], new, *shape[dim + 1 :]]
        raise RuntimeError(f"Trying to create tensor with negative dimension {new}: {sizes}")
