"""A run with IPython as front end: values are displayed, failures become IPython errors with tensh's messages."""

import contextlib
import linecache
import os
import sys
import warnings
from asyncio import CancelledError
from types import ModuleType

from tensh.cli.process.environment import Environment
from tensh.cli.process.unraised import reporting
from tensh.cli.programs.options import Options
from tensh.cli.programs.program import NOTHING
from tensh.cli.programs.run import Run
from tensh.cli.render import failure as failures
from tensh.cli.session import events
from tensh.cli.session.failures.failure import remember
from tensh.cli.session.session import MODULES, make_print
from tensh.cli.session.sources.source import Command, Source
from tensh.show.printed.html import value_html
from tensh.show.reading.reprs import safe_str
from tensh.support.escaping import visible_line
from tensh.support.language import _


class Notebook(Run):
    """A session that shares the names of an IPython shell."""

    def __init__(self, shell):
        self.shell = shell
        self.is_terminal = hasattr(shell, "mainloop") and not hasattr(shell, "kernel")
        color = "auto" if self.is_terminal else "always"  # notebooks understand terminal colours
        super().__init__(Environment(color=color, variables={"TERM": "xterm"}), Options(), NOTHING)
        if not self.is_terminal:
            # errors and stderr appear in boxes that are red themselves, light or dark
            self.console.remark_theme = "mono"
        session = self.session
        session.module, session.namespace = shell.user_module, shell.user_ns
        for name in events.RESULTS:  # the session keeps values: %full without a name shows the last one
            shell.user_ns.pop(name, None)
        session.given |= shell.user_ns_hidden
        session.other_commands = self.other_command
        session.flags = 0  # cells that await are executed by IPython, whose loop is running
        self.expression = ""  # the code of the value being shown
        self.last = None  # the failure of the running cell
        self.is_silent = False  # true while the output of the cell is not shown
        self.closing = contextlib.ExitStack()

    def ask(self, question):
        """Ask in a field below the cell; return "" if the front end has none."""
        try:
            return input(question)
        except (EOFError, OSError, RuntimeError):  # a kernel whose client does not support input
            return ""

    # ── beginning and end ────────────────────────────────────────────────────

    def begin(self):
        """Enter all contexts that last as long as the extension."""
        enter = self.closing.enter_context
        enter(warnings.catch_warnings())
        enter(reporting(self.take_unraisable))
        enter(self.torch())
        warnings.showwarning = self.take_warning
        self.configure()
        session, shell_names = self.session, self.shell.user_ns
        session.preload()
        session.given |= {name: shell_names[name] for name in MODULES if isinstance(shell_names[name], ModuleType)}
        session.remember()
        session.give(print=make_print(session))
        session.note_places()
        if session.teacher:
            session.teacher.is_eager = True
        self.is_prepared = True
        for event, function in self.hooks():
            self.shell.events.register(event, function)
        for kind in self.list_rich_kinds():
            self.shell.display_formatter.formatters["text/html"].for_type(kind, self.html)

    def hooks(self):
        """List IPython's events to follow: one before every cell, one before cells whose output is shown."""
        return ("pre_execute", self.prepare_execution), ("pre_run_cell", self.prepare_cell)

    def prepare_execution(self):
        self.is_silent = True

    def prepare_cell(self, info):
        self.is_silent = False

    def list_rich_kinds(self):
        """Return the classes whose values may have HTML besides text."""
        from tensh.engine.core.tensor import Tensor

        return Tensor, list, tuple, dict

    def end(self):
        """Restore the shell, but keep the names."""
        for kind in self.list_rich_kinds():
            self.shell.display_formatter.formatters["text/html"].pop(kind, None)
        for event, function in self.hooks():
            self.shell.events.unregister(event, function)
        for name in events.RESULTS:
            self.session.namespace.pop(name, None)
        self.session.close()
        if self.session.given.get("print") is self.session.namespace.get("print"):
            del self.session.namespace["print"]
        self.closing.close()

    def configure(self):
        """Apply the user's settings."""
        from tensh.cli.settings import config

        loaded = config.load(os.environ)
        self.session.choose(loaded.settings)
        for complaint in loaded.complaints:
            self.console.remark([("warning", f"{complaint}\n")])

    def notice(self):
        """Do nothing: loading the extension or choosing the kernel was explicit."""

    # ── cells ────────────────────────────────────────────────────────────────

    def run_cell(self, text):
        """Run a cell, and raise the exception of its code."""
        name = f"cell {self.shell.execution_count - 1}"
        filename, again = f"<{name}>", 1
        while filename in self.session.sources:  # a cell without a number, or a counter that was reset
            again += 1
            filename = f"<{name}, {again}>"
        history = self.shell.history_manager
        if history is not None and history.input_hist_parsed[-1].startswith("get_ipython().tensh"):
            history.input_hist_parsed[-1] = text.rstrip("\n")  # the history variable `In`
        self.last = None
        source = Source(text, filename, name, echo="last")
        with self.session.forget() if self.is_silent else contextlib.nullcontext():
            for event in self.session.run(source):
                self.show(event, may_raise=True)
        self.times.clear()
        if self.last is not None:
            raise self.last.error

    def run_in_shell(self, line):
        """Run a shell command through IPython, which shows its output below the cell."""
        self.shell.system(line)
        return self.shell.user_ns.get("_exit_code", 0)

    def other_command(self, command):
        """Run a magic of IPython, such as `%matplotlib inline`."""
        if command.name not in self.shell.magics_manager.magics["line"]:
            return None
        if command.argument in ("?", "??"):
            value = self.shell.run_line_magic("pinfo" + command.argument[1:].replace("?", "2"), f"%{command.name}")
        else:
            value = self.shell.run_line_magic(command.name, command.argument)
        return [] if value is None else [events.Value(value, command)]

    # ── what happens ─────────────────────────────────────────────────────────

    def show(self, event, may_raise):
        """Show an event; return whether the run continues."""
        match event:
            case events.Notice(text):
                self.console.result([("note", text + "\n")])
            case events.Failed(failure):
                self.last = failure
            case events.Value() if self.is_silent:
                pass
            case _:
                return super().show(event, may_raise)
        return True

    def show_value(self, value, unit, may_raise):
        """Display a value: the last value of a cell is its result, values of commands come before."""
        is_command = isinstance(unit, Command)
        self.expression = "" if is_command else unit.text
        try:
            if self.is_terminal:
                return super().show_value(value, unit, may_raise)
            display(value) if is_command else sys.displayhook(value)
        finally:
            self.expression = ""
        self.values_shown += 1
        return True

    def html(self, value):
        """Return a value as HTML if that shows more than its text."""
        settings = self.session.settings
        return value_html(value, self.expression, settings is None or settings.caption)

    def show_exception(self, error):
        """Show the failure of a cell, or of the repr of a value."""
        failure = self.last if self.last is not None and self.last.error is error else self.explain_exception(error)
        remember(error)
        if isinstance(error, KeyboardInterrupt | CancelledError):  # CancelledError is that of an `await`
            tokens = failures.render_stop(failure, _("interrupted"))
        else:
            tokens = failures.render_short(failure, self.values_shown - self.shown_of[1])
        lines = self.console.style_remark(tokens).rstrip("\n").split("\n")
        self.shell._showtraceback(type(error), error, lines)

    def show_exit(self, error):
        """Show that a cell tried to end the program; in a notebook that ends only the cell."""
        code = "" if error.code in (None, 0) else f" {safe_str(error.code)}"
        words = _("SystemExit{code}: the cell ended; the kernel keeps running").format(code=visible_line(code))
        self.shell._showtraceback(type(error), error, [words])

    def take_warning(self, message, category, filename, line, file=None, text=None):
        """Show a warning, except IPython's own hint on leaving a terminal."""
        if not safe_str(message).startswith("To exit: use"):
            super().take_warning(message, category, filename, line, file, text)

    def explain_exception(self, error):
        """Return the Failure of an exception, with the numbers of cells that IPython ran itself."""
        sources, trace = self.session.sources, error.__traceback__
        while trace:
            filename = trace.tb_frame.f_code.co_filename
            found = self.shell.compile.format_code_name(filename)  # ("Cell", "In[7]")
            if found and filename not in sources:
                number = "".join(filter(str.isdigit, found[1]))
                sources[filename] = Source("".join(linecache.getlines(filename)), filename, f"cell {number}")
            trace = trace.tb_next
        return self.session.make_failure(error, None).failure


def display(value):
    from IPython.display import display

    display(value)
