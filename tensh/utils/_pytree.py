"""torch.utils._pytree: values nested in containers, taken apart and put together; other classes can be registered."""

from tensh.func import trees
from tensh.func.trees import TreeSpec

PyTree = object
SUPPORTED_NODES = trees.BRANCHES
LEAF = trees.LEAF


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    def __new__(cls):
        return trees.LEAF


def register_pytree_node(cls, flatten_fn, unflatten_fn, **names):
    """Let a class count as a branch: how it comes apart, (children, context), and is put together from both.

    >>> import tensh as torch
    >>> from tensh.utils import _pytree
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> _pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda children, _: Pair(*children))
    >>> _pytree.tree_leaves([Pair(1, 2), 3])
    [1, 2, 3]
    """
    if cls in trees.BRANCHES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    trees.BRANCHES[cls] = flatten_fn, unflatten_fn


_dict_flatten, _dict_unflatten = trees.BRANCHES[dict]


def _dict_flatten_with_keys(tree):
    values, keys = _dict_flatten(tree)
    return [(MappingKey(key), value) for key, value in zip(keys, values)], keys


class MappingKey(tuple):
    """The place of a value in a dictionary."""

    def __new__(cls, key):
        return super().__new__(cls, (key,))

    key = property(lambda self: self[0])


def _get_node_type(tree):
    return trees.kind_of(tree) and type(tree)


_register_pytree_node = register_pytree_node


def _is_leaf(tree, is_leaf=None):
    return trees.kind_of(tree) is None or (is_leaf is not None and is_leaf(tree))


def _flatten(tree, is_leaf, leaves):
    """Append the leaves of ``tree``; its structure."""
    if _is_leaf(tree, is_leaf):
        leaves.append(tree)
        return trees.LEAF
    kind = trees.kind_of(tree)
    children, context = trees.BRANCHES[kind][0](tree) if kind in trees.BRANCHES else (list(tree), None)
    return TreeSpec(kind, context, [_flatten(child, is_leaf, leaves) for child in children])


def tree_flatten(tree, is_leaf=None):
    """(the leaves of ``tree`` from left to right, its structure)."""
    leaves = []
    spec = _flatten(tree, is_leaf, leaves)
    return leaves, spec


def tree_unflatten(leaves, treespec):
    """Put leaves together in a structure."""
    leaves = list(leaves)
    if len(leaves) != treespec.leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.leaves} items ({treespec})."
        )
    return trees.unflatten(leaves, treespec)


def tree_leaves(tree, is_leaf=None):
    """The leaves of ``tree`` from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree, is_leaf=None):
    """Go through the leaves of ``tree``."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    """The structure of ``tree``."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """Apply a function to every leaf, with the leaves of other trees of the same structure.

    >>> from tensh.utils._pytree import tree_map
    >>> tree_map(lambda x: x * 2, {"a": [1, (2,)]})
    {'a': [2, (4,)]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten(map(func, leaves, *[_flatten_up_to(spec, other) for other in rests]), spec)


def _flatten_up_to(spec, tree):
    """The parts of ``tree`` that stand where ``spec`` has leaves."""
    if spec.kind is None:
        return [tree]
    kind = trees.kind_of(tree)
    if kind != spec.kind:
        raise ValueError(f"Node type mismatch; expected {spec.kind}, but got {type(tree)}.")
    children = (trees.BRANCHES[kind][0](tree) if kind in trees.BRANCHES else (list(tree), None))[0]
    if len(children) != len(spec.children):
        raise ValueError(f"Node arity mismatch; expected {len(spec.children)}, but got {len(children)}.")
    return [leaf for part, child in zip(spec.children, children) for leaf in _flatten_up_to(part, child)]


def tree_map_(func, tree, *rests, is_leaf=None):
    """Call a function with every leaf, and give the tree back."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def map_only(type_or_types_or_pred):
    """A decorator: the function is applied to values of some types alone, or to those that a predicate holds for."""
    asked = type_or_types_or_pred
    fits = asked if callable(asked) and not isinstance(asked, type) else lambda x: isinstance(x, asked)
    return lambda func: lambda x: func(x) if fits(x) else x


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """Apply a function to the leaves of some types."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, func, tree, is_leaf=None):
    """Call a function with the leaves of some types, and give the tree back."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Does a predicate hold for all leaves?"""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Does a predicate hold for one of the leaves?"""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    """Does a predicate hold for all leaves of some types?"""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    """Does a predicate hold for one of the leaves of some types?"""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))
