"""Immutable lists and dictionaries for a node's arguments: changing them would bypass the record of users."""

from tensh.utils._pytree import register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]

ADVICE = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def _refuse(self, *args, **options):
    """Raise TypeError, because the collection is immutable."""
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {ADVICE}")


class immutable_list(list):
    """A list that raises TypeError when it is changed; it is hashable.

    >>> from tensh.fx.immutable_collections import immutable_list
    >>> immutable_list([1, 2])
    [1, 2]
    """

    __delitem__ = __iadd__ = __imul__ = __setitem__ = append = clear = _refuse
    extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return type(self), (tuple(self),)


class immutable_dict(dict):
    """A dictionary that raises TypeError when it is changed; it is hashable.

    >>> from tensh.fx.immutable_collections import immutable_dict
    >>> immutable_dict(dim=1)
    {'dim': 1}
    """

    __delitem__ = __ior__ = __setitem__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return type(self), (tuple(self.items()),)


def _unflatten_list(values, context):
    return immutable_list(values)


def _unflatten_dict(values, keys):
    return immutable_dict(zip(keys, values, strict=True))


def to_plain(value):
    """Return a structure with plain lists and dictionaries in place of immutable ones."""
    if isinstance(value, dict):
        return {key: to_plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [to_plain(each) for each in value]
    return tuple(to_plain(each) for each in value) if type(value) is tuple else value


register_pytree_node(immutable_list, lambda each: (list(each), None), _unflatten_list)
register_pytree_node(immutable_dict, lambda each: (list(each.values()), list(each)), _unflatten_dict)
