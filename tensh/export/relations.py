"""Relations of dynamic dimensions: which are equal, which are fixed, and PyTorch's symbols for them."""

import hashlib
import re
from typing import NamedTuple

from tensh.fx.branches import walk_nodes
from tensh.fx.experimental.size_names import changes, sort_extremes
from tensh.tracing.arguments import list_inputs
from tensh.tracing.sizes.decisions import find_multiple, list_names, write_condition
from tensh.tracing.sizes.declared import Name, Unnamed
from tensh.tracing.sizes.dims import INFINITY, Dim, UserError, read_derived, write_derived
from tensh.tracing.sizes.dynamic import GROWING, compare, root_of, steps, trace_resized
from tensh.utils._pytree_paths import keystr


class Dimension:
    """A dynamic dimension of the example: source (``L['x'].size()[0]``), size, and the one that it is ``derived`` from."""

    def __init__(self, place, path, dim, size, derived):
        self.source, self.size, self.derived = f"L{keystr(path)}.size()[{dim}]", size, derived
        self.home = place, dim


def list_dimensions(model, args, kwargs, dynamic):
    """Return name of a dynamic dimension -> its occurrences among the arguments, in order."""
    found = {}
    for place, (path, _, value) in enumerate(list_inputs(model, args, kwargs)):
        for dim, name in dynamic.get(place, {}).items():
            _, factor, offset = read_derived(name) or (name, 1, 0)
            size = (value.shape[dim] - offset) // factor
            found.setdefault(root_of(name), []).append(
                Dimension(place, path, dim, size, read_derived(name) is not None)
            )
    return found


def relate(model, args, kwargs, dynamic, program, on_read, reason):
    """Return the dynamic dimensions; unnamed ones may have been merged, removed, or may follow from others.

    Raise UserError if the program fixes a named dimension, or relates it to another one; ``reason`` is the failure of the first
    trace.
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

    bound, one, violations = [name for name in known if not vary(name, {})], {}, []
    while bound:
        first, *bound = bound
        group = find_group(first, bound, known, vary)
        if group is None:
            if name_kind(first) != "AUTO":
                violations.append(describe_constant(first, known[first][0]))
            one[first] = None
            continue
        root, related = group
        bound = [name for name in bound if name not in (root, *related)]
        one |= join(root, related, known, violations)
    if violations:
        raise violated(violations) from reason
    tables = {
        place: {dim: one.get(name, name) for dim, name in table.items() if one.get(name, name) is not None}
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


class Violation(NamedTuple):
    """The reason why a declared dimension does not fit the program, or a declaration that would."""

    name: str | None
    text: str | None
    fix: str | None


def violated(found):
    """Return the error that lists violations."""
    names = ", ".join(dict.fromkeys(sorted(each.name for each in found if each.name)))
    lines = (f"  - {each.text}" for each in found if each.text)
    fixes = [each.fix for each in found if each.fix]
    suggested = ["Suggested fixes:", *(f"  {fix}" for fix in fixes)] if fixes else []
    head = f'Constraints violated ({names})! For more information, run with TORCH_LOGS="+dynamic".'
    return UserError("\n".join([head, *lines, *suggested]))


def describe_constant(name, dimension):
    """Return the violation of a dimension that cannot change."""
    label = dimension.source if isinstance(name, Unnamed) else name
    return Violation(
        label,
        f"You marked {label} as dynamic but your code specialized it to be a constant ({dimension.size}). If you're using mark_dynamic, "
        "either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO.",
        None if isinstance(name, Unnamed) else f"{name} = {dimension.size}",
    )


def require_changing(known):
    """Raise UserError for dimensions of size 0 or 1, which are taken for constants."""
    small = [describe_constant(name, places[0]) for name, places in known.items() if places[0].size < 2]
    if small:
        raise violated(small)


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


def check_limits(known, ranges, limits, guards):
    """Return the ranges of dimensions, narrowed by the program where they have no names.

    Raise UserError if a program does not take all sizes of a named dimension.  ``limits`` and ``guards`` are those of
    the program.
    """
    found, multiples, texts = dict(ranges), {}, []
    unnamed = {name for name in limits if isinstance(name, Unnamed)}
    for guard in guards:
        names = list_names(guard[1]) | list_names(guard[2])
        if len(names) == 1 and (name := names.pop()) not in unnamed:
            texts.append((name, f"{write_condition(guard, {name: known[name][0].source})}."))
            multiples[name] = max(multiples.get(name, 1), (find_multiple(guard) or (name, 1))[1])
    for name, (low, high) in limits.items():
        if name in unnamed:
            found[name] = low, high
            continue
        least, most = ranges.get(name) or (None, None)
        if low > max(least or 0, 2) or high != most:
            source = known[name][0].source
            texts.append((name, f"{low} <= {source} and {source} <= {'IntInfinity()' if high is None else high}"))
            multiples.setdefault(name, 1)
    if texts:
        raise violated(list_violations(texts, known, ranges, limits, multiples))
    return found


def list_violations(texts, known, ranges, limits, multiples):
    """Return the violations of named dimensions by ``texts`` (name, condition); ``multiples`` has factors of their sizes."""
    found = []
    for name, text in texts:
        low, high = ranges.get(name) or (None, None)
        where = f"{low} <= " * (low is not None and low > 2) + name + f" <= {high}" * (high is not None)
        where = f" {where}" if where != name else ""
        found.append(
            Violation(
                name,
                f"Not all values of {name} = {known[name][0].source} in the specified range{where} satisfy the generated guard {text}",
                None,
            )
        )
    parts, wholes = [], []
    for name, (low, high) in sorted(limits.items()):
        if (multiple := multiples.get(name, 1)) > 1:
            most = "oo" if high is None else high // multiple
            parts.append(f"_{name} = {Dim.write(f'_{name}', -(-low // multiple), INFINITY)[:-1]}, max={most})")
            wholes.append(f"{name} = {multiple}*_{name}")
        elif name in multiples and (
            low > max((ranges.get(name) or (0,))[0] or 0, 2) or high != (ranges.get(name) or (0, None))[1]
        ):
            wholes.append(f"{name} = {Dim.write(name, low, INFINITY if high is None else high)}")
    return [*found, *(Violation(None, None, fix) for fix in (*parts, *wholes))]


def name_kind(name):
    """Return "AUTO" or "DYNAMIC" for an unnamed dimension, otherwise None."""
    return name.kind if isinstance(name, Unnamed) else None


def read_ranges(dynamic):
    """Return name of a dimension -> (smallest, largest size) that was declared; unnamed ones have at least two."""
    names = [name for table in dynamic.values() for name in table.values()]
    found = {}
    for name in (*names, *(name.root for name in names if getattr(name, "root", None) is not None)):
        if (name.min, name.max) != (None, None) or isinstance(name, Unnamed):
            found[name] = (max(name.min or 0, 2) if isinstance(name, Unnamed) else name.min, name.max)
    return found


def join_ranges(declared, related):
    """Return name -> range after the program has merged dimensions: all sizes that each of them may have."""
    found = read_ranges(related)
    for place, table in declared.items():
        for dim, name in table.items():
            into = related.get(place, {}).get(dim)
            if into in found:
                low, high = found[into]
                least = max(name.min or 0, 2) if isinstance(name, Unnamed) else name.min
                lows, highs = ([each for each in pair if each is not None] for pair in ((low, least), (high, name.max)))
                found[into] = max(lows, default=None), min(highs, default=None)
    return found


class Symbol(str):
    """The name of a dynamic size, printed without quotes; ``home`` is (index of the input, dimension) of that size."""

    home = None

    __repr__ = str.__str__


def choose_symbols(known):
    """Return name of a dimension -> PyTorch's symbol: ``s`` and a number from its source, or the first of several.

    A dimension from which others follow, and which is none itself, has a number from its name.
    """
    found, taken = {}, set()

    def take(text, home=None):
        number = int(hashlib.sha256(text.encode()).hexdigest(), 16) % 100
        while number in taken:
            number += 1
        taken.add(number)
        symbol = Symbol(f"s{number}")
        symbol.home = home
        return symbol

    for name, places in known.items():
        symbols = [(take(each.source, each.home), each.derived) for each in places]
        own = [symbol for symbol, derived in symbols if not derived]
        found[name] = min(own) if own else take(name)
    return found


def rename_sizes(program, dynamic, symbols):
    """Rename the sizes of a program to the symbols; return the table of its dynamic dimensions."""

    def rename(text):
        text = re.sub(r"[A-Za-z_]\w*", lambda found: symbols.get(found[0], found[0]), text)
        factors = text.split("*")
        if all(each in symbols.values() or each.isdigit() or each[:1] + each[-1:] == "()" for each in factors):
            return "*".join(map(sort_extremes, sorted(factors, key=lambda each: (not each.isdigit(), each))))
        if "(" in text or "**" in text or text.startswith("-"):
            return sort_extremes(text)
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
