"""The smallest and largest sizes of dimensions, as declared and as merged."""

from tensh.tracing.sizes.declared import Unnamed


def read_ranges(dynamic):
    """Return name of a dimension -> (smallest, largest size) that was declared, for those with limits."""
    names = [name for table in dynamic.values() for name in table.values()]
    found = {}
    for name in (*names, *(name.root for name in names if getattr(name, "root", None) is not None)):
        if (name.min, name.max) != (None, None) or isinstance(name, Unnamed):
            found[name] = least_of(name), name.max
    return found


def least_of(name):
    """Return the smallest size that was declared, or None; unnamed dimensions have at least two elements."""
    return max(name.min or 0, 2) if isinstance(name, Unnamed) else name.min


def join_ranges(declared, related):
    """Return name -> range after the program has merged dimensions: all sizes that each of them may have."""
    found = read_ranges(related)
    for place, table in declared.items():
        for dim, name in table.items():
            into = related.get(place, {}).get(dim)
            if into in found:
                low, high = found[into]
                pairs = (low, least_of(name)), (high, name.max)
                lows, highs = ([each for each in pair if each is not None] for pair in pairs)
                found[into] = max(lows, default=None), min(highs, default=None)
    return found
