"""Signals that end the process, while it has something to restore or to remove first."""

import contextlib
import signal

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def ending_with(leave):
    """A context in which a terminating signal calls `leave` and takes effect at the end, at once if that returns False."""
    came = []

    def handle(number, frame):
        came.append(number)
        if not leave():
            keep_ending()

    def keep_ending():
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)

    before = {number: signal.getsignal(number) for number in ENDING}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        keep_ending()
