"""Signals that could not be heeded, sent once more."""

import os
from _signal import SIGINT, raise_signal  # `signal` itself is slow to load
from _thread import get_ident, start_new_thread
from time import sleep

SOON = 0.005  # seconds until it comes again
MAIN = get_ident()


def resend_later(number=SIGINT):
    """Send a signal once more, in a moment, to the thread that deals with signals."""
    start_new_thread(send, (number,))


def send(number):
    sleep(SOON)
    if os.name == "posix":
        from _signal import pthread_kill

        pthread_kill(MAIN, number)
    else:
        raise_signal(number)
