"""Text that Python writes to standard error for a program: with escapes for control characters.

The handler of last resort of `logging` writes messages of libraries and of asyncio, and `traceback` prints exceptions, among
them those of processes of `multiprocessing` and of messages that cannot be logged.  What goes to a file, or through a handler
that the program itself sets up, is what the program says.
"""

import contextlib
import importlib.util
import io
import sys

from tensh.escaping import visible

NAME, TRACEBACKS = "logging", "traceback"


def clean(logging):
    """Give the handler of last resort a format with escapes; what takes it away again, or None where there is no handler."""

    class Formatter(logging.Formatter):
        def format(self, record):
            return visible(super().format(record))

    handler = logging.lastResort
    if handler is not None and handler.formatter is None:
        handler.setFormatter(Formatter())
        return lambda: handler.setFormatter(None)
    return None


def clean_tracebacks(traceback):
    """Print exceptions with escapes to standard error; what ends it."""
    kind = traceback.TracebackException
    plain = kind.print

    def print(self, *, file=None, **options):
        if file is not None and file is not sys.stderr:
            return plain(self, file=file, **options)
        text = io.StringIO()
        plain(self, file=text, **options)
        return sys.stderr.write(visible(text.getvalue()))

    kind.print = print

    def end():
        kind.print = plain

    return end


CLEANED = {NAME: clean, TRACEBACKS: clean_tracebacks}


class Watcher:
    """A finder that finds nothing itself: a module is cleaned when a program imports it, and costs nothing before."""

    def __init__(self):
        self.ends = []
        self.busy = None
        for name in CLEANED.keys() & sys.modules.keys():
            self.clean(sys.modules[name])

    def __reduce__(self):
        """Start a new watcher in a process that is spawned."""
        return Watcher, ()

    def find_spec(self, name, path=None, target=None):
        if name not in CLEANED or self.busy == name:
            return None
        self.busy = name
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = None
        loader = spec.loader
        run = loader.exec_module

        def exec_module(module):
            run(module)
            self.clean(module)

        loader.exec_module = exec_module
        return spec

    def clean(self, module):
        self.ends.append(CLEANED[module.__name__](module))


@contextlib.contextmanager
def clean_messages():
    """Within, Python's own messages hold no control characters."""
    watcher = Watcher()
    sys.meta_path.insert(0, watcher)
    try:
        yield
    finally:
        sys.meta_path.remove(watcher)
        for end in filter(None, watcher.ends):
            end()
