"""Paths in nested values: the keys that lead from the outermost container to a leaf."""

from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

from tensh.func import trees


class MappingKey(NamedTuple):
    """The place of a value in a dictionary."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """Return the value at this place."""
        return mapping[self.key]


class SequenceKey(NamedTuple):
    """The place of a value in a list, tuple or deque."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """Return the value at this place."""
        return sequence[self.idx]


class GetAttrKey(NamedTuple):
    """The place of a value in an object, by the name of the attribute."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """Return the value at this place."""
        return getattr(obj, self.name)


def flatten_with_keys(tree, kind=None):
    """Return (pairs of key and child, context) of a branch.  Raise ValueError for a registered class that names no keys."""
    kind = kind or trees.kind_of(tree)
    children, context = trees.take_apart(tree, kind)
    if kind in (dict, OrderedDict, defaultdict):
        keys = [MappingKey(key) for key in tree]
    elif kind is trees.NAMED:
        keys = [GetAttrKey(name) for name in tree._fields]
    elif kind in trees.BUILT_IN or kind not in trees.BRANCHES:
        keys = [SequenceKey(place) for place in range(len(children))]
    elif trees.BRANCHES[kind].flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. "
            "Please pass a flatten_with_keys_fn argument to register_pytree_node."
        )
    else:
        return trees.BRANCHES[kind].flatten_with_keys_fn(tree)
    return list(zip(keys, children, strict=True)), context


def _go_through(tree, path, is_leaf, found):
    """Append (path, leaf) for all leaves; the structure."""
    kind = trees.kind_of(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        found.append((path, tree))
        return trees.LEAF
    pairs, context = flatten_with_keys(tree, kind)
    return trees.TreeSpec(kind, context, [_go_through(child, (*path, key), is_leaf, found) for key, child in pairs])


def tree_flatten_with_path(tree, is_leaf=None):
    """Return ([(path, leaf) for all leaves from left to right], the structure of ``tree``).

    >>> from tensh.utils._pytree import keystr, tree_flatten_with_path
    >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path({"a": [1, 2]})[0]]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    found = []
    spec = _go_through(tree, (), is_leaf, found)
    return found, spec


def tree_leaves_with_path(tree, is_leaf=None):
    """[(path, leaf) for all leaves from left to right]."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """Apply a function to the path and the value of every leaf, and to the leaves of other trees of the same structure.

    >>> from tensh.utils._pytree import tree_map_with_path
    >>> tree_map_with_path(lambda path, leaf: (len(path), leaf), [1, {"a": 2}])
    [(1, 1), {'a': (2, 2)}]
    """
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(other) for other in rests]
    leaves = [func(path, leaf, *more) for (path, leaf), *more in zip(pairs, *others, strict=True)]
    return trees.unflatten(leaves, spec)


def keystr(kp):
    """Return a path as it is written in Python: ``['a'][0].name``."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """Return the value at the end of a path."""
    for key in kp:
        obj = key.get(obj)
    return obj
