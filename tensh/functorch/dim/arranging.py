"""Named dimensions put in order, added, joined and divided."""

from math import prod

from tensh.engine import find_public
from tensh.func.rearrange import DimensionBindError
from tensh.functorch.dim.dimensions import Dim, DimList
from tensh.functorch.dim.indexing import index
from tensh.functorch.dim.levels import as_level, count_places, find, is_place, match, union, without
from tensh.functorch.dim.tensors import Named, read, wrap


def order(tensor, *dims):
    """Turn named dimensions into ones without names, in this order, before those that there are.

    Several dimensions in a tuple become one. Without any named dimension left, the result is a plain tensor.
    """
    if not isinstance(tensor, Named):
        raise ValueError("First argument must be a Tensor or Dim object")
    data, levels = read(tensor)
    ndim, groups = count_places(levels), []
    for each in dims:
        if isinstance(each, (Dim, int)):
            groups.append([each])
        elif isinstance(each, DimList):
            groups += [[dim] for dim in each]
        elif hasattr(each, "__iter__"):
            groups.append(list(each))
        else:
            raise ValueError("expected a Dim, List[Dim], or Sequence[Dim]")
    groups = [[as_level(dim, ndim) for dim in group] for group in groups]
    rest = list(levels)
    for level in (level for group in groups for level in group):
        if not isinstance(level, (Dim, int)):
            raise ValueError("expected a Dim or int")
        if find(rest, level) is None:
            raise ValueError(describe_absent(level, ndim))
        rest = without(rest, level)
    start = next((n for n, level in enumerate(rest) if is_place(level)), len(rest))
    moved = match(data, levels, [*rest[:start], *(level for group in groups for level in group), *rest[start:]])
    sizes, taken = list(moved.shape[:start]), start
    for group in groups:
        sizes.append(prod(moved.shape[taken : taken + len(group)]))
        taken += len(group)
    moved = moved.reshape([*sizes, *moved.shape[taken:]]) if any(len(group) != 1 for group in groups) else moved
    return wrap(moved, [*rest[:start], *[-1] * len(groups), *rest[start:]])


def describe_absent(level, ndim):
    """Return the message for a dimension that a tensor lacks."""
    if is_place(level):
        return f"tensor has {ndim} positional dimensions, but {level + ndim} specified, or it was specified twice"
    return f"tensor does not contain dim {level} or it was specified twice"


def expand(tensor, *dims):
    """Add named dimensions in front."""
    data, levels = read(tensor)
    for n, each in enumerate(dims):
        if find([*levels, *dims[:n]], each) is not None:
            raise DimensionBindError(f"expanding dimension {each} already exists in tensor with dims")
    return wrap(match(data, levels, [*dims, *levels]), [*dims, *levels])


def stack(tensors, new_dim=0, dim=0):
    """Stack tensors along a new named dimension, before the dimension ``dim``."""
    if not isinstance(new_dim, Dim):
        return find_public("stack")(tensors, new_dim or dim)
    if not tensors:
        raise ValueError("stack expects a non-empty sequence of tensors")
    parts = [read(each) for each in tensors]
    levels = union([each for _, each in parts])
    new_dim.size = len(parts)
    place = 0 if is_place(dim) and dim == 0 else find(levels, as_level(dim, count_places(levels)))
    if place is None:
        raise TypeError(f"Dimension {dim} does not exist in inputs")
    data = find_public("stack")([match(*each, levels) for each in parts], place)
    return wrap(data, [*levels[:place], new_dim, *levels[place:]])


def cat(tensors, dim, new_dim):
    """Join tensors along a dimension, which is then named ``new_dim``."""
    each = Dim("each")
    return index(stack(tensors, each, dim), [each, dim], new_dim)


def split(tensor, split_size_or_sections, dim=None):
    """Divide a dimension into named ones, of which those of unknown size share the rest; by numbers, as ``torch.split``."""
    sizes = split_size_or_sections
    parts = [sizes] if isinstance(sizes, int) else list(sizes)
    if not any(isinstance(each, Dim) for each in parts):
        if isinstance(dim, Dim):
            raise TypeError("when dim is specified as a Dim object, split sizes must also be dimensions.")
        return find_public("split")(tensor, sizes, 0 if dim is None else dim)
    if not all(isinstance(each, Dim) for each in parts):
        raise TypeError("split list must be ints or dims but got a mix")
    data, levels = read(tensor)
    ndim = count_places(levels)
    place = find(levels, as_level(0 if dim is None else dim, ndim))
    if place is None:
        raise TypeError(f"tensor does not contain dimension {0 if dim is None else dim}")
    give_sizes(parts, data.shape[place])
    pieces = data.split([each.size for each in parts], place)
    return tuple(wrap(piece, [*levels[:place], each, *levels[place + 1 :]]) for piece, each in zip(pieces, parts))


def give_sizes(dims, size):
    """Divide a size among dimensions; raise TypeError if those of known size do not fit."""
    known = sum(each.size for each in dims if each.is_bound)
    unknown = [each for each in dims if not each.is_bound]
    if unknown and known > size:
        raise TypeError(f"sizes of target dimensions add up to more ({known}) than source dim ({size})")
    if not unknown and known != size:
        raise TypeError(f"sum of sizes of target dimensions ({known}) do not match the source dim ({size})")
    left = size - known
    share = -(-left // len(unknown)) if unknown else 0
    for each in unknown:
        each.size = min(share, left)
        left -= each.size
