"""Reading a line that is typed with readline, where every signal is heeded at once."""

import contextlib
import os
import signal
import threading

NUDGE = getattr(signal, "SIGURG", None)  # unused, and ignored by default
PAUSES = (0.005, 0.02, 0.1, 0.5)  # seconds between a signal and the nudges that follow it


def read_typed_line(prompt):
    """Return a line typed at the terminal, without its end; EOFError at the end of the input."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (input() edits with it)

    with nudging():
        try:
            return input(prompt)
        except ValueError:  # stdin is closed, as `exit()` does it
            raise EOFError from None


@contextlib.contextmanager
def nudging():
    """Within, a signal is heeded although it arrives just before readline waits for a key.

    Python notes a signal and runs its handler when the system call of the moment ends. A signal that arrives in the few
    microseconds before that call begins would wait until the next key: a thread, told of every signal by a pipe, sends
    another one that ends the call and does nothing else.
    """
    if NUDGE is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    told, telling = os.pipe()
    os.set_blocking(telling, False)
    outer = signal.set_wakeup_fd(telling, warn_on_full_buffer=False)
    handler = signal.signal(NUDGE, lambda number, frame: None)
    is_over = threading.Event()
    thread = threading.Thread(target=nudge, args=(told, threading.get_ident(), is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(outer)
        is_over.set()
        os.close(telling)
        thread.join()
        signal.signal(NUDGE, handler)


def nudge(told, reader, is_over):
    """Send nudges to the thread that reads after every other signal, until the pipe is closed."""
    with open(told, "rb", buffering=0) as signals:
        while came := signals.read(1):
            for pause in PAUSES if came[0] != NUDGE else ():
                if not is_over.wait(pause):
                    signal.pthread_kill(reader, NUDGE)
