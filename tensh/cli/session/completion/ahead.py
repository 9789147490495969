"""Loading the facts for completion in advance, since the first completion is slow."""

import threading

from tensh.cli.session.completion import complete

IDLE = 2.0  # seconds after the prompt is ready


def begin(idle=IDLE):
    """Load the facts soon, in another thread."""
    ahead = threading.Timer(idle, read_ahead)
    ahead.daemon = True
    ahead.start()


def read_ahead():
    """Request completions that need all the facts."""
    import tensh

    complete("torch.", {"torch": tensh}, time=60)
    complete("torch.ones(1).", {"torch": tensh}, time=60)
