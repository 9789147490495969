"""The user's lines, as graphs note them."""

import linecache
import threading


class Interpreted(threading.local):
    """The (file, line, function) of code that an interpreter runs in a thread; None if Python runs it."""

    place = None


interpreted = Interpreted()


def describe_place(place):
    """Return (stack trace in PyTorch's form, (file, line, function)) of the user's line."""
    where = interpreted.place or (place.filename, place.line, place.code.co_name)
    text = linecache.getline(*where[:2]).strip()
    return f'  File "{where[0]}", line {where[1]}, in {where[2]}\n    {text}\n', where
