"""Running the code of a document in a new session, and recording the output of each cell."""

import io
import os
from typing import NamedTuple

from tensh.cli.checking.leaving import leaving_by_exception
from tensh.cli.checking.randomness import Randomness, names_in
from tensh.cli.documents import files
from tensh.cli.documents.model import Output
from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.programs.isolation import fresh_world
from tensh.cli.programs.program import Program
from tensh.cli.programs.run import Run
from tensh.cli.session import events
from tensh.cli.session.failures.failure import Failure
from tensh.cli.session.sources.notebook import Cell, CellSource, python
from tensh.support.language import _


class Piece(NamedTuple):
    """An output, and the last line of the statement that produced it."""

    output: Output
    line: int


class Result(NamedTuple):
    """The outcome of a cell: its output, its failure if there was one, and why its output depends on chance.

    `passed_over` says why the cell did not run; `unreached` is true if the code ended before it. `values` describes the
    tensors that it named, if requested.
    """

    pieces: tuple[Piece, ...] = ()
    failure: Failure | None = None
    chance: str = ""
    passed_over: str = ""
    values: str = ""
    unreached: bool = False

    @property
    def outputs(self):
        """Return the outputs, with consecutive pieces of printed text joined."""
        found = []
        for piece in self.pieces:
            if found and found[-1].kind == piece.output.kind == "printed":
                found[-1] = Output("printed", found[-1].text + piece.output.text)
            else:
                found.append(piece.output)
        return tuple(found)


def label_of(cell, number):
    """Return the label of a cell: its number, else its position."""
    return f"[{number if cell.count is None else cell.count}]"


class CheckedRun(Run):
    """A run that shows nothing, and records what each cell would have shown."""

    def __init__(self, options, document, path, with_values=False):
        self.with_values = with_values
        self.document = document
        self.code = [cell for cell in document.cells if cell.kind == "code"]
        self.labels = [label_of(cell, number) for number, cell in enumerate(self.code, 1)]
        kind = "script" if files.kind_of(path) in files.PRELOADED else "notebook"
        filename = reading.whole_name(path)
        cells = [self.runnable(cell, number, filename, path) for number, cell in enumerate(self.code, 1)]
        folder = os.path.dirname(os.path.realpath(path))
        env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={}, color="never")
        super().__init__(env, options._replace(echo=None), Program(kind, cells, [path], folder, filename))
        self.results = []
        self.pieces = []
        self.failure = None

    def runnable(self, cell, number, filename, path):
        """Convert a document cell to one that runs."""
        text, passed_over = python(cell.text) if self.document.echo is not None else (cell.text, [])
        echo = "each" if cell.form.startswith(">>> ") else self.document.echo
        label = f"{path} {label_of(cell, number)}"
        source = CellSource(text, f"{filename} cell {number}", label, echo, commands=echo is not None)
        return Cell(source, True, _text(cell.settings.get("requires")), tuple(passed_over))

    # ── what happens ─────────────────────────────────────────────────────────

    def prepare(self):
        super().prepare()
        seeded = self.options.seed is not None
        self.randomness = Randomness(self.session.engine, self.session.namespace, seeded)

    def run_cell(self, cell):
        """Run a cell; return whether to continue with the next one."""
        settings, label = self.code[len(self.results)].settings, self.labels[len(self.results)]
        why = (
            _("it needs {lacking}").format(lacking=cell.lacking)
            if cell.lacking
            else _text(settings.get("skip")) or reason_to_skip(cell.source.text)
        )
        if why:
            self.results.append(Result(passed_over=why))
            return True
        self.pieces, self.failure = [], None
        self.randomness.begin(label)
        try:
            goes_on = cell.source.echo == "each"  # a transcript, in which every line has a separate answer
            return all([self.show(event, True) for event in self.session.run(cell.source, goes_on)])
        finally:
            self.keep_printed(len(cell.source.lines))
            chance = self.randomness.end(label, cell.source.text)
            self.results.append(Result(tuple(self.pieces), self.failure, chance, "", self.values(cell.source.text)))

    def values(self, code):
        """Describe the tensors that code named, and their gradients, if requested: a line or more for each."""
        if not self.with_values:
            return ""
        names = {name: self.session.namespace.get(name) for name in sorted(names_in(code)[1])}
        tensors = {name: value for name, value in names.items() if hasattr(value, "grad_fn")}
        leaves = {
            f"{name}.grad": value.grad for name, value in tensors.items() if value.is_leaf and value.requires_grad
        }
        return "".join(f"{name} = {value!r}\n" for name, value in (tensors | leaves).items())

    def show(self, event, may_raise):
        """Record an event; return whether the run continues."""
        match event:
            case events.Value(_, unit):
                self.keep_printed(unit.last)
                super().show(event, may_raise)
                self.take("value", unit.last)
            case events.Text(tokens):
                self.keep_printed(len(self.pieces))
                self.console.result(tokens)
            case events.Failed(_, unit):
                self.keep_printed(unit.last if unit else 0)
                return self.take_failure(event, may_raise)
            case events.Finished(unit):
                self.keep_printed(unit.last)
        return True

    def show_value(self, value, unit, may_raise):
        """Format a value as the kind of document shows it."""
        from tensh.cli.render import values

        in_layout = self.document.echo == "last" and unit.source.echo == "last"
        try:
            tokens = [*values.render_value(value, self.console.page(), unit.text, in_layout)]
        except Exception as error:  # its repr is the user's code
            return self.take_failure(self.session.make_failure(error, unit), may_raise)
        self.console.result(tokens)
        return True

    def take_failure(self, event, may_raise):
        """Record a failure; return whether the run continues: it stops on ^C and at the time limit only."""
        if isinstance(event.failure.error, KeyboardInterrupt):
            return self.report_stop(event.failure)
        self.failure = event.failure
        kind = event.failure.kind.rpartition(".")[2]
        error = Output("error", f"{kind}: {event.failure.message}")
        self.pieces.append(Piece(error, event.unit.last if event.unit else 0))
        return True

    def take_output(self):
        """Return the text that stdout has received since the last call."""
        text = self.env.stdout.getvalue()
        self.env.stdout.seek(0)
        self.env.stdout.truncate()
        return text

    def keep_printed(self, line):
        """Record what the code has printed."""
        text = self.take_output()
        if text:
            self.pieces.append(Piece(Output("printed", text), line))

    def take(self, kind, line):
        """Record a value that was shown."""
        text = self.take_output()
        if text:
            self.pieces.append(Piece(Output(kind, text.removesuffix("\n")), line))


def _text(value):
    return value if isinstance(value, str) else None


def reason_to_skip(code):
    """Return why the code of a session is not to run, if the session gives a reason."""
    return "doctest: +SKIP" if "doctest: +SKIP" in code else ""


def results(document, path, options, with_values=False):
    """Return (result of each code cell, exit status of the run). Cells after the end of the program did not run."""
    run = CheckedRun(options, document, path, with_values)
    with fresh_world(run.session.engine), run.env.install(), leaving_by_exception():
        ended = run.run_all()
    if ended == status.INTERRUPTED:
        raise KeyboardInterrupt
    if ended == status.OUT_OF_TIME:
        rest = Result(passed_over=_("stopped after {timeout:g} s").format(timeout=options.timeout))
        run.results[-1:] = [rest] * bool(run.results)  # the cell that was running
    else:
        rest = Result(passed_over=_("the code had ended"), unreached=True)
    missing = len(run.code) - len(run.results)
    return [*run.results, *[rest] * missing], ended
