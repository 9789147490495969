"""Exceptions that Python can raise nowhere, of threads and of destructors: shown as other failures are, or heeded later.

`reporting` hands them to `show(error, where)`, with the thread or the function in words. A ^C or a time limit that comes
while a destructor runs is not its failure: the signal is sent once more.
"""

import contextlib
import sys
import threading

from tensh.cli.limits import TimeLimit
from tensh.cli.logs import NAME, clean
from tensh.cli.signals import resend_later
from tensh.escaping import visible_line
from tensh.language import _
from tensh.show.reprs import safely


class Reporter:
    """The hooks that Python calls with such exceptions. Where one cannot be shown, `before` are called: those until now."""

    def __init__(self, show):
        self.show = show
        self.before = threading.excepthook, sys.unraisablehook

    def report_thread(self, unraised):
        """Python calls this when a thread ends by an exception."""
        if unraised.exc_type is not SystemExit:
            where = _("in thread {name}").format(name=unraised.thread.name) if unraised.thread else _("in a thread")
            self.report(unraised, where, self.before[0])

    def report_destructor(self, unraised):
        """Python calls this where it cannot raise an exception."""
        if issubclass(unraised.exc_type, TimeLimit):
            from _signal import SIGALRM  # which not every system has

            resend_later(SIGALRM)
        elif issubclass(unraised.exc_type, KeyboardInterrupt):
            resend_later()
        else:
            self.report(unraised, _("ignored in {name}").format(name=name_of(unraised.object)), self.before[1])

    def report(self, unraised, where, otherwise):
        error = unraised.exc_type() if unraised.exc_value is None else unraised.exc_value
        try:
            self.show(error.with_traceback(unraised.exc_traceback), visible_line(where))
        except Exception:
            otherwise(unraised)

    def install(self):
        threading.excepthook, sys.unraisablehook = self.report_thread, self.report_destructor


reporters = []  # the one that was installed last


@contextlib.contextmanager
def reporting(show):
    """Within, exceptions of threads and destructors are shown by `show(error, where)`."""
    reporter = Reporter(show)
    reporter.install()
    reporters[:] = [reporter]
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = reporter.before


def stay():
    """Show the exceptions at the end of the interpreter: from `atexit` functions and the last destructors."""
    if reporters and NAME in sys.modules:
        clean(sys.modules[NAME])
    for reporter in reporters:
        reporter.install()


def name_of(function):
    """A destructor, callback or generator in words."""
    found = getattr(function, "__qualname__", None)
    return found if type(found) is str else safely(repr, function)
