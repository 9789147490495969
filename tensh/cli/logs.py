"""What Python's `logging` writes where a program has set nothing up: with escapes for what a terminal would obey.

The handler of last resort writes messages of libraries and of asyncio, with exceptions in them, to standard error as they
are.  A handler that the program itself sets up writes what the program says.
"""

import contextlib
import importlib.util
import sys

from tensh.escaping import visible

NAME = "logging"


def clean(logging):
    """Give the handler of last resort a format with escapes; the handler, or None where there is none."""

    class Formatter(logging.Formatter):
        def format(self, record):
            return visible(super().format(record))

    handler = logging.lastResort
    if handler is not None and handler.formatter is None:
        handler.setFormatter(Formatter())
        return handler
    return None


class Watcher:
    """A finder that finds nothing itself: `logging` is cleaned when a program imports it, and costs nothing before."""

    def __init__(self):
        self.handler = None
        self.is_busy = False

    def find_spec(self, name, path=None, target=None):
        if name != NAME or self.is_busy:
            return None
        self.is_busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.is_busy = False
        loader = spec.loader
        run = loader.exec_module

        def exec_module(module):
            run(module)
            self.handler = clean(module)

        loader.exec_module = exec_module
        return spec


@contextlib.contextmanager
def clean_logging():
    """Within, the handler of last resort writes no control characters."""
    watcher = Watcher()
    if NAME in sys.modules:
        watcher.handler = clean(sys.modules[NAME])
    else:
        sys.meta_path.insert(0, watcher)
    try:
        yield
    finally:
        if watcher in sys.meta_path:
            sys.meta_path.remove(watcher)
        if watcher.handler:
            watcher.handler.setFormatter(None)
