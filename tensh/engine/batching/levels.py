"""The calls of ``vmap`` that are running in this thread."""

import threading
from contextlib import contextmanager
from typing import NamedTuple


class Level(NamedTuple):
    """One running call: its number, counted from 1 for the outermost, the size of its batch, what random numbers it wants."""

    number: int
    size: int
    randomness: str


class Running(threading.local):
    """The levels of this thread, outermost first."""

    levels = ()
    asleep = False  # while a rule draws random numbers


running = Running()


@contextmanager
def level(size, randomness):
    """A context in which one more call is running; gives its level."""
    before = running.levels
    new = Level(len(before) + 1, size, randomness)
    running.levels = (*before, new)
    try:
        yield new
    finally:
        running.levels = before
