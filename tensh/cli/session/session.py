"""A session: a namespace, and code that runs in it one unit after another. Knows Python and tensh, not terminals."""

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

from tensh.cli.session import magics
from tensh.cli.session.events import RESULTS, Failed, Finished, Started, Value
from tensh.cli.session.failure import Place, explain, users_frames
from tensh.cli.session.source import Command, future
from tensh.show.describe import is_array, nbytes

MODULES = {"torch": "{}", "nn": "{}.nn", "F": "{}.nn.functional", "np": "numpy", "math": "math"}  # {} is the engine
KEPT = 256 * 2**20  # bytes that the results keep alive at most

# Of many lines that are entered at once, only the last can be taken back one by one: to note all names before each of
# 20,000 lines takes minutes.
TAKEN_BACK_ALONE = 64


class Session:
    """Runs sources in one namespace. `engine` is the name of the module that `torch` means: tensh, or torch itself."""

    def __init__(self, engine="tensh"):
        self.engine = engine
        self.module = ModuleType("__main__")
        self.namespace = self.module.__dict__
        self.given = {}  # names that were there before the user made any
        self.sources = {}
        self.closing = contextlib.ExitStack()  # what ends with the session
        self.stepper = None  # what goes through the steps of a view, where there is a terminal for it
        self.notes_places = False
        self.flags = 0  # of the `from __future__` imports so far
        self.results = []  # the values shown last, newest first
        self.printed = []  # the value that `print` showed last since the statement began, if any
        self.settings = None  # what the user has chosen, where there is a user
        self.journal = None  # what was done, where somebody may want to look back
        self.inside = None  # the frame of a function whose names are the namespace, where one is looked at
        self.teacher = None  # who says what a learner should know, where somebody reads it
        self.editor = None  # a function that lets the user change a text, where there is a user

    def choose(self, settings):
        """Take the settings of the user; those of printing go to the engine."""
        self.settings = settings
        options = settings.print_options()
        if options:
            importlib.import_module(self.engine).set_printoptions(**options)

    # -- names ---------------------------------------------------------------------------------------

    def give(self, **names):
        """Define names that are not the user's own."""
        self.given |= names
        self.namespace |= names

    def preload(self):
        """Define torch, nn, F, np and math, where the user has not taken the name."""
        lacking = [name for name in MODULES if name not in self.namespace]
        found = {name: importlib.import_module(MODULES[name].format(self.engine)) for name in lacking}
        if self.engine == "tensh" and "torch" in found:  # what `import torch` gives
            from tensh.alias.finder import load_torch

            found["torch"] = load_torch()
        self.give(**found)

    def own_names(self):
        """The names that the user made."""
        return {
            name: value
            for name, value in self.namespace.items()
            if type(name) is str and not name.startswith("_") and self.given.get(name, self) is not value
        }

    def builtin(self, name):
        return vars(builtins)[name]

    def enter(self, error):
        """From now on the names are those in the user's frame that an error came out of; the Inside of it, if it is one."""
        from tensh.cli.session.inside import Inside

        frames = users_frames(error, self.sources)
        found = Inside(frames, self.namespace) if frames else None
        if found is None or not found.is_elsewhere:
            return None
        self.inside, self.namespace = found, found.names
        return found

    def seed(self, number):
        """Start every generator of random numbers at a number: the engine's, Python's and NumPy's."""
        import random

        import numpy

        importlib.import_module(self.engine).manual_seed(number)
        random.seed(number)
        numpy.random.seed(number % 2**32)

    # -- running -------------------------------------------------------------------------------------

    def run(self, source, keep_going=False):
        """Run a source: yields what happens. Stops at the first failure, unless it is to keep going.

        SystemExit passes through; any other exception of the user's code becomes a Failed.
        """
        self.sources[source.filename] = source
        lines = [line + "\n" for line in source.lines]
        linecache.cache[source.filename] = len(source.text), None, lines, source.filename
        if source.echo == "each" and "print" not in self.namespace:
            self.give(print=remembering(self))
        try:
            units = source.units(self.flags)
        except (SyntaxError, ValueError, RecursionError) as error:
            yield Failed(explain(error, self.sources), None)
            return
        commands = [unit for unit in units if isinstance(unit, Command)]
        if self.journal is None and any(map(magics.needs_journal, commands)):
            self.remember(undoing=any(map(magics.needs_snapshots, commands)))
        if any(map(magics.needs_places, commands)):
            self.note_places()
        for number, unit in enumerate(units):
            yield Started(unit)
            if self.teacher:
                self.teacher.look()
            begin = perf_counter()
            failed, is_away = None, False
            if self.journal:
                self.journal.begin(self, unit, number == 0 or len(units) - number <= TAKEN_BACK_ALONE)
            try:
                for event in self.perform(unit):
                    if self.journal and isinstance(event, Value) and event.unit.source is source:
                        self.journal.shown(event.value, event.unit)
                    is_away = True
                    yield event
                    is_away = False
            except SystemExit:
                raise
            except BaseException as error:
                if is_away and isinstance(error, GeneratorExit):  # nobody asks for more: no exception of the code
                    raise
                failed = self.failed(error, unit)
                yield failed
            seconds = perf_counter() - begin
            if self.journal:
                self.journal.end(failed is not None)
            yield Finished(unit, seconds)
            if failed and not keep_going:
                return

    def remember(self, undoing=True):
        """From now on write down what is done: for %history, %export and %save; `undoing`, what it changed for %undo."""
        from tensh.cli.session.journal import Journal

        self.journal = Journal(undoing)

    @contextlib.contextmanager
    def unremembered(self):
        """What is done within is not written down."""
        journal, self.journal = self.journal, None
        try:
            yield
        finally:
            self.journal = journal

    def note_places(self):
        """From now on every recorded operation knows its place in the code: for %graph, %why and the like."""
        from tensh.graph import provenance

        if not self.notes_places:
            self.notes_places = True
            self.closing.enter_context(provenance.recording())

    def close(self):
        """End what was begun for the commands."""
        self.notes_places = False
        if self.teacher:
            self.teacher.close()
        self.closing.close()

    def perform(self, unit):
        """Run one unit: yields its values."""
        if isinstance(unit, Command):
            yield from magics.perform(self, unit)
            return
        yield from self.shown(unit, self.evaluate(unit))

    def evaluate(self, statement):
        """Run a statement; its value is that of the expression it is, or None."""
        self.printed.clear()
        if self.inside:  # before, too: a command may have changed names
            self.inside.settle()
        try:
            value = eval(statement.code, self.namespace)
        finally:
            if self.inside:
                self.inside.settle()
        self.flags |= future(statement.code)
        if statement.shown and type(value) is Quitter:  # a bare `exit`
            raise SystemExit(0)
        return value

    def shown(self, statement, value):
        """Yield the value of a statement if it is a result: not None, and not what it has printed already."""
        if statement.shown and value is not None and not (self.printed and value is self.printed[0]):
            self.keep(value)
            yield Value(value, statement)

    def keep(self, value):
        """Make a value that is shown `_`, and those before it `__` and `___`, unless the names are the user's."""
        ours = dict(zip(RESULTS, self.results, strict=False))
        if any(name in self.namespace and self.namespace[name] is not ours.get(name, self) for name in RESULTS):
            return
        self.results = _within([value, *self.results[: len(RESULTS) - 1]])
        for name in RESULTS:
            self.namespace.pop(name, None)
        self.namespace |= zip(RESULTS, self.results, strict=False)

    def failed(self, error, unit):
        """The event for an exception of a unit."""
        failure = explain(error, self.sources)
        if unit and not failure.places:  # a command, which has no frame of its own
            line = unit.source.lines[unit.first - 1]
            place = Place(unit.source, None, unit.first, 0, unit.first, len(line))
            failure = failure._replace(places=[place])
        return Failed(failure, unit)

    def units_within(self, command):
        """The argument of a command as statements, at the place where they stand in the source."""
        line = command.source.lines[command.first - 1]
        column = len(line.encode()) - len(line[line.index(command.argument, 1) :].encode())
        nodes = ast.parse(command.argument, command.source.filename).body
        for node in (each for top in nodes for each in ast.walk(top) if hasattr(each, "lineno")):
            node.lineno = node.end_lineno = command.first
            node.col_offset += column
            node.end_col_offset += column
        return [command.source.compiled(node, self.flags) for node in nodes]


def remembering(session):
    """Python's print, which keeps what it showed last: an expression that prints its value is not shown again."""

    @functools.wraps(builtins.print)
    def print(*values, **options):
        builtins.print(*values, **options)
        session.printed[:] = values if len(values) == 1 and not options else ()
        if session.journal and "file" not in options:
            text = io.StringIO()
            builtins.print(*values, **options, file=text)
            session.journal.printed(text.getvalue())

    return print


def _within(results):
    """The results that fit into the memory they may keep alive."""
    kept, total = [], 0
    for value in results:
        total += nbytes(value) if is_array(value) else 0
        if total > KEPT:
            break
        kept.append(value)
    return kept
