"""Running a program and showing its results: `tensh run`, `tensh -c`, `tensh -`."""

import contextlib
import sys
import warnings

from tensh.alias import torch_is_tensh
from tensh.cli.process import startup, status
from tensh.cli.process.environment import Unwritten
from tensh.cli.process.logs import clean_messages
from tensh.cli.process.unraised import reporting
from tensh.cli.programs.limits import TimeLimit, time_limit, wait_for_threads
from tensh.cli.programs.options import UsageError
from tensh.cli.programs.program import from_file
from tensh.cli.programs.reporting import Reporter
from tensh.cli.render import timing
from tensh.cli.render.console import Console
from tensh.cli.render.transcript import Transcript
from tensh.cli.session import events
from tensh.cli.session.files import opening
from tensh.cli.session.notes.teaching import Teacher
from tensh.cli.session.session import Session
from tensh.cli.session.sources import parameters
from tensh.show.drawing.text import shorten_middle
from tensh.show.printed.layout import layout
from tensh.show.reading.reprs import safe_str
from tensh.support.escaping import shell_word, visible_line
from tensh.support.language import _, deferred
from tensh.support.temporary import temporarily

ALL_FRAMES = deferred("  all frames: --traceback full\n")


class Run(Reporter):
    """One run: a session, with the display and counting of its events."""

    def __init__(self, env, options, program):
        self.env = env
        self.options = options
        self.program = program
        self.session = Session(options.engine or "tensh")
        self.session.ask = self.ask
        self.session.read_program = from_file
        self.session.run_in_shell = self.run_in_shell
        self.console = Console(env, self.session)
        self.transcript = Transcript()
        self.status = status.OK
        self.times = []
        self.is_prepared = False
        self.ended_by = None  # the failure that ended the program
        if self.session.engine == "tensh" and not options.quiet:
            self.session.teacher = Teacher(self.session, self.take_note)
        self.hint = _(ALL_FRAMES)
        if program.file:
            self.hint = _("  look around: tensh run -i {arguments}{all_frames}").format(
                arguments=shell_word(program.arguments[0]), all_frames=_(ALL_FRAMES)
            )

    # ── the session ──────────────────────────────────────────────────────────

    def run_all(self, then=None):
        """Run all cells as the program of this process, then `then` in the same environment, which decides the status."""
        self.set_echo()
        if then:
            self.hint = _(ALL_FRAMES)
        with self.world():
            if not self.program.is_empty:
                self.prepare()
                if then and self.session.engine == "tensh":  # a prompt follows, whose commands ask about these cells
                    self.session.note_places()
            with self.ending(), time_limit(self.options.timeout):
                for cell in self.program.cells:
                    if not self.run_cell(cell):
                        break
                if not then:
                    wait_for_threads()
            self.end_of_cells()
            if then:
                before = self.status
                self.status = then(self) or before  # a ^C at the prompt does not change it
                with self.ending():
                    wait_for_threads()
        return self.status

    def end_of_cells(self):
        """Finish after all cells: show the table of times."""
        if self.options.timed and self.times:
            self.console.remark(timing.table(self.times))

    @contextlib.contextmanager
    def ending(self):
        """A context in which SystemExit ends only the program; its status is kept."""
        try:
            yield
        except SystemExit as error:
            self.status = self.exit_status(error.code) or self.status
        except KeyboardInterrupt as error:  # between two statements, or while a value was shown
            self.take_failure(self.session.make_failure(error, None), may_raise=False)

    def set_echo(self):
        """Apply `--echo` to the sources, if it was given."""
        for source in (cell.source for cell in self.program.cells):
            if self.options.echo == "none":
                source.echo = None
            elif self.options.echo and source.echo is None:
                source.echo = "each"

    @contextlib.contextmanager
    def world(self):
        """A context in which the session is `__main__`, with its arguments, module folder, and hooks."""
        before, path, folders = (sys.argv, sys.modules["__main__"]), sys.path, sys.path[:]
        sys.argv, sys.modules["__main__"], folder = self.program.arguments, self.session.module, self.program.folder
        path.insert(0 if folder else len(path), folder)  # files of the current folder take no library's place
        try:
            with (
                warnings.catch_warnings(),
                reporting(self.take_unraisable),
                clean_messages(),
                self.torch(),
                self.progress(),
                self.strictness(),
            ):
                warnings.showwarning = self.take_warning
                yield
        finally:
            self.session.close()
            path[:] = folders  # code may have assigned another object to sys.path
            sys.path, (sys.argv, sys.modules["__main__"]) = path, before

    def torch(self):
        """Return a context in which `import torch` returns the engine."""
        if self.session.engine == "tensh":
            return torch_is_tensh(self.notice, children=True)
        from tensh.cli.programs.isolation import require_engine  # imports modules that other starts do not need

        require_engine(self.session.engine)
        return contextlib.nullcontext()

    def progress(self):
        """Return a context that sets the style of progress bars from the options; nothing is imported by default."""
        style = "none" if self.options.quiet else "lines" if self.env.plain else None
        if style is None:
            return contextlib.nullcontext()
        from tensh.show.loops import progress

        return temporarily(progress, style=style)

    def strictness(self):
        """Return a context in which drawing unseeded random numbers fails, with --strict."""
        if not self.options.strict:
            return contextlib.nullcontext()
        from tensh.cli.session.strict import Strict

        return Strict(self.session)

    def ask(self, question):
        """Ask at a terminal and return the answer; "" without a terminal."""
        if not self.env.is_interactive:
            return ""
        self.env.stdout.write(question)
        self.env.stdout.flush()
        line = self.env.stdin.readline()  # Python's input() is not stopped by ^C at a prompt
        if not line:
            self.env.stdout.write("\n")
        return line

    def run_in_shell(self, line):
        """Run a shell command; return its exit status."""
        from tensh.cli.process.system import run_line

        return run_line(self.env, line)

    def prepare(self):
        """Prepare for the first statement, once."""
        if self.is_prepared:
            return
        self.is_prepared = True
        self.configure()
        if self.session.settings:
            self.session.choose(self.session.settings)
        try:
            parameters.apply(self.options.settings or (), [cell.source for cell in self.program.cells])
        except parameters.SettingError as error:
            raise UsageError(str(error)) from None
        self.session.look_ahead([cell.source for cell in self.program.cells])
        if self.program.file:
            self.session.give(__file__=self.program.file)
        if self.program.kind == "notebook":
            self.session.give(display=self.display)
        if self.program.kind in ("script", "markdown") and not self.options.bare:
            self.session.preload()
        if self.options.seed is not None:
            self.session.seed(self.options.seed)
            self.session.find_unseeded_draw = lambda: None
        self.open_tensors()
        startup.freeze_loaded()

    def open_tensors(self):
        """Define names for the tensors in files, and list them."""
        for file in self.program.tensors:
            try:
                names = opening.describe_defined(self.session, file)
            except opening.OpeningError as error:
                raise UsageError(str(error)) from None
            self.mention(f"{visible_line(file)}: {names}\n")

    def configure(self):
        """Load the user's settings.

        They apply to terminals only: output into pipes and files does not depend on them.
        """
        if self.session.settings or not self.env.is_terminal(self.env.stdout):
            return
        from tensh.cli.settings import config

        loaded = config.load(self.env.variables)
        self.session.settings = loaded.settings
        for complaint in loaded.complaints:
            self.console.remark([("warning", f"{complaint}\n")])

    # ── a cell ───────────────────────────────────────────────────────────────

    def run_cell(self, cell):
        """Run a cell; return whether to continue with the next one."""
        if cell.lacking:
            self.mention(
                _("{label}: skipped, it needs {lacking}\n").format(
                    label=cell.source.label, lacking=visible_line(cell.lacking)
                )
            )
            return True
        for line in cell.passed_over:
            self.mention(_("{label}: skipped: {line}\n").format(label=cell.source.label, line=visible_line(line)))
        next_statement = self.options.keep_going and self.program.kind != "notebook"
        return all(self.show(event, cell.may_raise) for event in self.session.run(cell.source, next_statement))

    def show(self, event, may_raise):
        """Show an event; return whether the run continues."""
        match event:
            case events.Started(unit):
                if unit.source is not self.shown_of[0]:
                    self.shown_of = unit.source, self.values_shown
                if self.options.echo == "all":
                    self.console.result(self.transcript.write_lines_to(unit))
            case events.Value(value, unit):
                return self.show_value(value, unit, may_raise)
            case events.Text(tokens):
                self.console.result(tokens)
            case events.Notice(text):
                self.remark([("note", text + "\n")])
            case events.Failed():
                return self.take_failure(event, may_raise)
            case events.Finished(unit, seconds):
                self.times.append((unit, seconds))
        return True

    def show_value(self, value, unit, may_raise):
        from tensh.cli.render import values  # imports NumPy, which any code that computed a value has loaded already

        try:
            page, is_notebook = self.console.page(), self.program.kind == "notebook"
            tokens, cut = values.render_and_tell(value, page, unit.text, is_notebook, self.session.settings)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # its repr is the user's code
            return self.take_failure(self.session.make_failure(error, unit), may_raise)
        self.values_shown += 1
        self.session.cut_view = cut
        self.console.result(tokens)
        return True

    def display(self, *shown):
        """Show values as a notebook does: IPython's `display`."""
        for value in shown:
            self.console.result([("plain", layout(value) + "\n")])

    # ── endings ──────────────────────────────────────────────────────────────

    def take_failure(self, event, may_raise):
        """Show a failure and set the status; return whether the run continues."""
        failure = event.failure
        unwritten = isinstance(failure.error, OSError) and self.why_unwritten(failure)
        if unwritten:  # not a failure of the code
            raise Unwritten(unwritten)
        if isinstance(failure.error, KeyboardInterrupt):
            return self.report_stop(failure)
        self.show_failure(failure, may_raise)
        if may_raise:
            return True
        self.status = self.status or (status.NOT_IN_TENSH if is_missing(failure.error) else status.FAILED)
        if not self.options.keep_going:
            self.ended_by = failure
        return self.options.keep_going

    def report_stop(self, failure):
        """Show where ^C or the time limit stopped the code; the run ends."""
        self.ended_by = failure
        if isinstance(failure.error, TimeLimit):
            self.status = status.OUT_OF_TIME
            self.show_stop(failure, _("stopped after {timeout:g} s").format(timeout=self.options.timeout))
        else:
            self.status = status.INTERRUPTED
            self.show_stop(failure, _("interrupted"))
        return False

    def exit_status(self, code):
        """Return the status that `sys.exit(code)` asks for."""
        if code is None or isinstance(code, int):  # as the operating system truncates it
            return int(code or 0) & 0xFF if -(2**63) <= int(code or 0) < 2**63 else 255
        self.console.remark([("plain", f"{shorten_middle(safe_str(code))}\n")])
        return status.FAILED


def is_missing(error):
    """Return True if an error tells that tensh lacks a name of PyTorch."""
    return isinstance(error, NotImplementedError) and "not in tensh" in str(error)
