"""The end of a user's program: wait for its threads, and stop it at its time limit."""

import contextlib
import sys

from tensh.cli.process.signals import postpone
from tensh.cli.programs.options import UsageError
from tensh.support.language import _


class TimeLimit(KeyboardInterrupt):
    """Raised when the time limit is reached."""


def wait_for_threads():
    """Wait for non-daemon threads, as Python does at exit, while the user's namespace is still in place."""
    for thread in sys.modules["threading"].enumerate() if "threading" in sys.modules else ():
        if not thread.daemon and thread.name != "MainThread":
            thread.join()


@contextlib.contextmanager
def time_limit(seconds):
    """A context that raises TimeLimit in its code after some seconds."""
    if seconds is None:
        yield
        return
    import signal

    if not hasattr(signal, "setitimer"):
        raise UsageError(_("--timeout: this system has no suitable timer"))

    def stop_run(number, frame):
        if not postpone(frame, number):
            raise TimeLimit

    before = signal.signal(signal.SIGALRM, stop_run)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
