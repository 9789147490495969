"""Functions that are told of every operation when it is recorded, or give it its tick; nobody pays while there are none."""

import sys

from tensh.engine.clock import tick
from tensh.engine.declarations.table import ENVIRONMENT

watchers = {}  # function -> how many asked for it
givers = [tick]  # functions that give ticks; the last one does


def watch(watcher):
    """Call ``watcher(frame, time)`` for every recorded node, with the frame of the function that records it."""
    watchers[watcher] = watchers.get(watcher, 0) + 1
    _settle()


def unwatch(watcher):
    """Take back one ``watch(watcher)``."""
    watchers[watcher] -= 1
    if not watchers[watcher]:
        del watchers[watcher]
    _settle()


def give_ticks(giver):
    """Take the tick of every recorded node from ``giver``: an int, or a subclass of it that knows more."""
    givers.append(giver)
    _settle()


def give_no_ticks(giver):
    """Take back ``give_ticks(giver)``."""
    givers.remove(giver)
    _settle()


def _settle():
    ENVIRONMENT["tick"] = announced if watchers else givers[-1]


def announced():
    """A tick, after the watchers have seen what is recorded at it."""
    time, frame = givers[-1](), sys._getframe(1)
    for watcher in tuple(watchers):
        watcher(frame, time)
    return time
