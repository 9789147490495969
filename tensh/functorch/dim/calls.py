"""Calls of functions with named tensors: element by element, along a dimension, or as ``vmap`` over the named dimensions."""

from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import Tensor as Plain
from tensh.engine.dispatch.override.points import METHODS
from tensh.func.vmap import vmap
from tensh.functorch.dim.along import ALONG, compute_along, names_dimensions
from tensh.functorch.dim.arranging import expand, split, stack
from tensh.functorch.dim.dimensions import Dim
from tensh.functorch.dim.indexing import get_item, set_item
from tensh.functorch.dim.levels import is_place, match, union
from tensh.functorch.dim.tensors import Named, Tensor, read, wrap
from tensh.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

ARRANGING = {"stack": stack, "split": split, "split_with_sizes": split, "expand": expand}
"""Functions of plain tensors that also take named dimensions."""


def call(function, args, options):
    """Compute a function of tensors, of which some have named dimensions."""
    name = function.__name__
    if name in ("__getitem__", "__setitem__"):
        return (get_item if name == "__getitem__" else set_item)(*args)
    if name == "__len__":
        return call(Plain.size, args, {})[0]
    if name in ARRANGING and any(isinstance(each, Dim) for each in tree_leaves((args[1:], options))):
        return ARRANGING[name](*args, **options)
    if name in ALONG and names_dimensions(name, args, options):
        return compute_along(function, name, args, options)
    if name in ("__mul__", "mul") and is_delayed(*args, **options):
        return Tensor(None, union([args[0].levels, args[1].levels]), args)
    return compute(function, args, options)


def is_delayed(*args, **options):
    """Return True for factors with named dimensions only, whose product may become one of matrices."""
    return (
        len(args) == 2
        and not options
        and all(isinstance(each, Named) and not any(map(is_place, each.levels)) for each in args)
        and all(read(each) is not None and read(each)[0].is_floating_point() for each in args)
    )


def compute(function, args, options):
    """Compute a function for each element along the named dimensions."""
    leaves, form = tree_flatten((args, options))
    tensors = {n: found for n, each in enumerate(leaves) if (found := read(each)) is not None}
    levels = union([levels for _, levels in tensors.values()])

    def apply(values):
        given, named = tree_unflatten([values.get(n, each) for n, each in enumerate(leaves)], form)
        return function(*given, **named)

    if is_pointwise(function):
        found = apply({n: match(*each, levels) for n, each in tensors.items()})
        return tree_map(lambda each: wrap(each, levels) if isinstance(each, Plain) else each, found)
    return map_over([level for level in levels if not is_place(level)], apply, tensors)


def is_pointwise(function):
    """Return True for a function that an elementwise operator computes, in place or not."""
    name = METHODS.get(function.__name__, function.__name__).strip("_")
    try:
        return bool(OPS[name].pointwise)
    except (KeyError, AttributeError):
        return False


def map_over(dims, apply, tensors):
    """Compute a function of tensors by number with ``vmap`` over named dimensions, which come first in its results."""
    parts = [match(data, levels, in_front(dims, levels)) for data, levels in tensors.values()]
    results = []

    def compute_one(*parts):
        found, form = tree_flatten(apply(dict(zip(tensors, parts))))
        results[:] = found, form
        return [each for each in found if isinstance(each, Plain)]

    mapped = compute_one
    for dim in reversed(dims):
        where = tuple(0 if any(each is dim for each in levels) else None for _, levels in tensors.values())
        mapped = vmap(mapped, in_dims=where, randomness="different")
    computed = iter(mapped(*parts))
    found, form = results
    wrapped = [wrap_mapped(next(computed), dims) if isinstance(each, Plain) else each for each in found]
    return tree_unflatten(wrapped, form)


def in_front(dims, levels):
    """Return the levels of a tensor with its named dimensions first, in the order of ``dims``."""
    return [dim for dim in dims if any(each is dim for each in levels)] + list(filter(is_place, levels))


def wrap_mapped(data, dims):
    """Return a result of ``vmap`` with its named dimensions."""
    return wrap(data, (*dims, *range(len(dims) - data.ndim, 0)))
