"""Parsing JSON files in bounded memory: a value of two characters may take 200 bytes, an escape of two characters 60."""

import json
import re

MOST_VALUES = 2_000_000  # in a file: half a gigabyte if all of them are objects
MOST_ESCAPES = 2_000_000  # in one string, which is built from that many pieces
SIGN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{,]', re.S)  # a string, or what precedes a value


class BoundError(ValueError):
    """Raised for JSON that would take too much memory."""


def loads(text, deepest=None, **options):
    """Parse JSON text; raise BoundError for too many parts, ValueError for other texts.

    Raise RecursionError for containers nested more than ``deepest`` deep.

    >>> from tensh.support.bounded_json import loads
    >>> loads('{"shape": [2, 3]}')
    {'shape': [2, 3]}
    """
    if sum(map(text.count, "[{,")) > MOST_VALUES or text.count("\\") > MOST_ESCAPES:
        require_bounds(text)
    value = json.loads(text, **options)
    if deepest is not None:
        require_depth(value, deepest)
    return value


def require_depth(value, deepest):
    """Raise RecursionError for containers nested too deeply."""
    level = [value]
    for _ in range(deepest):
        level = [each for each in level if isinstance(each, (dict, list))]
        if not level:
            return
        level = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
    raise RecursionError("it is nested too deeply")


def require_bounds(text):
    """Count the values outside strings, and the escapes in each string."""
    left = MOST_VALUES
    for found in SIGN.finditer(text):
        if text[found.start()] != '"':
            left -= 1
        elif text.count("\\", *found.span()) > MOST_ESCAPES:
            raise BoundError(f"it contains a string with more than {MOST_ESCAPES:,} escaped characters")
        if left < 0:
            raise BoundError(f"it has more than {MOST_VALUES:,} values")
