"""The duration of a user's program: until its threads have ended, and within its time limit."""

import contextlib
import sys

from tensh.cli.options import UsageError
from tensh.cli.signals import postpone
from tensh.language import _


class TimeLimit(KeyboardInterrupt):
    """The time that was given is over."""


def wait_for_threads():
    """Wait as the end of a Python program does, while the user's code still finds its world."""
    for thread in sys.modules["threading"].enumerate() if "threading" in sys.modules else ():
        if not thread.daemon and thread.name != "MainThread":
            thread.join()


@contextlib.contextmanager
def time_limit(seconds):
    """Raise TimeLimit in the code that runs within, when the seconds are over."""
    if seconds is None:
        yield
        return
    import signal

    if not hasattr(signal, "setitimer"):
        raise UsageError(_("--timeout: this system has no timer for it"))

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
