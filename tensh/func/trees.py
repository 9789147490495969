"""Values nested in tuples, lists and dictionaries, taken apart and put together again.

What counts as a branch is what PyTorch counts: tuples and their named kinds, lists, dictionaries, ordered and defaulting
dictionaries, deques.  Everything else, None among it, is a leaf.
"""

from collections import OrderedDict, defaultdict, deque

from tensh.engine.dtypes.size import Size


class TreeSpec:
    """The structure of a nested value: what kind of branch it is, what the kind must know of it, and its children."""

    __slots__ = ("kind", "context", "children", "leaves")

    def __init__(self, kind, context=None, children=()):
        self.kind, self.context, self.children = kind, context, children
        self.leaves = sum(child.leaves for child in children) if kind is not None else 1

    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.kind, self.context, self.children) == (other.kind, other.context, other.children)

    def __repr__(self, indent=0):
        if self.kind is None:
            return "*"
        name = "namedtuple" if self.kind is NAMED else self.kind.__name__
        children = (",\n" + " " * (indent + 2)).join(child.__repr__(indent + 2) for child in self.children)
        return f"TreeSpec({name}, {self.context}, [{children}])"

    def pretty(self):
        """The structure as the value would show itself, with ``*`` for the leaves."""
        return repr(unflatten([STAR] * self.leaves, self))


class _Star:
    def __repr__(self):
        return "*"


STAR = _Star()
LEAF = TreeSpec(None)
NAMED = "named tuple"


def kind_of(value):
    """What kind of branch ``value`` is; None for a leaf."""
    kind = type(value)
    if kind in BRANCHES:
        return kind
    if issubclass(kind, tuple):
        if kind.__module__ == "torch.return_types":
            return kind
        if getattr(kind, "_fields", None) is not None:
            return NAMED
    return None


def _values(branch):
    return list(branch.values()), list(branch)


def _in_order(branch):
    return list(branch), None


def _fill_dict(kind):
    return lambda values, keys: kind(zip(keys, values))


BRANCHES = {
    tuple: (_in_order, lambda values, _: tuple(values)),
    list: (_in_order, lambda values, _: list(values)),
    Size: (_in_order, lambda values, _: tuple(values)),
    dict: (_values, _fill_dict(dict)),
    OrderedDict: (_values, _fill_dict(OrderedDict)),
    defaultdict: (
        lambda branch: (list(branch.values()), [branch.default_factory, list(branch)]),
        lambda values, context: defaultdict(context[0], zip(context[1], values)),
    ),
    deque: (lambda branch: (list(branch), branch.maxlen), lambda values, maxlen: deque(values, maxlen)),
    NAMED: (lambda branch: (list(branch), type(branch)), lambda values, kind: kind(*values)),
}
"""Kind of branch -> how it comes apart, into its children and what else there is to know, and is put together."""


def flatten(tree):
    """(the leaves of ``tree`` from left to right, its structure).

    >>> from tensh.func.trees import flatten
    >>> flatten({"a": 1, "b": (2, 3)})
    ([1, 2, 3], TreeSpec(dict, ['a', 'b'], [*,
      TreeSpec(tuple, None, [*,
        *])]))
    """
    leaves = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree, leaves):
    kind = kind_of(tree)
    if kind is None:
        leaves.append(tree)
        return LEAF
    apart = BRANCHES[kind][0] if kind in BRANCHES else _in_order
    children, context = apart(tree)
    return TreeSpec(kind, context, [_flatten(child, leaves) for child in children])


def leaves_of(tree):
    """The leaves of ``tree`` from left to right."""
    return flatten(tree)[0]


def unflatten(leaves, spec):
    """The nested value of structure ``spec`` with these leaves.

    >>> from tensh.func.trees import flatten, unflatten
    >>> unflatten([1, 2, 3], flatten({"a": 0, "b": (0, 0)})[1])
    {'a': 1, 'b': (2, 3)}
    """
    leaves = list(leaves)
    if len(leaves) != spec.leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{spec.leaves} items ({spec})."
        )
    return _unflatten(iter(leaves), spec)


def _unflatten(leaves, spec):
    if spec.kind is None:
        return next(leaves)
    values = [_unflatten(leaves, child) for child in spec.children]
    return BRANCHES[spec.kind][1](values, spec.context) if spec.kind in BRANCHES else spec.kind(values)


def map_leaves(fn, tree):
    """``tree`` with ``fn`` of every leaf in its place.

    >>> from tensh.func.trees import map_leaves
    >>> map_leaves(abs, [-1, (2, -3)])
    [1, (2, 3)]
    """
    leaves, spec = flatten(tree)
    return unflatten([fn(leaf) for leaf in leaves], spec)
