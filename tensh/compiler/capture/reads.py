"""Elements that Python reads in a captured call: those for which PyTorch has no graph, because the way on depends on them."""

from tensh.compiler.breaks import Break
from tensh.compiler.capture.refusals import BRANCHING, SORTING, describe_guard, title_of
from tensh.compiler.capture.uses import find_call, find_use, is_described_assertion
from tensh.engine.dispatch.capture.places import is_branch, is_negation

__all__ = ["Reads"]

COMPARED = ("equal", "allclose")
"""Functions whose answers PyTorch cannot have in a graph."""
ASKING = ("any", "all", "filter", "list", "tuple", "set", "next")
"""Functions of Python that ask for the truth of what they are given."""
SORTED = ("sorted", "sort")


class Reads:
    """The reads of a call: each number that is read is a symbol in PyTorch's errors."""

    def __init__(self):
        self.counts = {"u": 0, "zuf": 0}

    def find_break(self, name, tensor, place, reason):
        """Return the break of a read by the function ``name``, for which PyTorch has no graph; None for another."""
        whole = tensor is None or tensor.array.dtype.kind in "biu"
        if name in (*COMPARED, "__repr__"):
            return Break(reason, place, own=False, title=title_of(name.strip("_")))
        if name == "tolist":
            return None if whole else Break(reason, place, own=False, title=title_of(name))
        if name == "is_nonzero":
            return self.guard(reason, place, whole, advised=False)
        if place is None:
            return None
        if name == "__contains__":
            return Break(reason, place, own=False, title=BRANCHING) if find_use(place) is not None else None
        return (
            self.find_break_of_truth(reason, place, whole)
            if name == "__bool__"
            else self.find_use(name, reason, place, whole)
        )

    def find_break_of_truth(self, reason, place, whole):
        """Return the break of a tensor that is asked for its truth."""
        called = find_call(place)
        if called is None and is_negation(place):
            return self.guard(reason, place, whole, advised=False)
        if called is None and (is_branch(place) or is_described_assertion(place)) or called in ASKING:
            return Break(reason, place, own=False, title=BRANCHING)
        if called in SORTED:
            return Break(reason, place, own=False, title=SORTING)
        if called == "bool" and find_use(place) is not None:
            return self.guard(reason, place, True, f"Eq({self.add_symbol(True)}, 1)")
        return None

    def find_use(self, name, reason, place, whole):
        """Return the break of a number that decides how the function goes on."""
        symbol, use = self.add_symbol(whole), find_use(place)
        if name == "__int__" and not whole:
            symbol = f"TruncToInt({symbol})"
        if use is not None:
            expression = use.write(symbol, whole or name == "__int__")
            return self.guard(reason, place, whole, expression, use.kind == "range")
        return self.guard(reason, place, whole, symbol) if is_branch(place) else None

    def add_symbol(self, whole):
        """Return the name of the next number that is read."""
        kind = "u" if whole else "zuf"
        self.counts[kind] += 1
        return f"{kind}{self.counts[kind] - 1}"

    def guard(self, reason, place, whole, expression=None, extracting=False, advised=True):
        """Return the break of a decision on an expression of a number that was read."""
        title = describe_guard(expression or self.add_symbol(whole), extracting, advised)
        return Break(reason, place, own=False, title=title, user=True)
