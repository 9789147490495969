"""The process `tensh`: before and after the program is at work, ^C ends it without a word.

Importing this module is the beginning of the process, not a part of another.
"""

import sys
from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal  # `signal` itself is slow to load

from tensh.cli.signals import interrupt, resend_later

IS_HEEDED = getsignal(SIGINT) in (default_int_handler, SIG_DFL)  # a shell has a program in the background ignore it
if IS_HEEDED:
    signal(SIGINT, SIG_DFL)  # modules are loaded: there is nothing to say or to clear away


def heed_later(unraised):
    """Let ^C come again that Python cannot raise where it came, as in the locks of imports; what else there is, show as usual."""
    if issubclass(unraised.exc_type, KeyboardInterrupt):
        resend_later()
    else:
        sys.__unraisablehook__(unraised)


def main():
    """Run the command of this process; the exit status."""
    from tensh.cli import app, status

    sys.unraisablehook = heed_later
    try:
        if IS_HEEDED:
            signal(SIGINT, interrupt)
        found = app.main()
        if IS_HEEDED:
            signal(SIGINT, SIG_DFL)  # the interpreter ends
    except KeyboardInterrupt:  # where the program has not begun, or is over
        signal(SIGINT, SIG_DFL)
        found = status.INTERRUPTED
    if "tensh.cli.unraised" in sys.modules:  # code has run, and what is left of it ends with the interpreter
        sys.modules["tensh.cli.unraised"].stay()
    else:
        sys.unraisablehook = sys.__unraisablehook__
    return found
