"""Static graphs: the operations of a function, before and after optimization, and the source they are compiled to.

Each line shows an operation with its operands, the resulting array, the bytes read and written, and the user's code for
it.
"""

from tensh.compiler.compiling import CompiledFunction
from tensh.compiler.graph import make_program
from tensh.engine.core.tensor import Tensor
from tensh.graph.formats import dag, svg, tree
from tensh.graph.formats.tree import Shown
from tensh.show.drawing.page import Lines
from tensh.show.drawing.text import cells, wrap_lines
from tensh.show.graphs.static_graph import StaticGraph
from tensh.show.graphs.static_tape import write_tape
from tensh.support.language import _


class Static(Lines):
    """A view of a static graph: its tape before and after optimization, or another view."""

    def __init__(self, program, view="auto", compiled=False, shown=None):
        if view not in ("auto", "tape", "tree", "dag"):
            raise ValueError(_("graph(): view must be one of auto, tree, tape, dag, not {view!r}").format(view=view))
        super().__init__(self._lines)
        self.program, self.view, self.compiled, self.shown = program, view, compiled, shown or Shown()

    @property
    def graph(self):
        """Return the steps as a graph: the captured ones, or with ``compiled`` the optimized ones."""
        return StaticGraph(self.program, self.compiled)

    def _lines(self, page):
        if self.view in ("tree", "dag"):
            shown = self.shown._replace(
                ascii=not page.unicode, width=page.width if page.is_window else None, fold=False
            )
            return {"tree": tree, "dag": dag}[self.view].lines(self.graph, shown)
        width = page.width if page.is_window else None
        if self.compiled:
            return write_source(self.program.text.rstrip("\n"), width)
        return write_tape(self.program, width)

    def _repr_svg_(self):
        return "\n".join(svg.lines(self.graph, self.shown)) if self.view == "dag" else None


def write_source(text, width=None):
    """Yield the lines of the compiled source; in a narrow window a comment stands above its line."""
    for line in text.split("\n"):
        code, mark, words = line.partition("  # ")
        if width is not None and mark and cells(line) >= width:
            begin = " " * (len(code) - len(code.lstrip())) + "# "
            yield from ([("plain", begin + part)] for part in wrap_lines(words, width - len(begin) - 1))
            line = code
        yield [("plain", line)]


def static(function, *inputs, view="auto", compiled=False, **options):
    """Show the static graph of a function or module called with ``inputs``: its steps before and after optimization.

    ``compiled`` shows the source that it is compiled to; ``view`` "tree" or "dag" draws the graph of the first result.
    Raise RuntimeError, with the line, if the function does not form a single graph, and ValueError if it computes
    nothing from tensors.

    >>> import tensh as torch
    >>> print(torch.show.static(lambda x: (x + 1) * (x + 1), torch.ones(2)))
    captured
      %1  add(x, 1.0)  [2]  float32  reads 8 B   writes 8 B  x + 1
      %2  add(x, 1.0)  [2]  float32  reads 8 B   writes 8 B  x + 1
      %3  mul(%1, %2)  [2]  float32  reads 16 B  writes 8 B  (x + 1) * (x + 1)
    <BLANKLINE>
    optimized
      %1  add(x, 1.0)  [2]  float32  reads 8 B  writes 8 B  x + 1
      %2  mul(%1, %1)  [2]  float32  reads 8 B  writes 8 B  (x + 1) * (x + 1)
    <BLANKLINE>
    captured: 3 steps, 56 B moved; optimized: 2 steps, 32 B moved; 1 common
    """
    if not callable(function):
        raise TypeError(
            _("static(): expected a function or a module and its inputs, not {name}").format(
                name=type(function).__name__
            )
            + (_("; tensh graph FILE NAME --static shows that of a tensor") if isinstance(function, Tensor) else "")
        )
    made = CompiledFunction(getattr(function, "_torchdynamo_orig_callable", function), fullgraph=True)
    made(inputs, options)
    program = made.graphs[0].program
    if not any(program.before):
        name = getattr(function, "__name__", type(function).__name__)
        raise ValueError(
            _("static(): {name} computed nothing from tensors: pass tensors to it, such as torch.tensor(3.0)").format(
                name=name
            )
        )
    return Static(program, view, compiled)


def static_of(recorder, tensor, names, view="auto", compiled=False, shown=None):
    """Return the static graph of a tensor computed while a recorder was active; ``names`` are the names of tensors."""
    return Static(make_program(recorder, tensor, names), view, compiled, shown)
