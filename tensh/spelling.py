"""How far two words are from each other, and which of some names is meant by a word."""

MOST_SLIPS = 3


def distance(one, two):
    """The number of letters to insert, to leave out, to replace, or to exchange with their neighbour.

    The optimal string alignment distance (Damerau 1964, Levenshtein 1966).

    >>> from tensh.spelling import distance
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
    """The name among those known that a word is a slip of, or None: a few letters differ, or capitals alone."""
    from difflib import SequenceMatcher  # a millisecond that only a failure costs

    hidden, low = word.startswith("_"), word.lower()
    names = [
        name for name in known if (hidden or not name.startswith("_")) and abs(len(name) - len(word)) <= MOST_SLIPS
    ]
    near = [(distance(low, name.lower()), distance(word, name), name) for name in names]

    def rank(each):
        slipped, differing, name = each
        return slipped, differing, sorted(name) != sorted(word), -SequenceMatcher(None, word, name).ratio()

    near = [each for each in near if each[0] <= slips(word)]
    return min(near, key=rank)[2] if near else None


def slips(word):
    """How many letters of a word may be wrong."""
    return min(max((len(word) - 1) // 3, 1), MOST_SLIPS) if len(word) > 2 else 0
