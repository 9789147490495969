"""torch.nn._reduction: the reductions of losses as numbers, and the older arguments for them."""

from tensh.engine.errors.warnings import warn

NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction):
    """Return the number of a reduction: 0 for "none", 1 for "mean", 2 for "sum".  Raise ValueError for another name.

    >>> from tensh.nn._reduction import get_enum
    >>> get_enum("mean")
    1
    """
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return NUMBERS["mean"]
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return NUMBERS[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """Return the reduction for the older arguments ``size_average`` and ``reduce``."""
    averaged, reduced = (True if each is None else each for each in (size_average, reduce))
    found = ("mean" if averaged else "sum") if reduced else "none"
    if emit_warning:
        warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """Return the number of the reduction for the older arguments ``size_average`` and ``reduce``."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
