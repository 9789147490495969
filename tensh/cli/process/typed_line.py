"""Reading a line with readline, while handling every signal at once."""

import contextlib
import os
import signal
import threading

NUDGE = getattr(signal, "SIGURG", None)  # otherwise unused, and ignored by default
PAUSES = (0.005, 0.02, 0.1, 0.5)  # seconds between a signal and its nudges
HANGUP = getattr(signal, "SIGHUP", None)  # the terminal is gone
LAST_PAUSE = 3  # seconds until a process without a terminal is ended from outside


def read_typed_line(prompt):
    """Return a typed line without its end; raise EOFError at the end of the input."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (input() edits with it)

    with handling_signals_at_once():
        try:
            return input(prompt)
        except ValueError:  # stdin is closed, as by `exit()`
            raise EOFError from None


@contextlib.contextmanager
def handling_signals_at_once():
    """A context in which a signal is handled even if it arrives just before readline waits for a key.

    Python runs a signal's handler when the current system call ends. A signal that arrives in the microseconds before
    that call begins would have to wait for the next key. Therefore a thread, which a pipe tells of every signal, sends
    another signal that only interrupts the call.
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
    """Nudge the reading thread after every other signal, until the pipe is closed.

    End the process if its terminal is gone and the thread reads on.
    """
    with open(told, "rb", buffering=0) as signals:
        while came := signals.read(1):
            for pause in PAUSES if came[0] != NUDGE else ():
                if not is_over.wait(pause):
                    signal.pthread_kill(reader, NUDGE)
            # readline reads the end of its input without end where it expects the digits of an argument
            if came[0] == HANGUP and not is_over.wait(LAST_PAUSE):
                os._exit(128 + HANGUP)
