"""Static graphs: the operations of a function, before and after optimization, and the source they are compiled to.

Each line shows an operation with its operands, the resulting array, the bytes read and written, and the user's code for
it.
"""

from dataclasses import replace

from tensh.compiler.compiling import CompiledFunction
from tensh.compiler.graph import make_program
from tensh.compiler.programs.notes import words_of
from tensh.compiler.programs.passes import FUSED
from tensh.compiler.programs.steps import EFFECT, VIEW, Var
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.lines import map_parts
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.graph import tokens
from tensh.graph.counting import count_steps
from tensh.graph.formats import dag, svg, tree
from tensh.graph.formats.tree import Shown
from tensh.graph.model import Edge, GraphNode
from tensh.show.drawing.page import Lines
from tensh.show.drawing.text import cells, pad, wrap_lines
from tensh.show.reading.describe import amount
from tensh.support.language import _

WIDEST = 40  # columns
KINDS = ("margin", "name", "plain", "plain", "number", "number")  # kinds of the columns before the code
BYTES = 4  # the first column of bytes


class StaticGraph:
    """The steps of a program that lead to its first result, as a graph for trees and drawings."""

    def __init__(self, program, optimized=False):
        steps = program.after[0] if optimized else program.before[0]
        ends = list(program.results)
        makers = {out: step for step in steps for out in step.outs}
        needed, waiting = set(), ends[:1]
        while waiting:
            each = waiting.pop()
            if each not in needed:
                needed.add(each)
                waiting += makers[each].inputs if each in makers else ()
        leaves = [
            each
            for each in dict.fromkeys(v for step in steps for v in step.inputs)
            if each in needed and each not in makers
        ]
        order = [*leaves, *(step for step in steps if any(out in needed for out in step.outs))]
        self.numbers = {}
        for number, each in enumerate(order, 1):
            self.numbers.update((out, number) for out in ([each] if isinstance(each, Var) else each.outs))
        self.nodes = [self.describe(each, number) for number, each in enumerate(order, 1)]
        uses = [0] * (len(order) + 1)
        for node in self.nodes:
            for edge in node.edges:
                uses[edge.number] += 1
        self.nodes = [replace(node, uses=uses[node.number]) for node in self.nodes]
        self.edge_count, self.root = sum(uses), self.numbers.get(ends[0], len(order))
        self.shared = [number for number, times in enumerate(uses) if times > 1]

    def describe(self, each, number):
        if isinstance(each, Var):
            return GraphNode(number, "leaf", "input", None, each.label, each.shape, dtype_of(each))
        given = each.inputs if each.kind == FUSED else list_variables((each.args, each.options))
        edges = tuple(Edge(self.numbers[v]) for v in given if v in self.numbers)
        out = each.outs[0] if each.outs else None
        name = " + ".join(step.name for step in each.steps) if each.kind == FUSED else each.name
        text = None if each.kind == FUSED else words_of(each)
        return GraphNode(
            number, "operation", name, text, None, out and out.shape, out and dtype_of(out), edges=edges
        )  # fmt: skip

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __getitem__(self, number):
        return self.nodes[number - 1]


def dtype_of(var):
    return str(BY_NUMPY[var.dtype]).removeprefix("torch.")


def list_variables(structure):
    """Return the variables in a structure, once per occurrence."""
    found = []
    map_parts(found.append, Var, structure)
    return found


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
            return source(self.program.text.rstrip("\n"), width)
        return tape(self.program, width)

    def _repr_svg_(self):
        return "\n".join(svg.lines(self.graph, self.shown)) if self.view == "dag" else None


# ── the source ───────────────────────────────────────────────────────────────
def source(text, width=None):
    """Yield the lines of the compiled source; in a narrow window a comment stands above its line."""
    for line in text.split("\n"):
        code, mark, words = line.partition("  # ")
        if width is not None and mark and cells(line) >= width:
            begin = " " * (len(code) - len(code.lstrip())) + "# "
            yield from ([("plain", begin + part)] for part in wrap_lines(words, width - len(begin) - 1))
            line = code
        yield [("plain", line)]


# ── the tape ─────────────────────────────────────────────────────────────────
def tape(program, width=None):
    """Yield the lines of all passes, before and after."""
    for title, passes in ((_("captured"), program.before), (_("optimized"), program.after)):
        for name, steps in zip(("", _(", backward")), passes, strict=True):
            if not name:
                numbers = {}
            if steps or not name:
                yield [("keyword", title + name)]
                yield from table(steps, numbers, width)
                yield [("plain", "")]
    yield [("note", summary(program))]


def table(steps, numbers, width=None):
    """Yield the steps of a pass; ``numbers`` (variable -> its number) grows.

    In a window that is narrower than the columns, those of bytes and code too long for the line stand below it.
    """
    for step in steps:
        for part in getattr(step, "steps", [step]):
            for out in part.outs:
                numbers[out] = f"%{len(numbers) + 1}"
    rows = []
    for step in steps:
        if step.kind == FUSED:
            rows.append(
                (
                    "",
                    _("fused: {steps} steps, block by block").format(steps=len(step.steps)),
                    "",
                    "",
                    *traffic(step),
                    "",
                )
            )
            rows += [row_of(part, numbers, "  ") for part in step.steps]
        else:
            rows.append(row_of(step, numbers))
    widths = [min(max((tokens.width(row[i]) for row in rows), default=0), WIDEST) for i in range(len(KINDS))]
    first = 2 + sum(each + 2 for each in widths)  # the column of the code
    beside = len(KINDS) if width is None or first <= width else BYTES
    for row in rows:
        texts = [pad(tokens.shorten(text, WIDEST), width) for text, width in zip(row, widths, strict=False)]
        line = [("plain", "  "), *((kind, f"{text}  ") for kind, text in zip(KINDS, texts, strict=True))]
        code = ("note", row[-1])
        if width is None or (beside == len(KINDS) and first + tokens.width(row[-1]) < width):
            yield [*line, code]
            continue
        yield line[: beside + 1]
        below = line[beside + 1 :]
        indent = 4 + widths[0] + 2
        is_one = indent + sum(tokens.width(text) for _kind, text in [*below, code]) < width
        for part in [[*below, code]] if is_one else [below, [code]]:
            if any(text.strip() for _kind, text in part):
                yield [("plain", " " * indent), *part]


def row_of(step, numbers, indent=""):
    """Return (numbers, call, shape, dtype, bytes read, bytes written, the user's code) of a step."""
    given = [text_of(each, numbers) for each in step.args]
    out = step.outs[0] if step.outs else None
    own = ", ".join(numbers[each] for each in step.outs)
    bytes_ = ("", "") if indent else traffic(step)
    shape = "" if out is None else f"[{', '.join(map(str, out.shape))}]"
    return (
        own,
        f"{indent}{step.name}({', '.join(given)})",
        shape,
        "" if out is None else dtype_of(out),
        *bytes_,
        words_of(step) or "",
    )


def text_of(value, numbers):
    if isinstance(value, (tuple, list)):
        text = ", ".join(text_of(each, numbers) for each in value)
        return f"[{text}]" if isinstance(value, list) else f"({text}{',' * (len(value) == 1)})"
    if isinstance(value, Var):
        return numbers.get(value) or value.label or value.name or "_"
    if hasattr(value, "shape") and not value.shape:
        return str(value)
    return "..." if hasattr(value, "shape") else str(value)


def traffic(step):
    """Return (bytes read, bytes written) by a step, as texts; a view reads and writes nothing."""
    read, written = bytes_of(step)
    return (
        _("reads {amount}").format(amount=amount(read)) if read else "",
        _("writes {amount}").format(amount=amount(written)) if written else "",
    )


def bytes_of(step):
    if step.kind == VIEW:
        return 0, 0
    if step.kind == EFFECT:
        inputs = step.inputs
        return sum(each.nbytes for each in inputs), inputs[0].nbytes if inputs else 0
    return sum(each.nbytes for each in step.inputs), sum(each.nbytes for each in step.outs)


def summary(program):
    """Count the lines before and after, and the bytes they move."""
    texts = []
    for title, passes in ((_("captured"), program.before), (_("optimized"), program.after)):
        steps = [*passes[0], *passes[1]]
        moved = sum(sum(bytes_of(step)) for step in steps)
        parts = {"title": title, "steps": count_steps(len(steps)), "amount": amount(moved)}
        texts.append(_("{title}: {steps}, {amount} moved").format(**parts))
    groups = [step for steps in program.after for step in steps if step.kind == FUSED]
    fused = sum(len(step.steps) for step in groups)
    more = [_("{fused} fused into {groups}").format(fused=fused, groups=len(groups))] if groups else []
    more += [_("{merged} common").format(merged=program.merged)] if program.merged else []
    more += [_("{folded} folded").format(folded=program.folded)] if program.folded else []
    return "; ".join([*texts, *more])


# ── public functions ─────────────────────────────────────────────────────────
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
