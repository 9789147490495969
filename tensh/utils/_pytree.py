"""torch.utils._pytree: values nested in containers, taken apart and put together; other classes can be registered."""

import dataclasses
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from types import UnionType
from typing import Any

from tensh.engine.dtypes.size import Size
from tensh.func import trees
from tensh.func.trees import TreeSpec
from tensh.utils._pytree_json import register_serialized, treespec_dumps, treespec_loads  # noqa: F401
from tensh.utils._pytree_paths import (  # noqa: F401
    GetAttrKey,
    MappingKey,
    SequenceKey,
    flatten_with_keys,
    key_get,
    keystr,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
)

PyTree = Context = DumpableContext = KeyEntry = Any
KeyPath = tuple[Any, ...]
FlattenFunc = Callable[[PyTree], tuple[list[Any], Context]]
FlattenWithKeysFunc = Callable[[PyTree], tuple[list[tuple[KeyEntry, Any]], Context]]
UnflattenFunc = Callable[[Iterable[Any], Context], PyTree]
ToDumpableContextFn = FromDumpableContextFn = Callable[[Any], Any]
"""Types of annotations."""
SUPPORTED_NODES = trees.BRANCHES
BUILTIN_TYPES = trees.BUILT_IN - {Size}
LEAF = _LEAF_SPEC = trees.LEAF


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    def __new__(cls):
        return trees.LEAF


def register_pytree_node(
    cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None, from_dumpable_context=None,
    flatten_with_keys_fn=None,
):  # fmt: skip
    """Let a class count as a branch: how it comes apart, (children, context), and is put together from both.

    ``flatten_with_keys_fn`` gives pairs of a key and a child in place of the children, for paths.  The other names say
    how ``treespec_dumps`` writes structures of the class.

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
    set_branch(
        cls,
        flatten_fn,
        unflatten_fn,
        flatten_with_keys_fn,
        serialized_type_name,
        to_dumpable_context,
        from_dumpable_context,
    )


def set_branch(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn, name=None, dump=None, load=None):
    """Let a class count as a branch from now on, even if it has been one already."""
    trees.BRANCHES[cls] = trees.Branch(flatten_fn, unflatten_fn, cls, flatten_with_keys_fn)
    register_serialized(cls, name, dump, load)


def _deregister_pytree_node(cls):
    """Let a class that was registered count as a leaf again; KeyError for one that was not."""
    del trees.BRANCHES[cls]


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Let a data class count as a branch, whose children are its fields.

    >>> import dataclasses
    >>> from tensh.utils import _pytree
    >>> @dataclasses.dataclass
    ... class Point:
    ...     x: int
    ...     y: int
    >>> _pytree.register_dataclass(Point)
    >>> _pytree.tree_map(lambda v: v + 1, Point(1, 2)) == Point(2, 3)
    True
    """
    names = field_names if field_names is not None else list_fields(cls)
    if field_names is not None and dataclasses.is_dataclass(cls):
        require_fields({*list_fields(cls)} - {*(drop_field_names or ())}, {*names})

    def flatten_with_keys(value):
        named = [(name, getattr(value, name)) for name in names]
        full = [(GetAttrKey(name), each) for name, each in named if each is not None]
        return full, [[key.name for key, _ in full], [name for name, each in named if each is None]]

    def flatten(value):
        full, context = flatten_with_keys(value)
        return [each for _, each in full], context

    def together(values, context):
        return cls(**dict(zip(context[0], values, strict=True)), **dict.fromkeys(context[1]))

    set_branch(cls, flatten, together, flatten_with_keys, serialized_type_name)


def register_constant(cls):
    """Let values of a class count as parts of the structure, not as leaves; they must be equal to be the same structure."""
    register_pytree_node(
        cls, lambda value: ([], value), lambda _, value: value, flatten_with_keys_fn=lambda value: ([], value)
    )
    CONSTANTS.add(cls)


def list_fields(cls):
    """Return the names of the fields that make an instance.  Raise ValueError for other classes than data classes."""
    if not dataclasses.is_dataclass(cls):
        raise ValueError(
            f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a dataclass."
        )
    return [each.name for each in dataclasses.fields(cls) if each.init]


def require_fields(expected, given):
    """Raise ValueError unless the given names are those of the fields."""
    text = "field_names does not include all dataclass fields.\n"
    if missing := expected - given:
        text += (
            f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, please add them to "
            "`field_names`, otherwise please add them to `drop_field_names`.\n"
        )
    if unexpected := given - expected:
        text += f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to `drop_field_names`.\n"
    if missing or unexpected:
        raise ValueError(text)


CONSTANTS: set = set()


def is_constant_class(cls):
    """Return True if a class was registered as constant."""
    return cls in CONSTANTS


_register_pytree_node = _private_register_pytree_node = register_pytree_node


def _register_namedtuple(cls, *, serialized_type_name):
    """Let ``treespec_dumps`` write structures of a named tuple's class, under this name."""
    register_serialized(cls, serialized_type_name)


for _kind in (dict, list, tuple, OrderedDict, defaultdict, deque, trees.NAMED):
    _name = _kind.__name__.lower()
    globals()[f"_{_name}_flatten"], globals()[f"_{_name}_unflatten"] = trees.BRANCHES[_kind][:2]
    globals()[f"_{_name}_flatten_with_keys"] = partial(flatten_with_keys, kind=_kind)
_odict_flatten, _odict_unflatten = trees.BRANCHES[OrderedDict][:2]


def is_namedtuple_class(cls):
    """Return True if ``namedtuple`` made a class."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def is_namedtuple_instance(value):
    """Return True for an instance of a ``namedtuple``."""
    return is_namedtuple_class(type(value))


_is_namedtuple_instance = is_namedtuple_instance


def is_namedtuple(obj):
    """Return True for a class that ``namedtuple`` made, or an instance of one."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls):
    """Return True for a class of tuples with named fields from C: ``torch.return_types.max``, or ``time.struct_time``."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and (
            cls.__module__ == "torch.return_types"
            or cls.__bases__ == (tuple,)
            and all(type(getattr(cls, name, None)) is int for name in ("n_fields", "n_sequence_fields"))
        )
    )


def is_structseq_instance(obj):
    """Return True for a tuple of such a class."""
    return is_structseq_class(type(obj))


def is_structseq(obj):
    """Return True for a tuple of such a class, and for the class."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _get_node_type(tree):
    return trees.kind_of(tree) and type(tree)


def _is_leaf(tree, is_leaf=None):
    return trees.kind_of(tree) is None or (is_leaf is not None and is_leaf(tree))


def _flatten(tree, is_leaf, leaves):
    """Append the leaves of ``tree``; its structure."""
    if _is_leaf(tree, is_leaf):
        leaves.append(tree)
        return trees.LEAF
    kind = trees.kind_of(tree)
    children, context = trees.take_apart(tree, kind)
    return TreeSpec(kind, context, [_flatten(child, is_leaf, leaves) for child in children])


def tree_flatten(tree, is_leaf=None):
    """Return (the leaves of ``tree`` from left to right, its structure)."""
    leaves = []
    spec = _flatten(tree, is_leaf, leaves)
    return leaves, spec


def tree_unflatten(leaves, treespec):
    """Put leaves together in a structure."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return trees.unflatten(leaves, treespec)


def tree_leaves(tree, is_leaf=None):
    """Return the leaves of ``tree`` from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree, is_leaf=None):
    """Go through the leaves of ``tree``."""
    yield from tree_leaves(tree, is_leaf)


def tree_structure(tree, is_leaf=None):
    """Return the structure of ``tree``."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """Apply a function to every leaf, with the leaves of other trees of the same structure.

    >>> from tensh.utils._pytree import tree_map
    >>> tree_map(lambda x: x * 2, {"a": [1, (2,)]})
    {'a': [2, (4,)]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten(map(func, leaves, *[spec.flatten_up_to(other) for other in rests]), spec)


def tree_map_(func, tree, *rests, is_leaf=None):
    """Call a function with every leaf, and give the tree back."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def map_only(type_or_types_or_pred):
    """Return a decorator: the function is applied only to values of some types, or to those that satisfy a predicate."""
    asked = type_or_types_or_pred
    if not isinstance(asked, (type, tuple, UnionType)) and not callable(asked):
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    fits = asked if callable(asked) and not isinstance(asked, type) else lambda x: isinstance(x, asked)
    return lambda func: lambda x: func(x) if fits(x) else x


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """Apply a function to the leaves of some types."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, func, tree, is_leaf=None):
    """Call a function with the leaves of some types, and give the tree back."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Return True if a predicate holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Return True if a predicate holds for one of the leaves."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    """Return True if a predicate holds for all leaves of some types."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    """Return True if a predicate holds for one of the leaves of some types."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def arg_tree_leaves(*args, **kwargs):
    """Return the leaves of arguments from left to right."""
    return tree_leaves((args, kwargs))


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """Return the leaves of ``tree`` with each repeated for all leaves of the structure below it; None if it does not fit."""
    if _is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    kind = trees.kind_of(tree)
    if kind != treespec.type:
        return None
    children, context = trees.take_apart(tree, kind)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found = [
        _broadcast_to_and_flatten(child, part, is_leaf)
        for child, part in zip(children, treespec.children_specs, strict=True)
    ]
    return None if any(each is None for each in found) else [leaf for each in found for leaf in each]


def tree_is_leaf(tree, is_leaf=None):
    """Return True if a value is a leaf."""
    return _is_leaf(tree, is_leaf)


def treespec_pprint(treespec):
    """Return the structure as the value would show itself, with ``*`` for the leaves."""
    return treespec.pretty()


def treespec_leaf():
    """Return the structure of a leaf."""
    return trees.LEAF


def treespec_tuple(iterable=()):
    """Return the structure of a tuple of parts with these structures."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping=(), **named):
    """Return the structure of a dictionary of parts with these structures."""
    parts = dict(mapping, **named)
    return TreeSpec(dict, list(parts), list(parts.values()))
