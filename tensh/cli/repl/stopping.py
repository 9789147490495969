"""^Z while a line is edited: the shell gets the terminal as it was, and the line is drawn again when the process goes on."""

import contextlib
import os
import signal
import threading

try:
    import termios
except ImportError:  # Windows
    termios = None

TERMINAL = 0  # the file descriptor of the input


def find_settings():
    """Return the terminal's settings, or None where ^Z is not for this process or the terminal is gone."""
    if termios is None or threading.current_thread() is not threading.main_thread():
        return None
    if signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:  # ignored without a shell that continues processes
        return None
    with contextlib.suppress(termios.error):
        return termios.tcgetattr(TERMINAL)
    return None


@contextlib.contextmanager
def stopping_with(draw):
    """A context in which ^Z stops the process, whose line ``draw`` writes again afterwards."""
    before = find_settings()
    if before is None:
        yield
        return

    def stop(number, frame):
        editing = termios.tcgetattr(TERMINAL)
        termios.tcsetattr(TERMINAL, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # stops here until the shell continues the process
        signal.signal(signal.SIGTSTP, stop)
        termios.tcsetattr(TERMINAL, termios.TCSADRAIN, editing)
        draw()

    signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
