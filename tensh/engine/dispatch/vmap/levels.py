"""The calls of ``vmap`` that are running in this thread."""

import threading
from contextlib import contextmanager
from typing import NamedTuple

from tensh.engine.core.lift import Lift
from tensh.engine.dispatch.vmap import errors
from tensh.engine.random.generator import Generator
from tensh.support.temporary import temporarily


class Level(NamedTuple):
    """A running call: its number, starting from 1 for the outermost, its batch size, and its randomness."""

    number: int
    size: int
    randomness: str


class LevelStack(threading.local):
    """The levels of this thread, outermost first."""

    levels = ()
    asleep = False  # a rule is drawing random numbers


running = LevelStack()


def check_draw():
    """Raise ``Lift``, or an error, before a draw while a call of ``vmap`` runs in this thread."""
    if running.levels and not running.asleep:
        refuse_errors()
        raise Lift


def refuse_errors():
    """Raise if one of the running calls forbids random numbers."""
    if any(each.randomness == "error" for each in running.levels):
        raise RuntimeError(errors.RANDOM)


def drawing():
    """Let generators draw as they do outside of ``vmap``."""
    return temporarily(running, asleep=True)


@contextmanager
def level(size, randomness):
    """Run one more call, and yield its level."""
    before = running.levels
    new = Level(len(before) + 1, size, randomness)
    running.levels = (*before, new)
    Generator.before_draw = staticmethod(check_draw)
    try:
        yield new
    finally:
        running.levels = before
