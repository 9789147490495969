"""Dimensions that can only change together, found by running the program with other sizes."""

from tensh.export.dimensions.dimension import list_dimensions
from tensh.export.dimensions.violations import Violation, describe_constant, make_error
from tensh.fx.experimental.size_names import changes
from tensh.tracing.sizes.declared import Name, Unnamed
from tensh.tracing.sizes.dims import write_derived
from tensh.tracing.sizes.dynamic import GROWING, compare, steps, trace_resized


def relate(model, args, kwargs, dynamic, program, on_read, reason):
    """Return the dynamic dimensions; unnamed ones may have been merged, removed, or may follow from others.

    Raise UserError if the program fixes a named dimension, or relates it to another one; ``reason`` is the failure of
    the first trace.
    """
    known = list_dimensions(model, args, kwargs, dynamic)

    def vary(root, related):
        """Return True if sizes of ``root`` and ``related`` (name -> factor, offset) can change while others stay."""
        first, forms = known[root][0].size, {root: (1, 0), **related}
        for change in (*changes(1), *steps(1, GROWING)):

            def resize(size, name):
                if name not in forms:
                    return size
                factor, offset = forms[name]
                return factor * change(first, 0) + offset  # noqa: B023

            try:
                compare(program, trace_resized(model, args, kwargs, program, dynamic, on_read, resize, shift=0))
                return True
            except Exception:  # whatever the program raises for such sizes
                continue
        return False

    bound, merged, violations = [name for name in known if not vary(name, {})], {}, []
    while bound:
        first, *bound = bound
        group = find_group(first, bound, known, vary)
        if group is None:
            if not (isinstance(first, Unnamed) and first.kind == "AUTO"):
                violations.append(describe_constant(first, known[first][0]))
            merged[first] = None
            continue
        root, related = group
        bound = [name for name in bound if name not in (root, *related)]
        merged |= join(root, related, known, violations)
    if violations:
        raise make_error(violations) from reason
    tables = {
        place: {dim: merged.get(name, name) for dim, name in table.items() if merged.get(name, name) is not None}
        for place, table in dynamic.items()
    }
    return {place: table for place, table in tables.items() if table}


def find_group(first, others, known, vary):
    """Return (a dimension, {other: (factor, offset)}) of those that can only change together; None for a constant.

    Equal sizes are tried first, then sizes that differ by a number, or of which one is a multiple of the other.
    """
    size = known[first][0].size
    alike = [name for name in others if known[name][0].size == size]
    for name in alike:
        if vary(first, {name: (1, 0)}):
            return first, {name: (1, 0)}
    if len(alike) > 1 and vary(first, dict.fromkeys(alike, (1, 0))):
        return first, dict.fromkeys(alike, (1, 0))
    for name in (each for each in others if each not in alike):
        small, large = sorted((first, name), key=lambda each: known[each][0].size)
        one, two = known[small][0].size, known[large][0].size
        for form in ((1, two - one), (two // one, two % one)) if one else ():
            if vary(small, {large: form}):
                return small, {large: form}
    return None


def join(root, related, known, violations):
    """Return name -> the name that it gets, of dimensions that change together; two with names are violations."""
    named = [name for name in (root, *related) if not isinstance(name, Unnamed)]
    into = named[0] if named and (root in named or related[named[0]] == (1, 0)) else root
    for name in named:
        factor, offset = related.get(name, (1, 0))
        if name == into or len(named) < 2:
            continue
        sources = f"{name} = {known[name][0].source}", f"{into} = {known[into][0].source}"
        if (factor, offset) == (1, 0):
            text = f"The values of {sources[0]} and {sources[1]} must always be equal."
        else:
            form = write_derived(into, factor, offset)
            text = (
                f"The values of {sources[0]} must always be related to the values of {sources[1]} by {name} = {form}."
            )
        violations.append(Violation(name, text, f"{name} = {write_derived(into, factor, offset)}"))
    return {root: into} | {name: follow(into, *form) for name, form in related.items()}


def follow(root, factor, offset):
    """Return the name of a dimension that follows from another."""
    if (factor, offset) == (1, 0):
        return root
    found = Name(write_derived(root, factor, offset))
    found.root = root
    return found
