"""Relations of dynamic dimensions: which are equal, which are fixed, and PyTorch's symbols for them."""

import hashlib
import re

from tensh.fx.branches import walk_nodes
from tensh.fx.experimental.size_names import changes
from tensh.tracing.dims import UserError, read_derived
from tensh.tracing.dynamic import Unnamed, compare, list_inputs, root_of, trace_resized


class Dimension:
    """A dynamic dimension of the example: its source (``L['x'].size()[0]``) and its size."""

    def __init__(self, path, dim, size):
        self.source, self.size = f"L{''.join(f'[{step!r}]' for step in path)}.size()[{dim}]", size


def list_dimensions(model, args, kwargs, dynamic):
    """Return name of a dynamic dimension -> its occurrences among the arguments, in order."""
    found = {}
    for place, (path, _, value) in enumerate(list_inputs(model, args, kwargs)):
        for dim, name in dynamic.get(place, {}).items():
            _, factor, offset = read_derived(name) or (name, 1, 0)
            size = (value.shape[dim] - offset) // factor
            found.setdefault(root_of(name), []).append(Dimension(path, dim, size))
    return found


def relate(model, args, kwargs, dynamic, program, on_read, reason):
    """Return the dynamic dimensions; unnamed ones may have been merged or removed.

    Raise UserError if the program fixes a named dimension, or requires two named ones to be equal; ``reason`` describes
    what the first trace found.
    """
    known = list_dimensions(model, args, kwargs, dynamic)

    def vary(*names):
        """Return True if these dimensions can change together while the others stay."""
        for change in changes(1):
            try:
                compare(program, trace_resized(model, args, kwargs, program, dynamic, on_read, lambda size, name: change(size, 0) if name in names else size, shift=0))  # fmt: skip  # noqa: B023
                return True
            except Exception:
                continue
        return False

    bound, one = [name for name in known if not vary(name)], {}
    while bound:
        first, *bound = bound
        alike = [name for name in bound if known[name][0].size == known[first][0].size]
        group = next(([name] for name in alike if vary(first, name)), [])
        group = group or (alike if len(alike) > 1 and vary(first, *alike) else [])
        if not group:
            require_unnamed(first, known[first][0], reason)
        one |= dict.fromkeys([first, *group], join([first, *group], known, reason) if group else None)
        bound = [name for name in bound if name not in group]
    tables = {
        place: {dim: one.get(name, name) for dim, name in table.items() if one.get(name, name) is not None}
        for place, table in dynamic.items()
    }
    return {place: table for place, table in tables.items() if table}


def require_unnamed(name, dimension, reason):
    """Raise UserError for a dimension that cannot change, unless its kind is "AUTO"."""
    if name_kind(name) == "AUTO":
        return
    label = dimension.source if isinstance(name, Unnamed) else name
    raise UserError(
        f"Constraints violated ({label})!\n  - You marked {label} as dynamic but your code specialized it to be a constant "
        f"({dimension.size}). If you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, "
        f"replace it with either Dim.STATIC or Dim.AUTO."
        + ("" if isinstance(name, Unnamed) else f"\nSuggested fixes:\n  {name} = {dimension.size}")
        + f"\n{reason}"
    )


def join(names, known, reason):
    """Return the name of dimensions that must be equal.  Raise UserError if two of them have names."""
    named = [name for name in names if not isinstance(name, Unnamed)]
    if len(named) > 1:
        first, second = named[:2]
        raise UserError(
            f"Constraints violated ({second})!\n  - The values of {second} = {known[second][0].source} and {first} = "
            f"{known[first][0].source} must always be equal.\nSuggested fixes:\n  {second} = {first}\n{reason}"
        )
    return named[0] if named else names[0]


def name_kind(name):
    """Return "AUTO" or "DYNAMIC" for an unnamed dimension, otherwise None."""
    return name.kind if isinstance(name, Unnamed) else None


class Symbol(str):
    """The name of a dynamic size, printed without quotes."""

    __repr__ = str.__str__


def choose_symbols(known):
    """Return name of a dimension -> PyTorch's symbol: ``s`` and a number from its source, or the first of several."""
    found, taken = {}, set()
    for name, places in known.items():
        for each in places:
            number = int(hashlib.sha256(each.source.encode()).hexdigest(), 16) % 100
            while number in taken:
                number += 1
            taken.add(number)
            found[name] = Symbol(min(f"s{number}", found.get(name, "t")))
    return found


def rename_sizes(program, dynamic, symbols):
    """Rename the sizes of a program to the symbols; return the table of its dynamic dimensions."""

    def rename(text):
        text = re.sub(r"[A-Za-z_]\w*", lambda found: symbols.get(found[0], found[0]), text)
        factors = text.split("*")
        if all(each in symbols.values() for each in factors):
            return "*".join(sorted(factors))
        terms, rest = re.fullmatch(r"(.*?)( [+-] \d+)?", text).groups("")
        return " + ".join(sorted(terms.split(" + "), key=lambda term: term.split("*")[-1])) + rest

    for node in walk_nodes(program.graph):
        if sizes := node.meta.get("sizes"):
            node.meta["sizes"] = (
                rename(sizes)
                if isinstance(sizes, str)
                else [rename(each) if isinstance(each, str) else each for each in sizes]
            )
    return {
        place: {dim: symbols[name] if name in symbols else Symbol(rename(name)) for dim, name in table.items()}
        for place, table in dynamic.items()
    }
