"""^C: it stops the code that runs, and nothing else.

Python's own handler raises KeyboardInterrupt wherever the program is, also in the middle of an editor that is put
together or taken apart. Ours raises it only where something of the user's runs.

A long operation of NumPy's ends before Python looks at signals, and then somebody should say so. The signal also writes
to a pipe, which a thread reads: it runs while NumPy does.
"""

import contextlib
import functools
import os
import signal
import sys
import threading
from time import monotonic

from tensh.cli.signals import postpone, resend_later
from tensh.language import _, deferred

PATIENCE = 1.0  # seconds before something is said
WORDS = deferred("\nit stops when the operation that runs now is done\n")
TOGETHER = 0.2  # seconds within which several count as one: the second would hit what deals with the first


class Interrupts:
    """A context in which code of the user's runs; `say` writes a text, from another thread."""

    def __init__(self, say):
        self.say = say
        self.otherwise = None  # what is done where nothing runs
        self.is_running = False
        self.is_pending = False  # one came between the end of a line and the code that it is
        self.last = 0.0
        self.is_over = threading.Event()
        self.pipe = None
        self.before = -1  # what signals were written to

    @contextlib.contextmanager
    def catch_interrupts(self):
        """Handle ^C while there is a prompt."""
        before, hook = signal.signal(signal.SIGINT, self.handle), sys.unraisablehook
        sys.unraisablehook = functools.partial(self.keep_interrupt, hook)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            sys.unraisablehook = hook

    def keep_interrupt(self, hook, error):
        """Python calls this where nothing can be raised, as in a destructor: ^C comes again when that is over."""
        if error.exc_type is not KeyboardInterrupt:
            hook(error)
        elif self.is_running:
            self.last = 0.0
            resend_later()

    def handle(self, number, frame):
        """A signal has come."""
        if not self.is_running:
            self.is_pending = True
            if self.otherwise:
                self.otherwise()
        elif not postpone(frame) and monotonic() - self.last > TOGETHER:
            self.last = monotonic()
            raise KeyboardInterrupt

    def forget(self):
        """Nothing is waiting for code to begin any more."""
        self.is_running = self.is_pending = False

    def __enter__(self):
        if self.is_pending:
            self.forget()
            raise KeyboardInterrupt
        self.is_over.clear()
        if self.pipe is None:
            self.begin()
        if self.pipe:
            self.before = signal.set_wakeup_fd(self.pipe[1], warn_on_full_buffer=False)
        self.is_running = True
        return self

    def __exit__(self, *error):
        self.is_running = False
        self.is_over.set()
        if self.pipe:
            signal.set_wakeup_fd(self.before)

    def begin(self):
        """Make the pipe and the thread; where there are no such things, nothing is said."""
        self.pipe = ()
        if os.name == "posix":
            self.pipe = os.pipe()
            os.set_blocking(self.pipe[1], False)
            threading.Thread(target=self.listen, name="tensh-interrupts", daemon=True).start()

    def listen(self):
        """Wait for signals: of each, see whether the code has ended soon after."""
        while numbers := os.read(self.pipe[0], 64):
            if signal.SIGINT not in numbers or self.is_over.wait(PATIENCE):
                continue
            if monotonic() - self.last > PATIENCE + TOGETHER:  # else it was heeded, and what runs now began afterwards
                self.say(_(WORDS))
