"""Tuples with a number for every dimension, and removal of a prefix from the keys of a state dict."""

from tensh.engine.arguments.checks import ntuple

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse"):
    """Return a function that turns a number or an iterable into a tuple of n numbers."""

    def parse(x):
        return ntuple(x, n)

    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """Repeat every element ``n`` times, the last element first: paddings of dimensions as ``functional.pad`` takes them."""
    return tuple(each for each in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """Return sizes with the last of ``defaults`` in place of None; raise ValueError if there are too few of these."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if n is None else n for n, d in zip(out_size, defaults[-len(out_size) :])]


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Remove ``prefix`` from the keys of a state dict and of its metadata, in place.

    >>> import tensh as torch
    >>> from tensh import nn
    >>> state = {"module.weight": torch.ones(1)}
    >>> nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'weight': tensor([1.])}
    """
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in list(metadata):  # "" is the whole, "module" the module itself, "module.0" one of its submodules
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
