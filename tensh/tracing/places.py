"""The user's lines, as graphs note them."""

import linecache


def describe_place(place):
    """Return (stack trace in PyTorch's form, (file, line, function)) of the user's line."""
    text = linecache.getline(place.filename, place.line).strip()
    where = place.filename, place.line, place.code.co_name
    return f'  File "{where[0]}", line {where[1]}, in {where[2]}\n    {text}\n', where
