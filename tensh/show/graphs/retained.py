"""Tensors that a graph keeps alive for its backward pass: `memory`."""

from numpy import ndarray

from tensh.engine.core.clock import owner
from tensh.graph import tokens
from tensh.show.drawing.table import Table
from tensh.show.graphs.views import graph_of
from tensh.show.reading.describe import amount
from tensh.support.language import _, count

MOST = 20  # rows
LONGEST = 40  # characters of code


def memory(tensor=None, names=None):
    """List the values that the graph of a tensor has saved for a backward pass, largest first, and the nodes that saved them.

    Args:
        tensor: must require grad, else ValueError is raised; default: the one among the names computed last.
        names: a dict of the names of tensors; default: the global names of the caller.

    Values saved by several nodes, or also held by a variable, are counted once.

    >>> import tensh
    >>> x = tensh.ones(1000, requires_grad=True)
    >>> y = (x * x).exp().sum()
    >>> tensh.show.memory(y, {"x": x, "y": y})
    bytes    shape   dtype    saved for  code
    3.9 KiB  [1000]  float32  mul, of x
    3.9 KiB  [1000]  float32  exp
    # 7.8 KiB in 2 values, of which 3.9 KiB would be freed with the graph
    """
    graph = graph_of(tensor, names)
    held = {id(owner(t.array)): name for name, t in graph.named.values()}
    found = {}
    for node in graph.order:
        for value in arrays(node.saved or ()):
            found.setdefault(id(owner(value)), (owner(value), node))
    rows, freed = [], 0
    ranked = sorted(found.items(), key=lambda item: item[1][0].nbytes, reverse=True)
    for key, (array, node) in ranked:
        made = graph[graph.numbers[node]]
        name = held.get(key)
        freed += 0 if name else array.nbytes
        what = made.operation + (_(", of {name}").format(name=name) if name else "")
        kind = str(array.dtype)
        rows.append((amount(array.nbytes), list(array.shape), kind, what, code(made)))
    total = sum(array.nbytes for array, _ in found.values())
    notes = [_("and {number:,} smaller").format(number=len(rows) - MOST)] if len(rows) > MOST else []
    notes.append(
        _("{whole} in {count}, of which {freed} would be freed with the graph").format(
            whole=amount(total), count=count(len(rows), "value"), freed=amount(freed)
        )
        if rows
        else _("the graph keeps no values: it needs none, or a backward pass has freed them")
    )
    return Table((_("bytes"), _("shape"), "dtype", _("saved for"), _("code")), rows[:MOST], notes=notes)


def code(node):
    """Return the user's code for a node and its location, as far as known."""
    place = "" if node.place is None or node.place.startswith("<") else node.place.rpartition("/")[2]
    return "  ".join(each for each in (tokens.shorten(node.label or node.part_of or "", LONGEST), place) if each)


def arrays(saved):
    """Yield the arrays among saved values, including those in lists."""
    for value in saved:
        if type(value) is ndarray:
            yield value
        elif isinstance(value, tuple | list):
            yield from arrays(value)
