"""`os._exit()` in a document: it ends the document, as `sys.exit()` does, and not the check of all documents."""

import os
from contextlib import contextmanager


@contextmanager
def leaving_by_exception():
    """Let `os._exit()` raise SystemExit in this process; processes that it starts end at once."""
    leave, own = os._exit, os.getpid()

    def end(status=0):
        if os.getpid() != own:
            leave(status)
        raise SystemExit(status)

    os._exit = end
    try:
        yield
    finally:
        os._exit = leave
