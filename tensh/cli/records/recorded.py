"""A run that writes records: `tensh run --json`."""

import contextlib
import json
from time import perf_counter

from tensh.cli.process import status
from tensh.cli.programs.run import Run
from tensh.cli.records import VERSION, failures, values
from tensh.cli.records.printed import OutputReporter, redirect_foreign_output, stdout_of
from tensh.cli.render.failure import render_in_full
from tensh.cli.session import events
from tensh.cli.session.failures.failure import Place, source_of
from tensh.show.drawing.text import shorten_middle
from tensh.show.reading.reprs import safe_str
from tensh.support.escaping import dumps

ENDINGS = {status.OK: "ok", status.OUT_OF_TIME: "timeout", status.INTERRUPTED: "interrupted"}


@contextlib.contextmanager
def record_run(env, options, program):
    """A context with a run whose records are the only output on stdout."""
    with redirect_foreign_output(env) as own:
        yield RecordedRun(own, options, program)


class RecordedRun(Run):
    """A run that writes results, remarks and failures as records."""

    def __init__(self, env, options, program):
        super().__init__(env, options, program)
        self.printed = OutputReporter(lambda text: self.write("text", text=text), env.stderr)
        self.is_over = False
        self.cells = {}  # file name of a notebook cell's source -> (file, number)
        if program.kind in ("notebook", "markdown"):
            numbered = enumerate((cell.source for cell in program.cells), 1)
            self.cells = {source.filename: (program.arguments[0], number) for number, source in numbered}

    def run_all(self, then=None):
        begin = perf_counter()
        with contextlib.redirect_stdout(stdout_of(self.printed)):
            super().run_all(then)
        seconds = perf_counter() - begin
        word = ENDINGS.get(self.status, "failed")
        self.is_over = True
        self.record("end", status=word, exit=self.status, seconds=round(seconds, 6), values=self.values_shown)
        return self.status

    def configure(self):
        """Do nothing: records do not depend on settings."""

    # ── records ──────────────────────────────────────────────────────────────

    def record(self, kind, **fields):
        """Write a record, after flushing printed text."""
        self.printed.flush()
        self.write(kind, **fields)

    def write(self, kind, **fields):
        found = {"v": VERSION, "kind": kind, **fields}
        text = dumps(found, separators=(",", ":"), allow_nan=False)
        try:
            text.encode(self.env.stdout.encoding or "utf-8")
        except UnicodeEncodeError:  # an encoding without some of the characters
            text = json.dumps(found, separators=(",", ":"))
        with self.env.writing():
            self.env.stdout.write(text + "\n")
            self.env.stdout.flush()

    def where(self, place):
        """Return the fields of a place in the code."""
        return self.line(place.source, place.line)

    def line(self, source, number):
        if source.filename in self.cells:
            file, cell = self.cells[source.filename]
            return {"file": file, "cell": cell, "line": number}
        return {"file": source.label, "line": number}

    # ── what happens ─────────────────────────────────────────────────────────

    def show(self, event, may_raise):
        """Record an event; return whether the run continues."""
        match event:
            case events.Value() | events.Failed():
                return super().show(event, may_raise)
            case events.Started(unit) if self.options.echo == "all":
                self.record("code", **self.line(unit.source, unit.first), code=code_of(unit))
            case events.Text(tokens):
                self.record("text", text="".join(text for _, text in tokens))
            case events.Notice(text):
                self.record("notice", text=text)
            case events.Finished(unit, seconds) if self.options.timed:
                self.record("time", **self.line(unit.source, unit.first), code=code_of(unit), seconds=round(seconds, 9))
        return True

    def show_value(self, value, unit, may_raise):
        try:
            found = values.fields(value, self.options.json_full)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # its repr is the user's code
            return self.take_failure(self.session.make_failure(error, unit), may_raise)
        self.values_shown += 1
        self.record("value", **self.line(unit.source, unit.first), expr=unit.text, **found)
        return True

    def display(self, *shown):
        for value in shown:
            self.values_shown += 1
            self.record("value", file=None, line=None, expr=None, **values.fields(value, self.options.json_full))

    def fields(self, failure):
        """Return the fields of a failure."""
        return self.shorten(failures.fields(failure, self.where))

    def shorten(self, content):
        """Shorten long strings in nested containers as on a terminal, except with --json=full."""
        if self.options.json_full:
            return content
        if isinstance(content, dict):
            return {name: self.shorten(each) for name, each in content.items()}
        if isinstance(content, list):
            return [*map(self.shorten, content)]
        return shorten_middle(content) if isinstance(content, str) else content

    def show_failure(self, failure, may_raise):
        found = self.fields(failure)
        if self.options.traceback == "full":
            found["traceback"] = "".join(text for _, text in render_in_full(failure))
        self.record("error", **found, expected=may_raise)

    def show_stop(self, failure, words):
        found = self.fields(failure)
        self.record("error", **found | {"type": type(failure.error).__name__, "message": words}, expected=False)

    def take_warning(self, message, category, filename, line, file=None, text=None):
        place = Place(source_of(filename, self.session.sources), None, line)
        self.record("warning", **self.where(place), category=category.__name__, message=self.shorten(safe_str(message)))
        note = self.session.teacher.on_warning(message, filename, line)[1] if self.session.teacher else None
        if note:
            self.take_note(note)

    def take_unraisable(self, error, where):
        if self.is_over:  # the last record has been written
            super().take_unraisable(error, where)
            return
        found = self.fields(self.session.make_failure(error, None).failure)
        self.record("unraised", **found, within=where)

    def take_note(self, note):
        columns = failures.columns(note.place)
        content = {"about": note.about, "message": note.message, "advice": note.advice}
        self.record("note", **self.where(note.place) | columns, **self.shorten(content))

    def mention(self, text):
        if not self.options.quiet:
            self.record("notice", text=text.rstrip("\n"))

    def notice(self):
        """Do nothing: a program does not need the notice about torch."""


def code_of(unit):
    """Return the lines of a statement."""
    return "\n".join(unit.source.lines[unit.first - 1 : unit.last])
