"""Warnings that point at the user's line, however many of the engine's functions lie in between."""

import os
import sys
import threading
import warnings

from tensh.support.temporary import temporarily

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class State(threading.local):
    """The state of a thread, which is silent while it computes again what has warned."""

    is_silent = False


state = State()


def without_warnings():
    """Return a context in which ``warn`` does nothing."""
    return temporarily(state, is_silent=True)


def warn(message, category=UserWarning):
    """Warn where the user called."""
    if state.is_silent:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_tensh_file(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_quietly(message):
    """Warn that something is deprecated, in the name of the module that calls: Python shows it only on request."""
    warnings.warn(message, DeprecationWarning, stacklevel=2)


def warn_once(message, category=UserWarning, what=None):
    """Warn once for each text, or for each ``what``; every time after ``torch.set_warn_always``."""
    if always[0] or (what or message) not in said:
        said.add(what or message)
        warn(message, category)


def warn_of_real_part(number):
    """Warn, once, that a ``number`` of complex elements lose their imaginary parts, unless it is zero."""
    if number:
        warn_once("Casting complex values to real discards the imaginary part")


said: set = set()
always = [False]


def is_tensh_file(filename):
    """Return True for a file of tensh, or a function that tensh generated."""
    return filename.startswith((PACKAGE, "<tensh "))
