"""Signals at moments at which they cannot be heeded, sent once more."""

import os
from _signal import SIGINT, raise_signal  # `signal` itself is slow to load
from _thread import get_ident, start_new_thread
from time import sleep

SOON = 0.005  # seconds until it comes again
MAIN = get_ident()
WHOLE = ("tensh", "numpy", "ml_dtypes")
MACHINERY = "<frozen importlib"  # how the file names begin of Python's own code that imports modules
MOST = 200  # times in a row that ^C waits for that machinery, which may itself wait for another thread's import
waits = 0  # in a row so far


def postpone(frame):
    """True if ^C would leave an import or a mode where it could never be taken up again; it is then sent once more, in a moment.

    Such a place is a module of a library that we stand on, while it is executed, and the machinery of imports itself:
    between taking a lock and the block that releases it, ^C would leave the lock taken, and no other thread could import.
    Another is the end of a `with torch.no_grad()`, before which gradients would stay switched off.
    """
    global waits
    waits = (waits + 1) % MOST if frame and (is_machinery(frame) or is_ending(frame)) else 0
    if not waits and not executes_library(frame):
        return False
    resend_later()
    return True


def is_machinery(frame):
    """True if a frame is one of Python's own code that imports modules."""
    return frame.f_code.co_filename.startswith(MACHINERY)


def is_ending(frame):
    """True if a frame puts back what a `with` of ours has changed."""
    return frame.f_code.co_name == "__exit__" and frame.f_globals.get("__name__", "").startswith("tensh.")


def executes_library(frame):
    """True if a frame runs within the import of a module of a library that we stand on."""
    while frame:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__", "").partition(".")[0] in WHOLE:
            return True
        frame = frame.f_back
    return False


def interrupt(number, frame):
    """Raise KeyboardInterrupt as Python does, or a moment later where a library would be left half imported."""
    if not postpone(frame):
        raise KeyboardInterrupt


def resend_later(number=SIGINT):
    """Send a signal once more, in a moment, to the thread that deals with signals."""
    start_new_thread(send, (number,))


def send(number):
    sleep(SOON)
    if os.name == "posix":
        from _signal import pthread_kill

        pthread_kill(MAIN, number)
    else:
        raise_signal(number)
