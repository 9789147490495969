"""Derivatives in order of computation: `steps`, a backward pass node by node, and `accumulation`, forward or reverse."""

from tensh.graph import modes
from tensh.graph import steps as backward
from tensh.show.drawing.page import Lines
from tensh.show.graphs.views import graph_of
from tensh.support.language import _


class Steps(Lines):
    """A backward pass step by step: `pictures` show the graph before the first step, after it, and so on."""

    wraps = True

    def __init__(self, graph):
        super().__init__(lambda page: backward.lines(graph))
        self.graph, self.steps = graph, list(backward.steps(graph))

    def __len__(self):
        return len(self.steps)

    def picture(self, done, columns=None):
        """Return the graph after some of the steps, as lines of (kind, text) pairs, none wider than `columns`."""
        return backward.picture(self.graph, self.steps, done, columns)


def steps(tensor=None, names=None):
    """Show a backward pass from a tensor, node by node: what arrives, what each operand receives, how it adds up.

    Args:
        tensor: must be computed from tensors that require grad, else ValueError is raised; default: the one among the
            names computed last.
        names: a dict of the names of tensors; default: the global names of the caller.

    >>> import tensh
    >>> x = tensh.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> tensh.show.steps(y, {"x": x, "y": y})
    step 1  y  arrives 1
         -> x  x = 3
         -> x  x = 3    accumulates: 3 + 3 = 6
    <BLANKLINE>
    1 step: each operation once, and the gradients of 1 leaf
    """
    graph = graph_of(tensor, names)
    if graph[graph.root].kind == "leaf":
        raise ValueError(_("{name} is a leaf: no step computed it").format(name=graph[graph.root].short))
    return Steps(graph)


def accumulation(tensor=None, mode="reverse", names=None):
    """Show the derivatives of a tensor by forward or reverse accumulation, in order of computation, with the cost of both.

    Args:
        tensor: must require grad, else ValueError is raised; default: the one among the names computed last.
        mode: "forward", a pass from every leaf to the tensor, or "reverse", one pass from the tensor to all leaves.
        names: a dict of the names of tensors; default: the global names of the caller.

    >>> import tensh
    >>> x = tensh.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> tensh.show.accumulation(y, "forward", {"x": x, "y": y})
    from x  every change below is per change of it
      d x  = 1
      d y  = 6    <- root
    <BLANKLINE>
    forward: one pass for each element of the inputs, 1 of up to 1 operation
    reverse: one pass for each element of the result, 1 of 1 operation; it keeps what the derivatives need
    """
    if mode not in ("forward", "reverse"):
        raise ValueError(_('accumulation(): mode must be "forward" or "reverse", not {mode!r}').format(mode=mode))
    graph = graph_of(tensor, names)
    made = list(modes.lines(graph, mode))
    return Lines(lambda page: made)
