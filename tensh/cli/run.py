"""Running code and showing what happens: `tensh run`, `tensh -c`, `tensh -`. Each returns an exit status."""

import contextlib
import importlib.util
import os
import sys
import warnings

from tensh.cli import lazy
from tensh.cli.options import UsageError
from tensh.cli.render import failure as failures
from tensh.cli.render import timing, values
from tensh.cli.render.console import Console
from tensh.cli.render.layout import layout
from tensh.cli.render.transcript import Transcript
from tensh.cli.session import events, imports, notebook, parameters
from tensh.cli.session.failure import Place, source_of
from tensh.cli.session.notebook import Cell
from tensh.cli.session.session import Session
from tensh.cli.session.source import Source, without_indent

OK, FAILED, NOT_IN_TENSH, OUT_OF_TIME, INTERRUPTED = 0, 1, 4, 124, 130
NOTICE = "torch -> tensh engine (NumPy). Real PyTorch: --engine torch\n"


class TimeLimit(KeyboardInterrupt):
    """The time that was given is over."""


def say(env, text):
    """Write a line."""
    Console(env).result([("plain", text + "\n")])
    return OK


def run_code(env, codes, options):
    """Run the texts of `-c` in one session."""
    several = len(codes) > 1
    names = [f"-c[{number}]" if several else "-c" for number in range(1, len(codes) + 1)]
    cells = [Cell(Source(without_indent(code), f"<{name}>", name)) for name, code in zip(names, codes, strict=True)]
    return Run(env, options).script(cells, ["-c"], "")


def run_input(env, options, arguments=()):
    """Run what stands on standard input."""
    cell = Cell(Source(env.stdin.read(), "<stdin>", "stdin"))
    return Run(env, options).script([cell], ["-", *arguments], "")


def run_file(env, path, options, arguments=()):
    """Run a .tsh script, a .py file or a notebook."""
    filename = os.path.abspath(path)
    run = Run(env, options)
    run.session.give(__file__=filename)
    folder = os.path.dirname(os.path.realpath(path))
    extension = os.path.splitext(path)[1]
    text = read(path)
    if extension == ".ipynb":
        try:
            cells = notebook.cells(text, filename, path)
        except ValueError as error:
            raise UsageError(f"{path}: {error}") from None
        run.session.give(display=run.display)
        return run.script(cells, [path, *arguments], folder, preload=False)
    if extension == ".py":
        source = Source(text, filename, path, echo=None, commands=False)
        return run.script([Cell(source)], [path, *arguments], folder, preload=False)
    if extension in (".tsh", ""):
        return run.script([Cell(Source(text, filename, path))], [path, *arguments], folder)
    raise UsageError(f"{path}: tensh runs .tsh, .py and .ipynb files")


def read(path):
    """The text of a file of code."""
    try:
        with open(path, "rb") as file:
            return importlib.util.decode_source(file.read())
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file{similar(path)}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, SyntaxError) as error:
        raise UsageError(f"{path}: this is not text ({error})") from None


def similar(path):
    """A file that may have been meant."""
    import difflib

    with contextlib.suppress(OSError):
        close = difflib.get_close_matches(os.path.basename(path), os.listdir(os.path.dirname(path) or "."), 1)
        if close:
            return f"; did you mean {os.path.join(os.path.dirname(path), close[0])}?"
    return ""


class Run:
    """One run: a session, and how what happens in it is shown and counted."""

    def __init__(self, env, options):
        self.env = env
        self.options = options
        self.console = Console(env)
        self.session = Session(options.engine or "tensh")
        self.transcript = Transcript()
        self.status = OK
        self.times = []
        self.as_notebook = False

    # -- the whole --------------------------------------------------------------------------------------

    def script(self, cells, arguments, folder, preload=True):
        """Run cells one after another as the program of this process."""
        self.set_echo(cells)
        with self.world(arguments, folder):
            self.prepare(cells, preload)
            try:
                with time_limit(self.options.timeout):
                    for cell in cells:
                        if not self.cell(cell):
                            break
            except SystemExit as error:
                self.status = self.exit_status(error.code) or self.status
            except KeyboardInterrupt as error:  # between two statements, or while a value was shown
                self.failed(self.session.failed(error, None), may_raise=False)
            if self.options.timed:
                self.console.remark(timing.table(self.times))
        return self.status

    def set_echo(self, cells):
        """What `--echo` asks for, where it asks for something else than is usual."""
        for cell in cells:
            if self.options.echo == "none":
                cell.source.echo = None
            elif self.options.echo and cell.source.echo is None:
                cell.source.echo = "each"

    @contextlib.contextmanager
    def world(self, arguments, folder):
        """The user's code finds itself as `__main__`, with its arguments and the modules beside it."""
        before = sys.argv, sys.path[:], sys.modules["__main__"]
        sys.argv, sys.path[:0] = arguments, [folder]
        sys.modules["__main__"] = self.session.module
        try:
            with warnings.catch_warnings(), self.torch():
                warnings.showwarning = self.warned
                yield
        finally:
            sys.argv, sys.path[:], sys.modules["__main__"] = before

    def torch(self):
        """A context in which `import torch` gives the engine."""
        if self.session.engine == "tensh":
            return imports.torch_is_tensh(self.notice)
        if importlib.util.find_spec("torch") is None:
            raise UsageError("--engine torch: PyTorch is not installed here")
        return contextlib.nullcontext()

    def warned(self, message, category, filename, line, file=None, text=None):
        """Show a warning: Python calls this."""
        place = Place(source_of(filename, self.session.sources), None, line)
        self.console.remark(failures.warned(place, category.__name__, message))

    def notice(self):
        """Say once whose torch it is, to somebody who may be looking."""
        if self.env.is_terminal(self.env.stderr):
            self.console.remark([("note", NOTICE)])

    def prepare(self, cells, preload):
        """All that comes before the first statement."""
        try:
            parameters.apply(self.options.settings or (), [cell.source for cell in cells])
        except parameters.SettingError as error:
            raise UsageError(str(error)) from None
        if preload and not self.options.bare:
            self.session.preload()
        if self.options.seed is not None:
            self.session.seed(self.options.seed)
        lazy.loaded()

    # -- a cell -----------------------------------------------------------------------------------------

    def cell(self, cell):
        """Run a cell; whether the next one is to follow."""
        if cell.lacking:
            self.console.remark([("note", f"{cell.source.label}: passed over, it needs {cell.lacking}\n")])
            return True
        for line in cell.passed_over:
            self.console.remark([("note", f"{cell.source.label}: passed over: {line}\n")])
        self.as_notebook = cell.source.echo == "last"
        whole_cells = isinstance(cell.source, notebook.CellSource)
        for event in self.session.run(cell.source, self.options.keep_going and not whole_cells):
            if not self.show(event, cell.may_raise):
                return False
        return True

    def show(self, event, may_raise):
        """Show what happened; whether the run goes on."""
        match event:
            case events.Started(unit):
                if self.options.echo == "all":
                    self.console.result(self.transcript.up_to(unit))
            case events.Value(value, unit):
                return self.show_value(value, unit, may_raise)
            case events.Text(tokens):
                self.console.result(tokens)
            case events.Notice(text):
                self.console.remark([("note", text + "\n")])
            case events.Failed():
                return self.failed(event, may_raise)
            case events.Finished(unit, seconds):
                self.times.append((unit, seconds))
        return True

    def show_value(self, value, unit, may_raise):
        try:
            tokens = values.tokens(value, self.as_notebook)
        except Exception as error:  # its repr is the user's code
            return self.failed(self.session.failed(error, unit), may_raise)
        self.console.result(tokens)
        return True

    def display(self, *shown):
        """IPython's `display`: show values as a notebook does."""
        for value in shown:
            self.console.result([("plain", layout(value) + "\n")])

    # -- endings ----------------------------------------------------------------------------------------

    def failed(self, event, may_raise):
        """Show a failure and remember its status; whether the run goes on."""
        failure = event.failure
        if isinstance(failure.error, BrokenPipeError) and self.env.is_broken():
            raise failure.error  # nobody reads on: not a failure of the code
        if isinstance(failure.error, KeyboardInterrupt):
            out_of_time = isinstance(failure.error, TimeLimit)
            self.status = OUT_OF_TIME if out_of_time else INTERRUPTED
            words = f"stopped after {self.options.timeout:g} s" if out_of_time else "interrupted"
            self.console.remark(failures.stopped(failure, words))
            return False
        view = failures.full if self.options.traceback == "full" else failures.short
        self.console.remark(view(failure))
        if may_raise:
            return True
        self.status = self.status or (NOT_IN_TENSH if is_missing(failure.error) else FAILED)
        return self.options.keep_going

    def exit_status(self, code):
        """The status that `sys.exit(code)` asks for."""
        if code is None or isinstance(code, int):
            return int(code or 0)
        self.console.remark([("plain", f"{code}\n")])
        return FAILED


def is_missing(error):
    """Whether an error says that PyTorch has a name which tensh lacks."""
    return isinstance(error, NotImplementedError) and "not in tensh" in str(error)


@contextlib.contextmanager
def time_limit(seconds):
    """Raise TimeLimit in the code that runs within, when the seconds are over."""
    if seconds is None:
        yield
        return
    import signal

    if not hasattr(signal, "setitimer"):
        raise UsageError("--timeout: this system has no timer for it")

    def over(number, frame):
        raise TimeLimit

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
