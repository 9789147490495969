"""Shared steps of masked functions: expanding the mask, and filling the elements that are not selected."""

import tensh as torch


def separate_mask(input, mask):
    """Return (elements, mask or None); both come from a MaskedTensor if no separate mask is given."""
    if hasattr(input, "get_mask"):
        mask = input.get_mask() if mask is None else mask
        input = input.get_data()
    return input, None if mask is None else expand_mask(input, mask)


def expand_mask(input, mask):
    """Return a mask as bools in the shape of the input; raise IndexError if it has more dimensions."""
    mask = mask if mask.layout is torch.strided else mask.to_dense()
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.to(torch.bool)


def fill_unchosen(input, mask, value):
    """Return the elements, with ``value`` where the mask is False."""
    return input if mask is None else torch.where(mask, input, torch.tensor(value, dtype=input.dtype))


LARGEST_FIRST = frozenset("amin argmin".split())
"""Reductions to which the largest number of a dtype adds nothing; to others the smallest one."""


def fill_extreme(input, mask, reduction):
    """Return the elements, with the number that adds nothing to a ``reduction`` such as "amax" where the mask is False.

    Raise NotImplementedError for a mask beside bools, which have none.
    """
    if mask is None:
        return input
    dtype, sign = input.dtype, 1 if reduction in LARGEST_FIRST else -1
    if dtype is torch.bool:
        raise NotImplementedError(f"identity of {reduction} on torch.bool input")
    if dtype.is_floating_point or dtype.is_complex and reduction == "logsumexp":
        return fill_unchosen(input, mask, sign * torch.inf)
    info = torch.iinfo(dtype)
    return fill_unchosen(input, mask, info.max if sign == 1 else info.min)


def list_dims(dim, ndim):
    """Return the dimensions in ``dim``, all for None; IndexError for one out of range, RuntimeError for a repeated one."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    found = []
    for each in (dim,) if isinstance(dim, int) else dim:
        least = max(ndim, 1)
        if not -least <= each < least:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {each})"
            )
        if each % least in found:
            raise RuntimeError(f"dim={each % least} appears multiple times in the list of dims")
        found.append(each % least)
    return tuple(found) if ndim else ()
