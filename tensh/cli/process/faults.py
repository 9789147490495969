"""Bugs of tensh itself: report them in one line with the location, instead of a traceback."""

import os
import traceback

from tensh.show.reading.reprs import write_safely
from tensh.support.escaping import visible_line
from tensh.support.language import _

LONGEST = 200  # characters of a message


def is_interrupt(error):
    """True if ^C caused an exception.

    Python raises RuntimeError for one in a class body, NumPy's import ImportError.
    """
    chain = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__
    return isinstance(chain[-1], KeyboardInterrupt)


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
