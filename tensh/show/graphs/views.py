"""The graph behind a tensor as a view: `graph`."""

from tensh.engine.core.tensor import Tensor
from tensh.graph.formats import VIEWS, dag, svg, tape, tree
from tensh.graph.formats.tree import Shown
from tensh.graph.names import newest
from tensh.graph.walk import Graph
from tensh.show.drawing.page import Lines
from tensh.show.reading.asking import names_of_caller
from tensh.support.language import _

FEW = 40  # lines up to which a tree is preferred
MOST_IN_PICTURE = 150  # nodes that can be found again in a picture


class Drawing(Lines):
    """A view of a graph; its data is `graph`."""

    breaks = False

    def __init__(self, graph, view="auto", shown=None):
        if view not in VIEWS:
            raise ValueError(
                _("graph(): view must be one of {views}, not {view!r}").format(views=", ".join(VIEWS), view=view)
            )
        if view == "dag":
            dag.check(graph)
        super().__init__(self._lines)
        self.graph, self.view, self.shown = graph, view, shown or Shown()

    def _lines(self, page):
        shown = self.shown._replace(ascii=not page.unicode, width=page.width if page.is_window else None)
        return self.layout(shown).lines(self.graph, shown)

    def _repr_svg_(self):
        """Return the graph as a picture for a notebook, unless a text view was requested; else None."""
        return "\n".join(svg.lines(self.graph, self.shown)) if self.is_picture else None

    def _repr_html_(self):
        return None if self.is_picture else super()._repr_html_()

    @property
    def is_picture(self):
        """True if a notebook shows the graph as a picture: no other view was chosen, and it is small enough."""
        return self.view in ("auto", "dag") and len(self.graph) <= MOST_IN_PICTURE

    def layout(self, shown):
        """Return the module that draws the requested view, by default the one that suits the graph."""
        if self.view == "auto":
            return tree if is_small(self.graph, shown) else tape
        return {"tree": tree, "tape": tape, "dag": dag}[self.view]


def is_small(graph, shown):
    """Return True if the tree of a graph has few lines."""
    return sum(1 for _, _ in zip(range(FEW + 1), tree.rows(graph, shown), strict=False)) <= FEW


def graph(
    tensor=None, names=None, *inputs, view="auto", focus=None, static=False, compiled=False,
    values=False, grads=False, types=False, formulas=False, depth=None, fold=True,
):  # fmt: skip
    """Show the autograd graph behind a tensor, root first; ``static`` or ``compiled`` show the static graph of a function.

    Args:
        tensor: must require grad, else ValueError is raised; default: the one among the names computed last.
        names: a dict of the names of tensors; default: the global names of the caller.
        view: "tree", "tape" (every node once, in the order of recording), "dag" (a drawing, up to 30 nodes), or "auto".
        focus: the name of a node; restricts the graph to the paths from the root to it, and to its inputs.
        values, grads, types, formulas: show values, gradients, dtypes, the formulas of gradients.
        depth: the number of levels of a tree, at least 1.
        fold: replace repeated blocks by a line.

    >>> import tensh
    >>> x = tensh.tensor(2., requires_grad=True)
    >>> tensh.show.graph(x * x + 1, {"x": x})
    add                   AddBackward0  []
    └── mul               MulBackward0  []
        ├── x  (*)        leaf          []
        └── x  (*) again
    <BLANKLINE>
    3 nodes, 3 edges; a DAG drawn as a tree. (*) a tensor used 2 times: its gradient is the sum over both uses.
    """
    if depth is not None and (type(depth) is not int or depth < 1):
        raise ValueError(_("graph(): depth must be a whole number of at least 1, not {depth!r}").format(depth=depth))
    if static or compiled:
        from tensh.show.graphs.captured import static

        options = {"focus": focus, "values": values, "grads": grads, "formulas": formulas}
        if other := next((each for each, value in options.items() if value), None):
            raise ValueError(_("graph(): a static graph has no {option}; an autograd graph has").format(option=other))
        return static(tensor, *([names] if names is not None else []), *inputs, view=view, compiled=compiled)
    shown = Shown(values, grads, types, formulas, depth, fold=fold)
    return Drawing(graph_of(tensor, names, focus), view, shown)


def graph_of(tensor, names, focus=None):
    """Return the requested graph: by default of the newest tensor, with its caller's names."""
    names = names_of_caller(2) if names is None else names
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(_("expected a tensor with a graph, not {name}").format(name=type(tensor).__name__))
    return Graph(newest(names) if tensor is None else tensor, names, focus)
