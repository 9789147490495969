"""A session: a namespace, and code that runs in it one unit after another. Independent of terminals."""

import ast
import builtins
import contextlib
import functools
import importlib
import io
import linecache
from _sitebuiltins import Quitter
from time import perf_counter
from types import ModuleType

from tensh.cli.session.awaiting import ALLOWED, COROUTINE, Loop
from tensh.cli.session.events import Exhausted, Failed, Finished, Started, Value
from tensh.cli.session.failures.failure import Place, explain
from tensh.cli.session.results import Inputs, name_results
from tensh.cli.session.sources.mentions import mentions_history, mentions_views
from tensh.cli.session.sources.source import Command, future
from tensh.show.reading.asking import sessions
from tensh.support.temporary import temporarily

MODULES = {  # {} is replaced by the engine
    "torch": "{}", "nn": "{}.nn", "F": "{}.nn.functional", "np": "numpy", "math": "math", "tensh": "tensh",
}  # fmt: skip

# When many lines are entered at once, only the last of them can be undone one by one: a snapshot of all names before
# each of 20,000 lines would take minutes.
TAKEN_BACK_ALONE = 64


class Session:
    """Runs sources in one namespace. `engine` is the module that `torch` refers to: tensh, or torch itself."""

    def __init__(self, engine="tensh"):
        self.engine = engine
        self.module = ModuleType("__main__")
        self.namespace = self.module.__dict__
        self.given = {}  # predefined names
        self.sources = {}
        self.closing = contextlib.ExitStack()  # contexts that end with the session
        self.stepper = None  # pages through the steps of a view, on a terminal
        self.notes_places = False
        self.flags = ALLOWED  # compiler flags: top-level await, and `from __future__` imports so far
        self.loop = Loop()  # runs coroutines
        self.results = []  # the values shown last, newest first
        self.cut_view = None  # the view that a window has cut, if nothing was shown after it
        self.printed = []  # the value that `print` showed last in this statement, if any
        self.settings = None  # the user's settings, on a terminal
        self.journal = None  # the Journal, if it may be needed
        self.inside = None  # the Inside of the function whose names are the namespace, if any
        self.debugging = None  # the FailureFrames of %debug
        self.last_error = None  # the user code's last exception
        self.read_program = None  # (path, arguments) -> the file as a program
        self.run_in_shell = None  # runs a shell command; returns its exit status
        self.teacher = None  # writes notes for learners, if enabled
        # with --strict: returns the error of a statement that drew unseeded random numbers, else None
        self.find_unseeded_draw = lambda: None
        self.ask = None  # question -> answer; default: Python's input
        self.predicted = 0, 0  # answers to %predict right at once, questions
        self.other_commands = None  # runs commands of the surrounding shell (IPython)
        self.keys = None  # (key, description) for the keys of the prompt
        self.editor = None  # text -> text as edited by the user
        sessions.add(self)

    def choose(self, settings):
        """Adopt the user's settings; pass printing options on to the engine."""
        self.settings = settings
        options = settings.print_options()
        if options:
            importlib.import_module(self.engine).set_printoptions(**options)

    # ── names ────────────────────────────────────────────────────────────────

    def give(self, **names):
        """Predefine names, which do not count as the user's."""
        self.given |= names
        self.namespace |= names

    def preload(self):
        """Predefine torch, nn, F, np, math and tensh, unless a name is taken."""
        lacking = [name for name in MODULES if name not in self.namespace]
        found = {name: importlib.import_module(MODULES[name].format(self.engine)) for name in lacking}
        if self.engine == "tensh" and "torch" in found:  # the same object as for `import torch`
            from tensh.alias.finder import load_torch

            found["torch"] = load_torch()
        self.give(**found)

    def own_names(self):
        """Return the names that the user made."""
        return {
            name: value
            for name, value in self.namespace.items()
            if type(name) is str and not name.startswith("_") and self.given.get(name, self) is not value
            if not (name in MODULES and issubclass(type(value), ModuleType))  # an import in a shared program
        }

    def texts(self):
        """Return the code that has run, by file name."""
        return {name: source.text for name, source in self.sources.items()}

    def builtin(self, name):
        return vars(builtins)[name]

    def enter(self, error):
        """Switch the namespace to the user's innermost frame of an error; return its Inside, if any."""
        from tensh.cli.session.failures.debugging import FailureFrames

        debugging = FailureFrames(self, error)
        if not debugging.steps:
            return None
        debugging.go(len(debugging.steps) - 1)
        self.debugging = debugging if self.inside or debugging.at else None
        return self.inside

    def seed(self, number):
        """Seed the random number generators of the engine, Python and NumPy."""
        import random

        import numpy

        importlib.import_module(self.engine).manual_seed(number)
        random.seed(number)
        numpy.random.seed(number % 2**32)

    # ── running ──────────────────────────────────────────────────────────────

    def run(self, source, keep_going=False):
        """Run a source, yielding events. Stop at the first failure unless ``keep_going``.

        SystemExit passes through; any other exception of user code becomes a Failed event.
        """
        self.sources[source.filename] = source
        lines = [line + "\n" for line in source.lines]
        linecache.cache[source.filename] = len(source.text), None, lines, source.filename
        if source.echo == "each" and "print" not in self.namespace:
            self.give(print=make_print(self))
        try:
            units = source.units(self.flags)
        except (SyntaxError, ValueError, RecursionError) as error:
            yield Failed(explain(error, self.sources), None)
            source.has_failed = True
            return
        self.expect([unit for unit in units if isinstance(unit, Command)])
        for number, unit in enumerate(units):
            yield Started(unit)
            failed = yield from self.run_unit(unit, source, number == 0 or len(units) - number <= TAKEN_BACK_ALONE)
            if failed and not keep_going:
                return

    def run_unit(self, unit, source, is_noted):
        """Run a unit, watched by the teacher and the journal, yielding events; return its failure, or None."""
        if self.teacher:
            self.teacher.look()
        begin = perf_counter()
        if self.journal:
            self.journal.begin(self, unit, is_noted)
        failed = yield from self.perform_safely(unit, source)
        if error := self.find_unseeded_draw():
            failed = self.make_failure(error, unit)
            yield failed
        seconds = perf_counter() - begin
        if self.teacher and failed is None:
            self.teacher.look_back(unit)
        if self.journal:
            self.journal.end(failed and failed.failure.error)
        source.has_failed |= failed is not None
        yield Finished(unit, seconds)
        return failed

    def perform_safely(self, unit, source):
        """Perform a unit, yielding events; yield and return a Failed event for an exception."""
        is_away = False
        try:
            for event in self.perform(unit):
                if self.journal and isinstance(event, Value) and event.unit.source is source:
                    self.journal.note_value(event.value, event.unit)
                is_away = True
                yield event
                is_away = False
        except SystemExit:
            raise
        except BaseException as error:
            if is_away and isinstance(error, GeneratorExit):  # the consumer closed the generator
                raise
            failed = self.make_failure(error.error if type(error) is Exhausted else error, unit)
            yield failed
            return failed
        return None

    def expect(self, commands):
        """Start recording what commands will need."""
        if not commands:
            return
        from tensh.cli.session import magics  # a tenth of a start, for programs with commands only

        if self.journal is None and any(map(magics.needs_journal, commands)):
            self.remember(undoing=any(map(magics.needs_snapshots, commands)))
        if any(map(magics.needs_places, commands)):
            self.note_places()

    def look_ahead(self, sources):
        """Start recording what sources about to run will need: a later command may ask about an earlier line."""
        self.expect([command for source in sources for command in source.command_lines])
        if self.journal is None and any(mentions_history(source.text) for source in sources):
            self.remember(undoing=False)
        if any(map(mentions_views, (source.text for source in sources))):
            self.note_places()

    def remember(self, undoing=True):
        """Start the journal for %history, %export, %save and `Out`; with `undoing`, also take snapshots for %undo."""
        from tensh.cli.session.journal import Journal

        self.journal = Journal(undoing)
        own = {"In": Inputs(self.journal), "Out": self.journal.outputs}
        self.give(**{name: value for name, value in own.items() if name not in self.namespace})

    def forget(self):
        """Return a context whose statements are not recorded in the journal."""
        return temporarily(self, journal=None)

    def note_places(self):
        """Start recording the code locations of operations, for %graph, %why and others."""
        from tensh.graph import provenance

        if not self.notes_places:
            self.notes_places = True
            self.closing.enter_context(provenance.record_places())

    def close(self):
        """Release everything that was started for the commands."""
        self.notes_places = False
        sessions.discard(self)
        if self.teacher:
            self.teacher.close()
        self.loop.close()
        self.closing.close()

    def perform(self, unit):
        """Run one unit, yielding its values."""
        if isinstance(unit, Command):
            from tensh.cli.session import magics

            yield from magics.perform(self, unit)
            return
        yield from self.show_result(unit, self.evaluate(unit))

    def evaluate(self, statement, run=eval):
        """Run a statement; return the value if it is an expression, else None.

        `run` takes its code and the namespace.
        """
        self.printed.clear()
        if self.inside:  # before, too: a command may have changed names
            self.inside.settle()
        try:
            value = run(statement.code, self.namespace)
            if statement.code.co_flags & COROUTINE:
                value = self.loop.run(value)
        except StopIteration as error:
            raise Exhausted(error) from None
        finally:
            if self.inside:
                self.inside.settle()
        self.flags |= future(statement.code)
        if statement.shown and type(value) is Quitter:  # a bare `exit`
            raise SystemExit(0)
        return value

    def show_result(self, statement, value):
        """Yield the value of a statement if it is a result: neither None nor printed already."""
        if statement.shown and value is not None and not (self.printed and value is self.printed[0]):
            self.keep(value)
            yield Value(value, statement)

    def keep(self, value):
        """Store a shown value as `_` and in `Out`."""
        self.results = name_results(self.namespace, self.results, value)
        if self.journal and value is not self.journal.outputs:
            self.journal.outputs.put(self.journal.number, value)

    def make_failure(self, error, unit):
        """Return the Failed event for an exception of a unit."""
        failure = explain(error, self.sources)
        is_slip = issubclass(type(error), SyntaxError) or self.debugging and len(failure.places) == 1
        # a mistake typed while inspecting a frame does not replace it
        if self.journal and failure.places and not is_slip:
            self.last_error = error
        if unit and not failure.places:  # a command, which has no frame
            line = unit.source.lines[unit.first - 1]
            place = Place(unit.source, None, unit.first, 0, unit.first, len(line))
            failure = failure._replace(places=[place])
        return Failed(failure, unit)

    def units_within(self, command):
        """Compile the argument of a command, with locations in the source."""
        line = command.source.lines[command.first - 1]
        column = len(line.encode()) - len(line[line.index(command.argument, 1) :].encode())
        nodes = command.parse().body
        for node in (each for top in nodes for each in ast.walk(top) if hasattr(each, "lineno")):
            node.lineno = node.end_lineno = command.first
            node.col_offset += column
            node.end_col_offset += column
        return [command.source.compile_statement(node, self.flags) for node in nodes]


def make_print(session):
    """Return a `print` that remembers the last value shown, so that an expression does not show it again."""

    @functools.wraps(builtins.print)
    def print(*values, **options):
        builtins.print(*values, **options)
        session.printed[:] = values if len(values) == 1 and not options else ()
        if session.journal and "file" not in options:
            text = io.StringIO()
            builtins.print(*values, **options, file=text)
            session.journal.note_printed(text.getvalue())

    return print
