"""PyTorch's symbols for dynamic sizes."""

import hashlib
import re

from tensh.fx.branches import walk_nodes
from tensh.fx.experimental.size_names import sort_extremes


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
    for node in walk_nodes(program.graph):
        sizes = node.meta.get("sizes")
        if isinstance(sizes, str) and sizes:
            node.meta["sizes"] = rename_size(sizes, symbols)
        elif sizes:
            node.meta["sizes"] = [rename_size(each, symbols) if isinstance(each, str) else each for each in sizes]
    return {
        place: {dim: symbols.get(name) or Symbol(rename_size(name, symbols)) for dim, name in table.items()}
        for place, table in dynamic.items()
    }


def rename_size(text, symbols):
    """Return the text of a size with symbols for names, its factors or terms in PyTorch's order."""
    text = re.sub(r"[A-Za-z_]\w*", lambda found: symbols.get(found[0], found[0]), text)
    factors = text.split("*")
    if all(each in symbols.values() or each.isdigit() or each[:1] + each[-1:] == "()" for each in factors):
        return "*".join(map(sort_extremes, sorted(factors, key=lambda each: (not each.isdigit(), each))))
    if "(" in text or "**" in text or text.startswith("-"):
        return sort_extremes(text)
    terms, rest = re.fullmatch(r"(.*?)( [+-] \d+)?", text).groups("")
    return " + ".join(sorted(terms.split(" + "), key=lambda term: term.split("*")[-1])) + rest
