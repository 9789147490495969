"""Bugs of tensh itself, and packages that it lacks: report them in one line, instead of a traceback."""

import os
import sys
import traceback

from tensh.show.reading.reprs import write_safely
from tensh.support.escaping import visible_line
from tensh.support.language import _

LONGEST = 200  # characters of a message


def is_interrupt(error):
    """Return True if ^C caused an exception.

    Python raises RuntimeError for one in a class body, NumPy's import ImportError.
    """
    chain = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__
    return isinstance(chain[-1], KeyboardInterrupt)


def describe_missing(error):
    """Name the package that is not installed, although tensh needs it; None for any other exception."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package in ("", "tensh", *sys.stdlib_module_names):
        return None
    return _("tensh needs the package {name}, which is not installed: {python} -m pip install {name}").format(
        name=visible_line(package), python=os.path.basename(sys.executable or "python")
    )


def describe_fault(error):
    """Describe an unexpected exception in one line."""
    text = write_safely(str, error, "message")
    cause = text.partition("Original error was: ")[2].partition("\n")[0]
    if isinstance(error, ImportError) and cause:  # NumPy's own import failed, as without memory for its libraries
        return _("NumPy cannot be loaded: {cause}").format(cause=visible_line(cause)[:LONGEST])
    frames = traceback.extract_tb(error.__traceback__)
    where = f", {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    message = visible_line(text)[:LONGEST]
    return _("this is a bug in tensh ({name}: {message}{where})").format(
        name=type(error).__name__, message=message, where=where
    )
