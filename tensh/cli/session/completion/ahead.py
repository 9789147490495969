"""Facts about all names for completion, read ahead: the first read takes a while."""

import threading

from tensh.cli.session.completion import complete

IDLE = 2.0  # seconds after the prompt is ready


def begin(idle=IDLE):
    """Read the facts soon, in another thread."""
    ahead = threading.Timer(idle, read_ahead)
    ahead.daemon = True
    ahead.start()


def read_ahead():
    """Complete what needs all the facts."""
    import tensh

    complete("torch.", {"torch": tensh}, time=60)
    complete("torch.ones(1).", {"torch": tensh}, time=60)
