"""The levels of a tensor: for each dimension of its data a ``Dim``, or the place from the right, -1 and below."""


def is_place(level):
    """Return True for a dimension without a name."""
    return type(level) is int


def is_same(one, other):
    """Return True for the same level; dimensions compare by element, so that ``==`` does not tell."""
    return one is other or is_place(one) and is_place(other) and one == other


def find(levels, level):
    """Return the number of a level; None where it is absent."""
    return next((n for n, each in enumerate(levels) if is_same(each, level)), None)


def as_level(dim, ndim):
    """Return a dimension as a level: a number counts from the right."""
    return dim - ndim if is_place(dim) and dim >= 0 else dim


def without(levels, level):
    """Return the levels but one."""
    return [each for each in levels if not is_same(each, level)]


def count_places(levels):
    """Return the number of dimensions without names."""
    return sum(map(is_place, levels))


def renumber(levels):
    """Return levels whose dimensions without names are counted from the right, whatever numbers they had."""
    left = count_places(levels)
    found = []
    for level in levels:
        found.append(-left if is_place(level) else level)
        left -= is_place(level)
    return tuple(found)


def union(many):
    """Return the levels of several tensors, in the order in which they appear; those without names stay together."""
    named, start, most = [], None, 0
    for levels in many:
        for level in levels:
            if is_place(level):
                start = len(named) if start is None else start
            elif find(named, level) is None:
                named.append(level)
        most = max(most, count_places(levels))
    start = start or 0
    return (*named[:start], *range(-most, 0), *named[start:])


def match(data, levels, wanted):
    """Return a view with the levels ``wanted``: absent ones are expanded if they have a name, else of size 1."""
    present = [find(levels, level) for level in wanted]
    kept = [n for n in present if n is not None]
    data = data.permute(kept) if kept != sorted(kept) else data
    for place, n in enumerate(present):
        if n is None:
            data = data.unsqueeze(place)
    sizes = [level.size if n is None and not is_place(level) else -1 for level, n in zip(wanted, present)]
    return data.expand(sizes) if any(size != -1 for size in sizes) else data
