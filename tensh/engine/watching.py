"""Functions that are told of every operation when it is recorded; nobody pays for them while there are none."""

import sys

from tensh.engine.clock import tick
from tensh.engine.table import ENVIRONMENT

watchers = {}  # function -> how many asked for it


def watch(watcher):
    """Call ``watcher(frame, time)`` for every recorded node, with the frame of the function that records it."""
    watchers[watcher] = watchers.get(watcher, 0) + 1
    ENVIRONMENT["tick"] = announced


def unwatch(watcher):
    """Take back one ``watch(watcher)``."""
    watchers[watcher] -= 1
    if not watchers[watcher]:
        del watchers[watcher]
    if not watchers:
        ENVIRONMENT["tick"] = tick


def announced():
    """A tick, after the watchers have seen what is recorded at it."""
    time, frame = tick(), sys._getframe(1)
    for watcher in tuple(watchers):
        watcher(frame, time)
    return time
