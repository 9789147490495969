"""^C stops the running code, and nothing else.

Python's own handler raises KeyboardInterrupt anywhere, even while the editor is set up or torn down. This one raises it
only in the user's code.

Python handles a signal only after a running NumPy operation ends, so that a long one needs a message. The signal is
also written to a pipe that a thread reads, which runs during the operation.
"""

import contextlib
import functools
import os
import signal
import sys
import threading
from time import monotonic

from tensh.cli.process.signals import note_arrival, postpone, resend_later
from tensh.support.language import _, deferred

PATIENCE = 1.0  # seconds before the message
WORDS = deferred("\nstopping as soon as the current operation is done\n")
TOGETHER = 0.2  # seconds within which signals count as one: a second one would interrupt the handling of the first


class Interrupts:
    """A context for running the user's code; `say` writes a text from another thread."""

    def __init__(self, say):
        self.say = say
        self.otherwise = None  # called for ^C while no code runs
        self.is_running = False
        self.is_pending = False  # ^C came after a block was entered and before it runs
        self.last = 0.0
        self.is_over = threading.Event()
        self.pipe = None
        self.before = -1  # the previous wakeup descriptor

    @contextlib.contextmanager
    def catch_interrupts(self):
        """A context that handles ^C while there is a prompt."""
        before, hook = signal.signal(signal.SIGINT, self.handle), sys.unraisablehook
        sys.unraisablehook = functools.partial(self.keep_interrupt, hook)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            sys.unraisablehook = hook

    def keep_interrupt(self, hook, error):
        """Send ^C again if it was raised in a destructor or elsewhere that exceptions are ignored: a hook for these."""
        if error.exc_type is not KeyboardInterrupt:
            hook(error)
        elif self.is_running:
            self.last = 0.0
            resend_later()

    def handle(self, number, frame):
        """Handle a signal."""
        if not self.is_running:
            note_arrival()
            self.is_pending = True
            if self.otherwise:
                self.otherwise()
        elif not postpone(frame) and monotonic() - self.last > TOGETHER:
            self.last = monotonic()
            raise KeyboardInterrupt

    def forget(self):
        """Forget a pending ^C: no code is about to run."""
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
        """Make the pipe and the thread, on systems that have them."""
        self.pipe = ()
        if os.name == "posix":
            self.pipe = os.pipe()
            os.set_blocking(self.pipe[1], False)
            threading.Thread(target=self.listen, name="tensh-interrupts", daemon=True).start()

    def listen(self):
        """Wait for signals, and write the message if the code has not stopped soon after one."""
        while numbers := os.read(self.pipe[0], 64):
            if signal.SIGINT not in numbers or self.is_over.wait(PATIENCE):
                continue
            if monotonic() - self.last > PATIENCE + TOGETHER:  # otherwise it took effect, and other code runs now
                self.say(_(WORDS))
