"""Edit distance of words, and the known name that a misspelt word most probably means."""

import re

MOST_SLIPS = 3
MOST_COMPARED = 10_000  # names of a similar length that are compared, in half a second
MOST_NUMBERED = 3  # names that differ only by their numbers


def distance(one, two):
    """Return the number of letters to insert, delete, replace, or exchange with their neighbour.

    The optimal string alignment distance (Damerau 1964, Levenshtein 1966).

    >>> from tensh.support.spelling import distance
    >>> distance("wieght", "weight")
    1
    """
    rows = [[*range(len(two) + 1)]]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(two, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]


def close(word, known):
    """Return the known name that a word misspells, or None: a few letters or only capitals differ."""
    found = closest(word, known)
    return found[0] if found else None


def closest(word, known):
    """Return the names that a word may misspell, likeliest first: two for a reordering of letters and an extra letter.

    >>> from tensh.support.spelling import closest
    >>> closest("radn", ["rand", "randn", "range"])
    ['rand', 'randn']
    """
    from difflib import SequenceMatcher  # a millisecond, spent only after a failure

    hidden, low = word.startswith("_"), word.lower()
    known = sorted(known) if isinstance(known, (set, frozenset)) else known  # the order of a set differs between runs
    names = [
        name for name in known if (hidden or not name.startswith("_")) and abs(len(name) - len(word)) <= MOST_SLIPS
    ]
    near = [(distance(low, name.lower()), distance(word, name), name) for name in names[:MOST_COMPARED]]

    def rank(each):
        slipped, differing, name = each
        is_other = name.endswith("_") != word.endswith("_")  # in place, where a new tensor was meant
        return slipped, differing, is_other, sorted(name) != sorted(word), -SequenceMatcher(None, word, name).ratio()

    near = sorted((each for each in near if each[0] <= count_slips(word)), key=rank)
    first = near[:1]
    if first and sorted(first[0][2]) == sorted(word):
        name = first[0][2]
        first += [each for each in near[1:] if each[:2] == first[0][:2] and each[2][:-1] == name]
    elif first:
        alike = [each for each in near if each[:2] == first[0][:2]]
        same = {re.sub(r"\d", "", name) for *_, name in alike}
        if same == {re.sub(r"\d", "", word)} and any(map(str.isdigit, word)):  # `fc3`, if there are fc1 and fc2
            first = sorted(alike, key=lambda each: each[2])[:MOST_NUMBERED]
    return [name for *_, name in first]


def count_slips(word):
    """Return the number of letters of a word that may be wrong."""
    return min(max((len(word) - 1) // 3, 1), MOST_SLIPS) if len(word) > 2 else 0
