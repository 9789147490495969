"""Indices with named dimensions: each gives a name to a dimension, or selects along several at once."""

from typing import Any, NamedTuple

from tensh.engine.core.tensor import Tensor as Plain
from tensh.func.rearrange import DimensionBindError
from tensh.functorch.dim.dimensions import Dim, DimList
from tensh.functorch.dim.levels import as_level, count_places, find, is_place, match, renumber, union, without
from tensh.functorch.dim.tensors import Named, read, wrap

ALL = slice(None)


class Plan(NamedTuple):
    """The data to index, the key for it or None for all of it, and the levels of the result."""

    data: Plain
    key: Any
    levels: tuple


def get_item(tensor, index):
    """Return ``tensor[index]``."""
    plan = plan_index(*read(tensor), list_parts(index))
    return wrap(plan.data if plan.key is None else plan.data[plan.key], plan.levels)


def set_item(tensor, index, value):
    """Write ``tensor[index] = value``; raise DimensionBindError for named dimensions of the value that the index lacks."""
    plan = plan_index(*read(tensor), list_parts(index))
    if (found := read(value)) is not None:
        for level in found[1]:
            if not is_place(level) and find(plan.levels, level) is None:
                raise DimensionBindError(
                    f"rhs of setitem contains dimension {level!r} which is not in the dimension on the left "
                    f"({plan.levels!r})"
                )
        value = match(*found, plan.levels)
    plan.data[... if plan.key is None else plan.key] = value


def list_parts(index):
    """Return the parts of an index: a list is several if it has more than numbers."""
    if isinstance(index, tuple):
        return list(index)
    if isinstance(index, list) and any(
        each is None or each is ... or isinstance(each, (Plain, Named, DimList, slice)) or hasattr(each, "__iter__")
        for each in index
    ):
        return index
    return [index]


def is_pack(part):
    """Return True for several dimensions in place of one."""
    return isinstance(part, (tuple, list)) and len(part) > 0 and all(isinstance(each, Dim) for each in part)


# ── from parts to a part for each dimension ──────────────────────────────────
def plan_index(data, levels, parts):
    """Return the plan of an index."""
    parts = fill_in(parts, count_places(levels))
    items = []
    for level in levels:
        if not is_place(level):
            items.append(level)
            continue
        while parts and parts[0] is None:
            items.append(parts.pop(0))
        items.append(parts.pop(0) if parts else ALL)
    return plan_items(data, items + parts)


def fill_in(parts, ndim):
    """Return parts in which ``...`` and lists of dimensions are replaced by as many parts as they stand for."""
    taken = sum(1 for each in parts if each is not None and each is not ... and not isinstance(each, DimList))
    taken += sum(len(each) for each in parts if isinstance(each, DimList) and each.is_bound)
    if taken > ndim:
        raise ValueError(f"at least {taken} indices were supplied but the tensor only has {ndim} dimensions")
    is_open = [each is ... or isinstance(each, DimList) and not each.is_bound for each in parts]
    if is_open.count(True) > 1:
        first, second = [n for n, each in enumerate(is_open) if each][:2]
        raise DimensionBindError(
            f"at most one ... or unbound dimension list can exist in indexing list but found 2 at offsets {first} and {second}"
        )
    found = []
    for each in parts:
        if each is ...:
            found += [ALL] * (ndim - taken)
        elif isinstance(each, DimList):
            each.bind_len(len(each) if each.is_bound else ndim - taken)
            found += each[:]
        else:
            found.append(each)
    return found


def plan_items(data, items):
    """Return the plan for an item for each dimension: a named one, a pack of them, None for a new one, or any index."""
    flat = []
    for item in items:
        if item is None:
            data = data.unsqueeze(len(flat))
            flat.append(ALL)
        elif is_pack(item):
            bind_pack(item, data.shape[len(flat)])
            data = data.unflatten(len(flat), [each.size for each in item])
            flat += item
        else:
            if isinstance(item, Dim):
                item.size = data.shape[len(flat)]
            flat.append(item)
    return plan_key(data, flat)


def bind_pack(pack, size):
    """Give the one dimension of unknown size what the others leave; raise DimensionBindError if they do not fit."""
    known = 1
    for each in pack:
        known *= each.size if each.is_bound else 1
    unknown = [each for each in pack if not each.is_bound]
    if len(unknown) > 1:
        raise DimensionBindError(f"cannot infer the sizes of two dimensions at once {unknown[0]!r} and {unknown[1]!r}")
    if unknown:
        if known == 0 or size % known:
            shown = tuple(each.size if each.is_bound else "?" for each in pack)
            raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}")
        unknown[0].size, known = size // known, size
    if known != size:
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack {tuple(pack)}"
        )


# ── from a part for each dimension to a key ──────────────────────────────────
def plan_key(data, items):
    """Return the plan for items without packs: a dimension that occurs once is renamed, others become index tensors."""
    used = [level for item in items if (found := read(item)) is not None for level in found[1]]
    uses = {id(level): sum(level is each for each in used) for level in used if not is_place(level)}
    levels, key, tensors, start = [], [], {}, None
    for place, item in enumerate(items):
        found = read(item)
        if found is not None and not (isinstance(item, Dim) and uses[id(item)] == 1):
            start = len(levels) if start in (None, len(levels)) else 0
            tensors[place] = found
            key.append(None)
        elif found is not None:
            key.append(ALL)
            levels.append(item)
        else:
            key.append(item)
            levels += [] if isinstance(item, int) else [-1]
    if tensors:
        inner = union([each for _, each in tensors.values()])
        for place, each in tensors.items():
            key[place] = match(*each, inner)
        levels[start:start] = inner
    is_whole = all(isinstance(each, slice) and each == ALL for each in key)
    return Plan(data, None if is_whole else tuple(key), renumber(levels))


# ── by dimension ─────────────────────────────────────────────────────────────
def index(tensor, dims, indices):
    """Return the elements at the given indices of the given dimensions; several of these in a tuple count as one."""
    several = isinstance(dims, (tuple, list)) and isinstance(indices, (tuple, list))
    if several and len(dims) != len(indices):
        raise TypeError(f"dims ({len(dims)}) and indices ({len(indices)}) must have the same length")
    pairs = list(zip(dims, indices)) if several else [(dims, indices)]
    data, levels = read(tensor)
    ndim, chosen = count_places(levels), []
    for dim, wanted in pairs:
        group = [as_level(each, ndim) for each in (dim if isinstance(dim, (tuple, list)) else [dim])]
        for level in group:
            if find(levels, level) is None:
                raise TypeError(describe(level, ndim))
        data, levels = merge(data, levels, group)
        chosen.append((group[0], wanted))
    items = []
    for level in levels:
        wanted = next((wanted for each, wanted in chosen if find([each], level) is not None), None)
        items.append(wanted if wanted is not None else level if not is_place(level) else ALL)
    plan = plan_items(data, items)
    return wrap(plan.data if plan.key is None else plan.data[plan.key], plan.levels)


def describe(level, ndim):
    """Return the message for a dimension that a tensor lacks."""
    return (
        f"dimension {level + ndim} not in tensor of {ndim} dimensions"
        if is_place(level)
        else f"dimension {level!r} not in tensor"
    )


def merge(data, levels, group):
    """Return (data, levels) with the dimensions of a group as one, in the place of the first."""
    if len(group) == 1:
        return data, levels
    rest = list(levels)
    for level in group[1:]:
        rest = without(rest, level)
    place = find(rest, group[0])
    data = match(data, levels, [*rest[:place], *group, *rest[place + 1 :]])
    return data.flatten(place, place + len(group) - 1), rest
