"""Escaping control characters in text that Python itself writes to standard error.

The handlers that `logging` provides itself write messages of libraries and asyncio, and `traceback` prints exceptions,
including those of `multiprocessing` workers and of failed logging calls. Text for files, or for handlers that the
program installs, is not changed.
"""

import contextlib
import functools
import importlib.util
import io
import sys

from tensh.support.escaping import visible

NAME, TRACEBACKS = "logging", "traceback"


def clean(logging):
    """Escape messages of the handler of last resort, and of that of `logging.error`; return a function that undoes this."""

    class Formatter(logging.Formatter):
        def format(self, record):
            return visible(super().format(record))

    def basicConfig(**options):
        own(**options)
        if not options and sys._getframe(1).f_globals is vars(logging):  # `logging.error()` without a handler
            for each in logging.root.handlers:
                each.setFormatter(Formatter(logging.BASIC_FORMAT))

    own, logging.basicConfig = logging.basicConfig, functools.wraps(logging.basicConfig)(basicConfig)
    handler = logging.lastResort
    if handler is not None and handler.formatter is None:
        handler.setFormatter(Formatter())

    def end():
        logging.basicConfig = own
        if handler is not None and type(handler.formatter) is Formatter:
            handler.setFormatter(None)

    return end


def clean_tracebacks(traceback):
    """Escape exceptions printed to standard error; return a function that undoes this."""
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
    """A meta path finder that finds nothing, but patches a module when the program imports it. No cost before."""

    def __init__(self):
        self.ends = []
        self.busy = None
        for name in CLEANED.keys() & sys.modules.keys():
            self.clean(sys.modules[name])

    def __reduce__(self):
        """Unpickle as a new watcher, for a spawned process."""
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
    """A context in which Python's own messages are free of control characters."""
    watcher = Watcher()
    sys.meta_path.insert(0, watcher)
    try:
        yield
    finally:
        sys.meta_path.remove(watcher)
        for end in filter(None, watcher.ends):
            end()
