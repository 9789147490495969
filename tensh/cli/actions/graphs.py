"""`tensh graph`: run a program, and show or write the graph behind one of its tensors."""

import contextlib
import importlib
import os
import subprocess

from tensh.cli.files.writing import write_text
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.programs.run import Run
from tensh.cli.session.events import Text, Value
from tensh.cli.session.sources.elements import write_elements
from tensh.graph.formats import FORMATS
from tensh.show.drawing.page import Page
from tensh.support.language import _

OF_AUTOGRAD = ("why", "steps", "mode", "values", "grads", "formulas", "focus", "whole")  # options
ENDINGS = {ending: name for name, endings in FORMATS.items() for ending in endings}


def show(env, options, program, request):
    """Run a program without showing its values, and show the graph; return the exit status."""
    from tensh.graph.provenance import record_places

    run = Quiet(env, options, program)
    if request.static or request.compiled:
        return show_static(run, request)
    with record_places(), contextlib.redirect_stdout(env.stderr):  # stdout is reserved for the graph
        return run.run_all(lambda run: run.status or write_graph(run, request))


def show_static(run, request):
    """Run a program, capture its operations, and show how a tensor was computed; return the exit status."""
    from tensh.engine.dispatch.capture.recorder import Recorder

    recorder = Recorder()

    def work(run):
        return run.status or write_static(run, request, recorder)

    with contextlib.redirect_stdout(run.env.stderr), recorder:
        return run.run_all(work)


def write_static(run, request, recorder):
    """Write the static graph of a successful run; return the exit status."""
    from tensh.compiler.breaks import Break
    from tensh.engine.dispatch.capture.recorder import Paused
    from tensh.graph.formats.tree import Shown
    from tensh.show.graphs.captured import static_of

    request = request._replace(format=format_of(request))
    if other := next((each for each in OF_AUTOGRAD if getattr(request, each)), None):
        raise UsageError(
            _("tensh graph: --static and --compiled show a program; --{option} shows its autograd graph").format(
                option=other
            )
        )
    names = run.session.own_names()
    try:
        tensor = choose_tensor(run, request.name, recorded=False)  # an expression is captured, too
    except ValueError as error:
        raise UsageError(
            _("tensh graph: {error}: name the tensor, as in tensh graph FILE y --static").format(error=error)
        ) from None
    with Paused():
        try:
            shown = Shown(types=request.types, depth=request.depth, fold=False)
            drawing = static_of(recorder, tensor, names, request.view, request.compiled, shown)
            return write_drawing(run, request, drawing)
        except (Break, ValueError, LookupError) as error:
            raise UsageError(
                _("tensh graph: {name}: {error}").format(name=request.name or _("the last tensor"), error=error)
            ) from None


class Quiet(Run):
    """A run that does not show results."""

    def show(self, event, may_raise):
        return isinstance(event, Value | Text) or super().show(event, may_raise)


def write_graph(run, request):
    """Write the graph of a successful run; return the exit status."""
    from tensh.graph.formats.tree import Shown
    from tensh.graph.walk import Graph
    from tensh.show.graphs.passes import accumulation, steps
    from tensh.show.graphs.reasons import why
    from tensh.show.graphs.views import Drawing

    names = run.session.own_names()
    request = request._replace(format=format_of(request))
    try:
        if request.why:
            target = choose_tensor(run, request.why)
            root = choose_tensor(run, request.name) if request.name else None
            return write_pieces(
                run, request, text(run, why(target, root, run.session.namespace, run.session.texts()), request)
            )
        tensor = choose_tensor(run, request.name)
        if request.steps or request.mode:
            view = steps(tensor, names) if request.steps else accumulation(tensor, request.mode, names)
            return write_pieces(run, request, text(run, view, request))
        graph = Graph(tensor, names, request.focus)
        shown = Shown(
            request.values, request.grads, request.types, request.formulas, request.depth, fold=not request.whole
        )
        view = request.view if request.format == "text" else "auto"  # only text is refused for large graphs
        return write_drawing(run, request, Drawing(graph, view, shown))
    except (ValueError, LookupError) as error:
        raise UsageError(_("tensh graph: {error}").format(error=error)) from None


def format_of(request):
    """Return the requested format, by option or file extension; raise UsageError if the two disagree."""
    ending = os.path.splitext(request.output or "")[1].lower()
    if ending in (".html", ".htm"):  # names of the program would need escaping in HTML
        raise UsageError(
            _("tensh graph: {output}: cannot write HTML; for a picture to put in a page, use -o graph.svg").format(
                output=request.output
            )
        )
    found = request.format or ENDINGS.get(ending, "text")
    if ENDINGS.get(ending, found) != found:
        raise UsageError(
            _("tensh graph: {output}: a {ending} file holds {endings}, but {found} was requested").format(
                output=request.output, ending=ending, endings=ENDINGS[ending], found=found
            )
        )
    other = "--why" if request.why else "--steps" if request.steps else "--mode" if request.mode else None
    other = other or (f"--view {request.view}" if request.view in ("tree", "tape") else None)  # layouts of lines
    if other and found != "text":
        raise UsageError(
            _("tensh graph: {other} can be written only as text, not as {found}").format(other=other, found=found)
        )
    if found == "png" and request.output is None:
        raise UsageError(
            _("tensh graph: {found} must be written to a file: --format {found} -o graph.{found}").format(found=found)
        )
    return found


def write_drawing(run, request, drawing):
    """Write a graph in the requested format; return the exit status."""
    if request.format == "png":
        return draw_file(drawing.graph, drawing.shown, request)
    if request.format == "text":
        return write_pieces(run, request, text(run, drawing, request))
    lines = importlib.import_module(f"tensh.graph.formats.{request.format}").lines(drawing.graph, drawing.shown)
    return write_pieces(run, request, (f"{line}\n" for line in lines))


def text(run, drawing, request):
    """Yield the pieces of a drawing: styled for the terminal, plain for a file."""
    page = run.console.page() if request.output is None else Page()
    for kind, piece in drawing.draw(page):
        yield run.console.style_text([(kind, piece)], request.output is None and run.console.in_color[0])
    yield "\n"


def write_pieces(run, request, pieces):
    """Write pieces of text to stdout or the output file; return the exit status."""
    if request.output is None:
        for piece in pieces:
            with run.env.writing():
                run.env.stdout.write(piece)
        return status.OK
    try:
        write_text(request.output, pieces)
    except OSError as error:
        raise UsageError(
            _("tensh graph: {output}: {strerror}").format(output=request.output, strerror=error.strerror)
        ) from None
    return status.OK


def draw_file(graph, shown, request):
    """Draw the graph into a file by Graphviz; return the exit status."""
    from tensh.graph.formats import dot

    command = ["dot", f"-T{request.format}", "-o", request.output]
    try:
        done = subprocess.run(command, input="\n".join(dot.lines(graph, shown)), text=True, capture_output=True)
    except FileNotFoundError:
        raise UsageError(
            _(
                "tensh graph: {format} needs the program `dot` of Graphviz, which is not installed; --format svg, dot and mermaid work without it"
            ).format(format=request.format)
        ) from None
    if done.returncode:
        raise UsageError(_("tensh graph: dot: {error}").format(error=done.stderr.strip()))
    return status.OK


def choose_tensor(run, name, recorded=True):
    """Return the tensor to show: the value of a name or expression, by default the one computed last.

    Raise UsageError unless it has a graph, or ``recorded`` is false.
    """
    names = run.session.own_names()
    if name is None:
        from tensh.graph.names import newest

        return newest(names)
    try:
        value = eval(write_elements(name), run.session.namespace)
    except Exception as error:
        raise UsageError(
            _("tensh graph: {name}: {kind}: {error}{meant}").format(
                name=name, kind=type(error).__name__, error=error, meant=_suggest(name, names)
            )
        ) from None
    if callable(value) and not hasattr(value, "grad_fn"):
        raise UsageError(
            _("tensh graph: {name} is not a tensor but {kind}: write a call of it, such as '{name}(x)'").format(
                name=name, kind=type(value).__name__
            )
        )
    if not hasattr(value, "grad_fn"):
        raise UsageError(
            _("tensh graph: {name} is not a tensor but {kind}{meant}").format(
                name=name, kind=type(value).__name__, meant=_suggest(name, names)
            )
        )
    if recorded and not value.requires_grad:
        raise UsageError(_("tensh graph: {name} has no graph: it does not require grad").format(name=name))
    return value


def _suggest(name, names):
    import difflib

    close = difflib.get_close_matches(name, names, 1)
    return _("; did you mean {name}?").format(name=close[0]) if close else ""
