"""Values nested in tuples, lists and dictionaries, flattened and rebuilt.

Branches are those of PyTorch: tuples and named tuples, lists, dict, OrderedDict, defaultdict and deque.  Everything
else, including None, is a leaf.
"""

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any, NamedTuple

from tensh.engine.dtypes.size import Size


class TreeSpec:
    """The structure of a nested value: the type of the branch, its context, and its children.

    >>> from tensh.utils._pytree import tree_structure
    >>> spec = tree_structure([1, (2, 3)])
    >>> spec.num_leaves, spec.num_nodes, spec.unflatten("abc")
    (3, 5, ['a', ('b', 'c')])
    """

    __slots__ = ("type", "context", "children_specs", "num_leaves")

    def __init__(self, type, context=None, children_specs=()):
        self.type, self.context, self.children_specs = type, context, list(children_specs)
        self.num_leaves = sum(child.num_leaves for child in children_specs) if type is not None else 1

    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self.children_specs) == (other.type, other.context, other.children_specs)

    def __hash__(self):
        return hash((self.type, self.num_children, self.num_leaves))

    def __repr__(self, indent=0):
        if self.type is None:
            return "*"
        children = (",\n" + " " * (indent + 2)).join(child.__repr__(indent + 2) for child in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"

    @property
    def num_nodes(self):
        """The number of branches and leaves."""
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @property
    def num_children(self):
        """The number of children of the branch."""
        return len(self.children_specs)

    def is_leaf(self):
        """Return True for the structure of a leaf."""
        return self.type is None

    def child(self, index):
        """Return the structure of a child, by index."""
        return self.children_specs[index]

    def children(self):
        """Return the structures of the children."""
        return list(self.children_specs)

    def unflatten(self, leaves):
        """Return the nested value of this structure with these leaves.  Raise ValueError for another number of them."""
        return unflatten(leaves, self)

    def flatten_up_to(self, tree):
        """Return the parts of ``tree`` at the leaves of the structure; dictionaries may have another order and type.

        Raise ValueError for another structure.
        """
        if self.is_leaf():
            return [tree]
        kind = kind_of(tree)
        mappings = self.type in MAPPINGS and kind in MAPPINGS
        if kind != self.type and not mappings:
            what = "Node type" if self.type in BUILT_IN else "Type"
            raise ValueError(f"{what} mismatch; expected {self.type!r}, but got {kind or type(tree)!r}.")
        children, context = take_apart(tree, kind)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if mappings:
            keys = self.context[1] if self.type is defaultdict else self.context
            missing, extra = {*keys} - {*tree}, {*tree} - {*keys}
            if missing or extra:
                parts = (f"; {word} key(s): {some}" for word, some in (("missing", missing), ("extra", extra)) if some)
                raise ValueError(f"Node keys mismatch{''.join(parts)}.")
            children = [tree[key] for key in keys]
        elif kind is not deque and context != self.context:
            expected = f"; expected {self.context!r}, but got {context!r}" if kind in BUILT_IN else ""
            which = "node type" if kind in BUILT_IN else "custom node type"
            raise ValueError(f"Node context mismatch for {which} {self.type!r}{expected}.")
        return [
            leaf
            for part, child in zip(self.children_specs, children, strict=True)
            for leaf in part.flatten_up_to(child)
        ]

    def pretty(self):
        """Return the printed form of the value, with ``*`` for the leaves."""
        return repr(unflatten([STAR] * self.num_leaves, self))


class _Star:
    def __repr__(self):
        return "*"


STAR = _Star()
LEAF = TreeSpec(None)
NAMED = namedtuple  # the kind of all its classes


def kind_of(value):
    """Return the kind of branch that ``value`` is; None for a leaf."""
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


def _order_branch(branch):
    return list(branch), None


def _fill_dict(kind):
    return lambda values, keys: kind(zip(keys, values))


class Branch(NamedTuple):
    """The functions that flatten a value of a type into children and context, and rebuild it."""

    flatten_fn: Any
    unflatten_fn: Any
    type: Any = None
    flatten_with_keys_fn: Any = None


BRANCHES = {
    kind: Branch(apart, together, kind)
    for kind, apart, together in [
        (tuple, _order_branch, lambda values, _: tuple(values)),
        (list, _order_branch, lambda values, _: list(values)),
        (Size, _order_branch, lambda values, _: tuple(values)),
        (dict, _values, _fill_dict(dict)),
        (OrderedDict, _values, _fill_dict(OrderedDict)),
        (
            defaultdict,
            lambda branch: (list(branch.values()), [branch.default_factory, list(branch)]),
            lambda values, context: defaultdict(context[0], zip(context[1], values, strict=False)),
        ),
        (deque, lambda branch: (list(branch), branch.maxlen), lambda values, maxlen: deque(values, maxlen)),
        (NAMED, lambda branch: (list(branch), type(branch)), lambda values, kind: kind(*values)),
    ]
}
"""Type of branch -> the functions that flatten and rebuild it."""

BUILT_IN = frozenset(BRANCHES)
MAPPINGS = frozenset((dict, OrderedDict, defaultdict))


def take_apart(tree, kind):
    """Return (children, context) of a branch of a kind."""
    return BRANCHES[kind].flatten_fn(tree) if kind in BRANCHES else _order_branch(tree)


def flatten(tree, is_leaf=None):
    """Return (the leaves of ``tree`` from left to right, its structure); ``is_leaf`` says which other values are leaves.

    >>> from tensh.func.trees import flatten
    >>> flatten({"a": 1, "b": (2, 3)})
    ([1, 2, 3], TreeSpec(dict, ['a', 'b'], [*,
      TreeSpec(tuple, None, [*,
        *])]))
    """
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree, leaves, is_leaf):
    kind = kind_of(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return LEAF
    children, context = take_apart(tree, kind)
    return TreeSpec(kind, context, [_flatten(child, leaves, is_leaf) for child in children])


def leaves_of(tree):
    """Return the leaves of ``tree`` from left to right."""
    return flatten(tree)[0]


def unflatten(leaves, spec):
    """Return the nested value of structure ``spec`` with these leaves.

    >>> from tensh.func.trees import flatten, unflatten
    >>> unflatten([1, 2, 3], flatten({"a": 0, "b": (0, 0)})[1])
    {'a': 1, 'b': (2, 3)}
    """
    leaves = list(leaves)
    if len(leaves) != spec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{spec.num_leaves} items ({spec})."
        )
    return _unflatten(iter(leaves), spec)


def _unflatten(leaves, spec):
    if spec.type is None:
        return next(leaves)
    values = [_unflatten(leaves, child) for child in spec.children_specs]
    return BRANCHES[spec.type].unflatten_fn(values, spec.context) if spec.type in BRANCHES else spec.type(values)


def map_leaves(fn, tree):
    """Apply ``fn`` to every leaf of ``tree``.

    >>> from tensh.func.trees import map_leaves
    >>> map_leaves(abs, [-1, (2, -3)])
    [1, (2, 3)]
    """
    leaves, spec = flatten(tree)
    return unflatten([fn(leaf) for leaf in leaves], spec)
