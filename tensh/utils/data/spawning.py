"""Starting a worker process: ^C does not reach it, and `import torch` gives there what it gives here.

A process that is not forked runs the program's file again before anything else, to find the classes of datasets in it.
Where a finder makes tensh stand for torch, the file has to wait until that finder is there: it is kept back, and
run when ``Program`` is unpickled.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
from multiprocessing import resource_tracker, spawn

from tensh.engine.arrays.uninterrupted import Uninterrupted


class Program:
    """Unpickled, it has the finders of tensh as torch at work, and then runs the file of the program."""

    def __init__(self):
        self.finders = [each for each in sys.meta_path if type(each).__module__.startswith("tensh.alias")]
        file = getattr(sys.modules["__main__"], "__file__", None)
        self.file = file and os.path.abspath(file)

    def __reduce__(self):
        return run, (self.finders, self.file)

    @contextlib.contextmanager
    def hold_back(self):
        """Hide the file from a process that is started in this context, which would otherwise run it."""
        main = sys.modules["__main__"]
        if not (self.finders and self.file):
            yield
            return
        file = main.__file__
        del main.__file__
        try:
            yield
        finally:
            main.__file__ = file


def default_context():
    """Return a context with the start method of the program, or ``fork`` for Python's default if the platform has it.

    Since Python 3.14 the default is ``forkserver``, which pickles datasets: those defined at a prompt or in a script of
    tensh cannot be pickled. PyTorch uses Python's default.
    """
    methods = multiprocessing.get_all_start_methods()  # the default of Python first
    is_chosen = multiprocessing.get_start_method(allow_none=True) not in (None, methods[0])
    can_fork = sys.platform != "darwin" and "fork" in methods
    return multiprocessing if is_chosen or not can_fork else multiprocessing.get_context("fork")


@contextlib.contextmanager
def shield(method):
    """A context to start processes in, by some method: ^C waits here, and there until ``ignore_interrupts`` is called."""
    if method != "fork" and os.name == "posix":
        resource_tracker.ensure_running()  # to start it lets signals through again
    with Uninterrupted():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # new processes inherit it
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts():
    """Ignore ^C in a worker: it is for the loader, which goes on with its workers or ends them."""
    signal.signal(signal.SIGINT, lambda *_: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def run(finders, file):
    """Begin as the process that started this one did."""
    if not finders:
        return
    sys.meta_path[:0] = finders
    if file:
        spawn.prepare({"init_main_from_path": file})
