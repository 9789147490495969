"""A nested state dict as a flat one, whose keys are the paths in the nested one joined by points."""

from collections.abc import Mapping

import tensh as torch
from tensh.distributed.checkpoint.chunks import Chunks

__all__ = ["flatten_state_dict", "set_element", "unflatten_state_dict"]

MOST_GAPS = 2**16  # places of lists that no key names, of which a state dict with empty containers has a few


def flatten_state_dict(state_dict):
    """Return the flat state dict, and key -> path.  Raise ValueError for paths with the same key.

    Dicts are opened, and lists that contain tensors, dicts or such lists.

    >>> from tensh.distributed.checkpoint._nested_dict import flatten_state_dict
    >>> flatten_state_dict({"a": {"b": 1}, "c": [{"d": 2}]})
    ({'a.b': 1, 'c.0.d': 2}, {'a.b': ('a', 'b'), 'c.0.d': ('c', 0, 'd')})
    """
    flat, paths = {}, {}
    for path, _, value in walk(state_dict):
        key = ".".join(map(str, path))
        if key in flat:
            raise ValueError(f"duplicated flatten key {key}")
        flat[key], paths[key] = value, path
    return flat, paths


def unflatten_state_dict(state_dict, mapping):
    """Return the nested state dict of a flat one, by its paths."""
    nested = {}
    for key, value in state_dict.items():
        set_element(nested, mapping[key], value)
    return nested


def walk(value, path=(), real=()):
    """Yield (path, path with the keys as they are, value); dict keys of a path are strings, list positions integers."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from walk(each, (*path, str(key)), (*real, key))
    elif path and is_open(value):
        for number, each in enumerate(value):
            yield from walk(each, (*path, number), (*real, number))
    else:
        yield path, real, value


def is_open(value):
    """Return True for a list whose elements are stored one by one."""
    return isinstance(value, list) and any(
        isinstance(each, torch.Tensor | Chunks | Mapping) or is_open(each) for each in value
    )


def set_element(root, path, value):
    """Set the value at a path, and make the dicts and lists on the way.  Raise ValueError if they would be too long."""
    here = root
    for key, following in zip(path, path[1:], strict=False):
        new = [] if type(following) is int else {}
        if isinstance(here, list):
            _extend(here, key)
            if here[key] is None:
                here[key] = new
            here = here[key]
        else:
            here = here.setdefault(key, new)
    if isinstance(here, list):
        _extend(here, path[-1])
    here[path[-1]] = value


def _extend(there, number):
    if number - len(there) > MOST_GAPS:
        raise ValueError(f"a list cannot have an element {number} after {len(there)}")
    there.extend([None] * (number + 1 - len(there)))
