"""The prompt: read a block, run it, show the results, repeat.

The prompt is painted before the engine is imported, which another thread does while the user types.
"""

import contextlib
import os
import threading
from time import perf_counter

from tensh.cli.files import reading
from tensh.cli.files.editing import edit_text
from tensh.cli.process import status
from tensh.cli.process.environment import Unwritten
from tensh.cli.process.faults import describe_fault, describe_missing
from tensh.cli.process.folders import folder
from tensh.cli.programs.options import UsageError
from tensh.cli.programs.program import NOTHING
from tensh.cli.programs.run import Run
from tensh.cli.render import timing
from tensh.cli.repl.history import History
from tensh.cli.repl.interrupt import Interrupts
from tensh.cli.repl.lines import follow_outputs
from tensh.cli.repl.toolbar import Toolbar, fit
from tensh.cli.session.events import Failed
from tensh.cli.session.failures.failure import remember
from tensh.cli.session.sources.source import Source, drop_indent
from tensh.support.language import _

ALIASES = {"help": "%help"}  # words that work without parentheses, like `exit` and `quit`


def start(env, options, program=NOTHING, begin=None):
    """Run a program, if there is one, then read from the terminal to the end of input; return the exit status.

    `begin` is called just before the terminal is read.
    """
    env = follow_outputs(env)

    def read(run):
        prompt = Prompt(run)
        if run.ended_by:
            prompt.enter_frame(run.ended_by)
        if begin:
            begin()
        return prompt.run_all()

    with env.install():
        run = Run(env, options, program)
        run.session.remember()
        return run.run_all(then=read)


class TypedSource(Source):
    """A typed block, whose location the user need not be told."""

    def place(self, line):
        return ""


class Prompt:
    """The loop, on top of a run that continues."""

    def __init__(self, run):
        self.run = run
        self.env = run.env
        run.configure()
        if run.session.teacher:
            run.session.teacher.is_eager = True
        run.session.editor = self.edit
        run.session.stepper = self.go_through if self.env.can_redraw else None
        self.settings = None  # the settings applied last
        self.history = History()
        self.toolbar = Toolbar(run.session, run.console.has_unicode())
        self.interrupts = Interrupts(lambda text: run.console.remark([("note", text)]))
        self.loading = BackgroundTask(self.prepare)
        self.typed = 0  # blocks typed so far
        run.hint = ""
        self.reader = self.make_reader()
        run.session.keys = self.reader.keys

    def edit(self, text):
        """Return a text as edited in the user's editor, which Up recalls afterwards; None if the editor failed."""
        edited = edit_text(self.env, text)
        if edited and edited.strip():
            self.reader.remember(edited.strip("\n"))
        return edited

    def go_through(self, view):
        """Let the user page through the steps of a view."""
        from tensh.cli.repl.stepper import go_through

        go_through(self.run.console.theme(), view)

    def make_reader(self):
        """Make the reader of blocks: an editor, or plain lines if the terminal cannot move its cursor."""
        if self.env.can_redraw:
            from tensh.cli.repl.editor import Editor

            return Editor(self)
        from tensh.cli.repl.plain import PlainReader

        return PlainReader(self.env, self.history, self.interrupts, self.names)

    def names(self):
        """Return the names to complete, once the engine is imported."""
        self.loading.wait()
        return self.run.session.namespace

    def history_path(self):
        """Return the path of the history file; None if history is off."""
        chosen = self.settings.history
        if chosen == "off":
            return None
        if chosen == "on":
            return os.path.join(folder("state", self.env.variables), "history")
        return os.path.expanduser(chosen)

    # ── the session ──────────────────────────────────────────────────────────

    def run_all(self):
        """Read and run blocks until the end; return the exit status."""
        self.greet()
        found = None
        with self.interrupts.catch_interrupts():
            self.run_startup()
            while found is None:
                try:
                    self.take_settings()
                    self.say(self.history.take_messages())
                    self.interrupts.forget()
                    found = self.enter(self.read())
                except KeyboardInterrupt:
                    continue
                except EOFError:
                    found = status.OK
        self.say(self.history.take_messages())
        return found

    def read(self):
        """Read a block; raise Unwritten or EOFError if the program has closed the streams."""
        try:
            return self.reader.read()
        except OSError as error:
            raise Unwritten(self.env.why_unwritten(error) or error) from None
        except ValueError:
            if not self.env.stdin.closed:
                raise
            raise EOFError from None

    def run_startup(self):
        """Run the user's start-up file; report a failing line and continue with the next."""
        from tensh.cli.settings import config

        settings = self.run.session.settings
        path = settings and config.startup_path(settings, self.env.variables)
        if not path or not os.path.exists(path) and settings.startup == "on":
            return
        try:
            with self.interrupts:
                self.loading.wait()
                for event in self.run.session.run(Source(reading.code(path), path), keep_going=True):
                    self.run.show(event, may_raise=True)
        except UsageError as error:
            self.say([str(error)])
        except (SystemExit, KeyboardInterrupt):
            self.say([_("{path}: it did not run to its end").format(path=path)])
        self.run.times.clear()

    def take_settings(self):
        """Apply the settings, which `%set` may have changed."""
        settings = self.run.session.settings
        if settings is not self.settings:
            self.settings = settings
            self.history.keep_at(self.history_path())
            self.toolbar.unicode = self.run.console.has_unicode()
            self.reader.take_settings(settings)

    def greet(self):
        """Show the version, and the keys for help and exit, in one line."""
        from tensh import VERSION

        if self.run.options.quiet:
            return
        facts = [
            f"tensh {VERSION}",
            _("help: {help_key}, or name?").format(help_key=self.reader.help_key),
            _("exit: Ctrl-D"),
        ]
        self.say([fit(facts, self.env.width(self.env.stderr), self.toolbar.unicode)])

    def enter_frame(self, failure):
        """Enter the frame where the program failed: make its names those of the prompt."""
        remember(failure.error)
        found = self.run.session.enter(failure.error)
        if found:
            place = failure.places[0].source.place(failure.places[0].line)
            where = (
                _("in the frame of {function}, {place}").format(function=found.function, place=place)
                if found.function
                else _("in {place}").format(place=place)
            )
            self.run.mention(_("{where}; the names of the file are available, too\n").format(where=where))

    def say(self, lines):
        """Write lines that are not results."""
        for line in lines:
            self.run.remark([("note", line + "\n")])

    # ── a block ──────────────────────────────────────────────────────────────

    def enter(self, text):
        """Run a block and show its events; return the exit status if the block ends the session."""
        word = text.strip()
        if word == "clear" and word not in self.run.session.namespace:
            self.reader.clear()
            return None
        if word in ALIASES and word not in self.run.session.namespace:
            text = ALIASES[word]
        begin = perf_counter()
        try:
            with self.interrupts:
                self.loading.wait()
                begin = perf_counter()
                self.perform(text)
        except SystemExit as error:
            return self.run.exit_status(error.code)
        except KeyboardInterrupt as error:  # between two statements, or while a value was shown
            self.run.take_failure(self.run.session.make_failure(error, None), may_raise=True)
        except Unwritten:
            raise
        except Exception as error:
            self.excuse(error)
        finally:
            with self.env.writing():
                self.env.stdout.end_line()
        with contextlib.suppress(Exception):  # user classes may behave arbitrarily
            self.toolbar.count(perf_counter() - begin)
        return None

    def excuse(self, error):
        """Report a bug of tensh and go on: the user's names are worth more than a clean end."""
        from tensh.cli.process.shadows import describe_shadow  # a millisecond of every start

        fault = describe_shadow(error) or describe_missing(error) or describe_fault(error)
        self.say([_("{fault}; your names are kept").format(fault=fault)])

    def perform(self, text):
        """Run a text in the session."""
        self.typed += 1
        source = TypedSource(drop_indent(text), f"<input {self.typed}>")
        for event in self.run.session.run(source):
            if isinstance(event, Failed):
                remember(event.failure.error)
            self.run.show(event, may_raise=True)
        if self.run.options.timed:
            self.run.console.remark(timing.table(self.run.times))
        self.run.times.clear()

    def run_command_above(self, text):
        """Run a command for a key, with its output above the line being typed."""
        try:
            with self.interrupts, self.run.session.forget():
                self.loading.wait()
                self.perform(text)
        except KeyboardInterrupt:
            pass
        except Exception as error:
            self.excuse(error)
        self.env.stdout.end_line()

    # ── beside it ────────────────────────────────────────────────────────────

    def prepare(self):
        """Prepare for the first block, in the background."""
        self.run.prepare()
        self.run.session.preload()
        if self.run.session.engine == "tensh":
            self.run.session.note_places()  # 0.7 us an operation; captions quote the code that made a tensor
        self.toolbar.count(None)


class BackgroundTask:
    """Work that runs once in another thread; its result is waited for."""

    def __init__(self, work):
        self.work = work
        self.thread = None
        self.is_done = threading.Event()
        self.error = None

    def begin(self, then=None):
        """Start the work, unless it was started, and do `then` afterwards without anybody waiting."""
        if self.thread is None:
            self.thread = threading.Thread(target=self.do, args=(then,), name="tensh-loading")
            self.thread.start()
        elif then:  # the work was started by a start-up file
            threading.Thread(target=self.follow, args=(then,), name="tensh-loading").start()

    def follow(self, then):
        self.is_done.wait()
        then()

    def do(self, then):
        try:
            self.work()
        except BaseException as error:
            self.error = error
        self.is_done.set()
        if then:
            with contextlib.suppress(RuntimeError):  # at interpreter shutdown no thread can start
                then()

    def wait(self):
        """Wait until the work is done; raise its exception."""
        self.begin()
        self.is_done.wait()
        if self.error is not None:
            raise self.error
