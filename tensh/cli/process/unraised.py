"""Unraisable exceptions, of threads and destructors: show them like other failures, or resend a signal.

`reporting` passes them to `show(error, where)`, with a description of the thread or function. A ^C or a time limit that
arrives in a destructor is not its failure: the signal is sent again.
"""

import contextlib
import sys
import threading

from tensh.cli.process.logs import NAME, clean
from tensh.cli.process.signals import resend_later
from tensh.cli.programs.limits import TimeLimit
from tensh.show.reading.reprs import write_safely
from tensh.support.escaping import visible_line
from tensh.support.language import _


class Reporter:
    """Python's hooks for unraisable exceptions. If one cannot be shown, `before`, the previous hooks, are called."""

    def __init__(self, show):
        self.show = show
        self.before = threading.excepthook, sys.unraisablehook

    def report_thread(self, unraised):
        """Report the exception of a thread; called by Python."""
        if unraised.exc_type is not SystemExit:
            where = _("in thread {name}").format(name=unraised.thread.name) if unraised.thread else _("in a thread")
            self.report(unraised, where, self.before[0])

    def report_destructor(self, unraised):
        """Report an exception that Python cannot raise; called by Python."""
        if issubclass(unraised.exc_type, TimeLimit):
            from _signal import SIGALRM  # missing on some systems

            resend_later(SIGALRM)
        elif issubclass(unraised.exc_type, KeyboardInterrupt):
            resend_later()
        else:
            self.report(unraised, _("ignored in {name}").format(name=name_of(unraised.object)), self.before[1])

    def report(self, unraised, where, otherwise):
        error = unraised.exc_type() if unraised.exc_value is None else unraised.exc_value
        try:
            self.show(error.with_traceback(unraised.exc_traceback), visible_line(where))
        except Exception:  # Python's own report, so that the exception is not lost
            otherwise(unraised)

    def install(self):
        threading.excepthook, sys.unraisablehook = self.report_thread, self.report_destructor


reporters = []  # the one installed last


@contextlib.contextmanager
def reporting(show):
    """A context in which `show(error, where)` shows the exceptions of threads and destructors."""
    reporter = Reporter(show)
    reporter.install()
    reporters[:] = [reporter]
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = reporter.before


def stay():
    """Show exceptions at interpreter exit, too: from `atexit` functions and the last destructors."""
    if reporters and NAME in sys.modules:
        clean(sys.modules[NAME])
    for reporter in reporters:
        reporter.install()


def name_of(function):
    """Describe a destructor, callback or generator."""
    found = getattr(function, "__qualname__", None)
    return found if type(found) is str else write_safely(repr, function)
