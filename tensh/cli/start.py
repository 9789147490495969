"""The entry point of the process `tensh`: before and after the program runs, ^C ends it silently.

Importing this module changes the handling of ^C: only the main module of a process may do so.
"""

import sys
from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal  # `signal` itself is slow to load

from tensh.cli.process.signals import interrupt, resend_later

IS_HEEDED = getsignal(SIGINT) in (default_int_handler, SIG_DFL)  # shells let background programs ignore it
if IS_HEEDED:
    signal(SIGINT, SIG_DFL)  # while modules are loaded, there is nothing to report or clean up


def heed_later(unraised):
    """Resend a ^C that Python could not raise, as in the locks of imports; show other exceptions as usual."""
    if issubclass(unraised.exc_type, KeyboardInterrupt):
        resend_later()
    else:
        sys.__unraisablehook__(unraised)


def main():
    """Run the command of this process; return the exit status."""
    from tensh.cli import app
    from tensh.cli.process import status

    sys.unraisablehook = heed_later
    try:
        if IS_HEEDED:
            signal(SIGINT, interrupt)
        found = app.main()
        if IS_HEEDED:
            signal(SIGINT, SIG_DFL)  # the interpreter is about to exit
    except KeyboardInterrupt:  # before or after the program
        signal(SIGINT, SIG_DFL)
        found = status.INTERRUPTED
    if "tensh.cli.process.unraised" in sys.modules:  # user code has run; the rest of it ends with the interpreter
        sys.modules["tensh.cli.process.unraised"].stay()
    else:
        sys.unraisablehook = sys.__unraisablehook__
    return found
