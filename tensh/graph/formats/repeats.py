"""Repetition in a sequence: the smallest period, and runs of the same block."""

import numpy as np


def period(items):
    """Return the length of the shortest block whose repetition is ``items``, with the last one possibly incomplete.

    By the prefix function of Knuth, Morris and Pratt: the period is what the longest proper prefix that is a suffix
    leaves.
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
    """Return (start, length, times) of runs of blocks, up to ``longest`` items, with ``least`` repetitions or more.

    Runs do not overlap: longer runs take precedence, and among equal ones those with the shortest block.
    """
    numbers = {}
    ids = np.array([numbers.setdefault(item, len(numbers)) for item in items])
    found = []
    for length in range(1, min(longest, len(ids) // least) + 1):
        same = np.concatenate(([False], ids[length:] == ids[:-length], [False]))
        starts, ends = np.flatnonzero(np.diff(same.astype(np.int8))).reshape(-1, 2).T
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            times = (end - start) // length + 1
            if times >= least:
                found.append((start, length, times))
    taken = np.zeros(len(ids), bool)
    chosen = []
    for start, length, times in sorted(found, key=lambda run: (-run[1] * run[2], run[1])):
        if not taken[start : start + length * times].any():
            taken[start : start + length * times] = True
            chosen.append((start, length, times))
    return sorted(chosen)
