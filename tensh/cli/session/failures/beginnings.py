"""Names of a module of which only the beginning was typed: `softmax` for `soft`."""

import re

from tensh.support.patterns import pattern
from tensh.support.spelling import closest

SHORTEST_BEGINNING, MOST_LONGER = 3, 3  # least letters of a common beginning, and most names suggested for it
CAMEL = pattern(r"[A-Z]+(?![a-z])|[A-Z][a-z]+")


def find_members(word, names):
    """Return the names of a module that begin with a word, and may be meant by it.

    >>> from tensh.cli.session.failures.beginnings import find_members
    >>> find_members("soft", ["softmax", "sort"])
    ['softmax']
    """
    found = closest(word, names)
    if len(word) > SHORTEST_BEGINNING and not any(begins(name, word) for name in found):
        found = begun_names(word, names) or found
    return found or longer_names(word, names)


def begins(name, word):
    """Return True if a public name begins with a word in any capitals."""
    return name.lower().startswith(word.lower()) and name[0] != "_"


def begun_names(word, names):
    """Return the names that begin with a word, without their in-place forms; [] if there are too many to choose from."""
    begun = sorted(name for name in names if begins(name, word))
    found = [name for name in begun if name.removesuffix("_") not in begun or not name.endswith("_")]
    return found if len(found) <= MOST_LONGER else []


def longer_names(word, names):
    """Return the names that begin with a word: `CrossEntropyLoss` for `CrossEntropy`, `Conv1d` and others for `Conv`."""
    if len(word) < SHORTEST_BEGINNING:
        return []
    low = word.lower()
    begun = sorted(name for name in names if begins(name, word))
    ended = [name for name in begun if re.fullmatch(r"loss|\dd", name.lower().removeprefix(low))]
    found = ended or begun or [name for name in names if has_parts(name, word)]
    return sorted(found) if len(found) <= MOST_LONGER else []


def has_parts(name, word):
    """Return True if two or more parts of a word (`CosineLR`) are, in order, parts of a name (`CosineAnnealingLR`)."""
    parts, rest = CAMEL.findall(word), iter(CAMEL.findall(name))
    return len(parts) > 1 and all(part in rest for part in parts)
