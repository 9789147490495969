"""The recorder of this thread that makes graphs of the functions which custom functions and checkpoints call."""

import threading

__all__ = ["nesting"]


class Nesting(threading.local):
    """``recorder`` has the methods ``apply_function`` and ``take_checkpoint``, or is None."""

    recorder = None


nesting = Nesting()
