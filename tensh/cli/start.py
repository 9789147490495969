"""The process `tensh`: before and after the program is at work, ^C ends it without a word."""

from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal  # `signal` itself is slow to load


def main():
    """Run the command of this process; the exit status."""
    heeds = getsignal(SIGINT) is default_int_handler  # a shell has a program in the background ignore it
    if heeds:
        signal(SIGINT, SIG_DFL)  # modules are loaded: there is nothing to say or to clear away
    from tensh.cli import app, status

    if not heeds:
        return app.main()
    try:
        signal(SIGINT, default_int_handler)
        found = app.main()
        signal(SIGINT, SIG_DFL)  # the interpreter ends
    except KeyboardInterrupt:  # where the program has not begun, or is over
        signal(SIGINT, SIG_DFL)
        found = status.INTERRUPTED
    return found
