"""^C while code runs: Python stops it between two of its own operations, and a long one of NumPy's is waited for.

Then somebody should say so. The signal also writes to a pipe, which a thread reads: it runs while NumPy does.
"""

import os
import signal
import threading

PATIENCE = 1.0  # seconds before something is said
WORDS = "\nit stops when the operation that runs now is done\n"


class Watch:
    """A context in which code runs; `say` writes a text, from another thread."""

    def __init__(self, say):
        self.say = say
        self.is_over = threading.Event()
        self.pipe = None
        self.before = -1  # what signals were written to

    def __enter__(self):
        self.is_over.clear()
        if self.pipe is None:
            self.begin()
        if self.pipe:
            self.before = signal.set_wakeup_fd(self.pipe[1], warn_on_full_buffer=False)

    def __exit__(self, *error):
        self.is_over.set()
        if self.pipe:
            signal.set_wakeup_fd(self.before)

    def begin(self):
        """Make the pipe and the thread; where there are no such things, nothing is said."""
        self.pipe = ()
        if os.name == "posix" and threading.current_thread() is threading.main_thread():
            self.pipe = os.pipe()
            os.set_blocking(self.pipe[1], False)
            threading.Thread(target=self.listen, name="tensh-interrupts", daemon=True).start()

    def listen(self):
        """Wait for signals: of each, see whether the code has ended soon after."""
        while numbers := os.read(self.pipe[0], 64):
            if signal.SIGINT in numbers and not self.is_over.wait(PATIENCE):
                self.say(WORDS)
