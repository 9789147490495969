"""Paths from which reading may wait for ever."""

import os


def is_endless(path):
    """Return True for a pipe or a device, which may be endless or never yield anything."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
