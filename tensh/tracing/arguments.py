"""The arguments of a call as the leaves of nested values: their names, and the paths that lead to them."""

import inspect

from tensh.engine.core.tensor import Tensor
from tensh.func.trees import BRANCHES, BUILT_IN, LEAF, TreeSpec, kind_of, take_apart, unflatten
from tensh.nn.modules.module import Module
from tensh.utils._pytree_paths import MappingKey, SequenceKey, flatten_with_keys


def walk_leaves(value, name, path=()):
    """Yield (name, path, leaf) of each leaf; names end in the keys that lead to it."""
    kind = kind_of(value)
    if kind is None:
        yield name, path, value
        return
    for key, child in flatten_with_keys(value, kind)[0]:
        yield from walk_leaves(child, f"{name}_{key[0]}", (*path, key))


def list_arguments(called, args, kwargs):
    """Return (name, path, value) of each argument in the order of the call; paths begin at the names of parameters."""
    function, kinds = called.forward if isinstance(called, Module) else called, {}
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
        kinds = {name: each.kind for name, each in bound.signature.parameters.items()}
    except (TypeError, ValueError):
        pass
    by_kind = {kind: name for name, kind in kinds.items()}
    rest, more = by_kind.get(inspect.Parameter.VAR_POSITIONAL, "args"), by_kind.get(inspect.Parameter.VAR_KEYWORD)
    names = [*kinds][: [*kinds].index(rest)] if rest in kinds else [*kinds]
    found = []
    for number, value in enumerate(args):
        if number < len(names):
            found.append((names[number], (MappingKey(names[number]),), value))
        else:
            place = number - len(names)
            found.append((f"{rest}_{place}", (MappingKey(rest), SequenceKey(place)), value))
    for name, value in kwargs.items():
        path = (MappingKey(name),) if name in kinds or more is None else (MappingKey(more), MappingKey(name))
        found.append((name, path, value))
    return found


def list_inputs(called, args, kwargs):
    """Return (path, name, tensor) for each tensor among the arguments, in the order of a program's inputs."""
    return [
        (where, leaf_name, leaf)
        for name, path, value in list_arguments(called, args, kwargs)
        for leaf_name, where, leaf in walk_leaves(value, name, path)
        if isinstance(leaf, Tensor)
    ]


def open_branches(value):
    """Return a nested value with tuples in place of containers that a program has registered."""
    kind = kind_of(value)
    if kind is None:
        return value
    children, context = take_apart(value, kind)
    children = list(map(open_branches, children))
    if kind in BRANCHES and kind not in BUILT_IN and not issubclass(kind, (tuple, list, dict)):
        return tuple(children)
    return unflatten(children, TreeSpec(kind, context, [LEAF] * len(children)))
