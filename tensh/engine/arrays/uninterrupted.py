"""Updates of several arrays that ^C does not interrupt."""

import functools
from _signal import SIGINT, getsignal, signal  # `signal` makes enums: 8 µs more per step
from threading import get_ident, main_thread

MAIN = main_thread().ident  # the thread in which Python runs signal handlers


class Uninterrupted:
    """A context that ^C does not interrupt: it is handled at the end, so that parameters and state stay consistent.

    It takes 1 µs.  A second ^C within the context has no further effect.
    """

    __slots__ = ("handler", "seen")

    def __enter__(self):
        self.handler = self.seen = None
        if get_ident() == MAIN and callable(getsignal(SIGINT)):
            self.handler = signal(SIGINT, self.note)
        return self

    def note(self, *signal_and_frame):
        self.seen = signal_and_frame

    def __exit__(self, *error):
        if self.handler is not None:
            signal(SIGINT, self.handler)
            if self.seen is not None:
                self.handler(*self.seen)


def without_interrupts(function):
    """Decorate a function to run in such a context."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        with Uninterrupted():
            return function(*args, **kwargs)

    return call


def entered_whole(cls):
    """Decorate a class of contexts: ^C waits until one is entered or left, and leaves one that it has kept from its block.

    At a prompt it also waits in functions of these names.
    """
    enter, leave = cls.__enter__, cls.__exit__

    @functools.wraps(enter)
    def __enter__(self):
        is_entered = False
        try:
            with Uninterrupted():
                result = enter(self)
                is_entered = True
            return result
        except BaseException as failure:
            if is_entered:
                __exit__(self, type(failure), failure, failure.__traceback__)
            raise

    @functools.wraps(leave)
    def __exit__(self, *error):
        with Uninterrupted():
            return leave(self, *error)

    cls.__enter__, cls.__exit__ = __enter__, __exit__
    return cls
