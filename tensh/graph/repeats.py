"""Repetition in a sequence: the smallest period, and runs of the same block again and again."""


def period(items):
    """The length of the shortest block of which ``items`` is a repetition, the last one perhaps cut short.

    The prefix function of Knuth, Morris and Pratt: the longest proper prefix that is a suffix leaves the period.
    """
    if not items:
        return 0
    prefix = [0] * len(items)
    for i in range(1, len(items)):
        k = prefix[i - 1]
        while k and items[i] != items[k]:
            k = prefix[k - 1]
        prefix[i] = k + (items[i] == items[k])
    return len(items) - prefix[-1]


def blocks(items, longest=64, least=3):
    """(start, length, times) of the runs in which a block of up to ``longest`` items follows itself ``least`` times or more.

    From left to right; of the blocks that begin in one place the one whose run is longest, and of those the shortest.
    """
    items = list(items)
    places, before = {}, [-1] * len(items)
    for i, item in enumerate(items):
        before[i] = places.get(item, -1)
        places[item] = i
    found, start, i = [], 0, 0
    while i < len(items):
        length = i - before[i] if before[i] >= start else 0
        if 0 < length <= longest:
            end = i
            while end < len(items) and items[end] == items[end - length]:
                end += 1
            times = (end - before[i]) // length
            if times >= least:
                found.append((before[i], length, times))
                start = i = before[i] + length * times
                continue
        i += 1
    return found
