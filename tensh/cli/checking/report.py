"""The report of a check, as (kind, text) pairs for a reader and as JSON."""

import difflib
from collections import Counter
from itertools import groupby, zip_longest

from tensh.cli.checking.verdicts import BAD, DIFFERS, FAILS, NOT_CHECKED, OK, RAN, SKIPPED
from tensh.cli.render import failure as failures
from tensh.show.drawing.text import cells, pad, shorten
from tensh.support.escaping import dumps
from tensh.support.language import _, deferred

MARGIN = "         "
SIDE = 8  # columns for the word before a line
LONGEST_LINE = 100  # columns shown of a line
SHORTEST_LINE = 8  # columns shown of a line in a narrow window
MOST_LINES = 3  # differing lines shown for a cell
MOST_NUMBERS = 5  # differing numbers reported for a line
LONGEST_TEXT = 2000  # lines compared of a text
MOST_PAIRS = 100**2  # pairs of lines given to difflib, whose time is cubic where many are alike
WORDS = {
    OK: deferred("ok"), RAN: deferred("ran"), DIFFERS: deferred("DIFFERS"), FAILS: deferred("FAILS"),
    NOT_CHECKED: deferred("not checked"), SKIPPED: deferred("skipped"),
}  # fmt: skip
SUMMARY = {
    OK: deferred("{} ok"),
    RAN: deferred("{} ran"),
    DIFFERS: deferred("{} differ"),
    FAILS: deferred("{} failed"),
    NOT_CHECKED: deferred("{} not checked"),
    SKIPPED: deferred("{} skipped"),
}


def lines(verdict, label=3, width=None):
    """Yield (kind, text) pairs for the report line of a cell, and for its difference.

    ``label`` is the number of columns for the labels of cells, ``width`` that of the window; None outside a window.
    """
    word = _(WORDS[verdict.status])
    yield "name", f"  {verdict.label:<{label}}  "
    yield "trouble" if verdict.is_bad else "plain", word
    if verdict.status in BAD:
        yield "plain", " " * (9 - cells(word)) + f"{shorten(verdict.code, find_room(width, label + 13))}\n"
    elif verdict.status in (NOT_CHECKED, SKIPPED):
        yield "plain", f": {verdict.note}\n"
    else:
        yield "note", (" " * (9 - cells(word)) + verdict.note).rstrip() + "\n"
    if verdict.status == FAILS:
        yield from indent(failures.render_short(verdict.result.failure, width=width and width - len(MARGIN)))
    elif verdict.comparison and verdict.status == DIFFERS:
        yield from difference(verdict.comparison, find_room(width, len(MARGIN) + SIDE))


def find_room(width, before):
    """Return the columns for a line behind some others."""
    return LONGEST_LINE if width is None else min(LONGEST_LINE, max(SHORTEST_LINE, width - before))


def indent(tokens):
    """Indent each line of some pairs."""
    begins = True
    for kind, text in tokens:
        for line in text.splitlines(keepends=True):
            yield "plain", MARGIN * begins
            is_long = cells(line) > 2 * LONGEST_LINE
            yield kind, shorten(line, 2 * LONGEST_LINE) + "\n" * line.endswith("\n") if is_long else line
            begins = line.endswith("\n")


def difference(comparison, room=LONGEST_LINE):
    """Describe the difference of two texts, whose lines have some columns of room."""
    if comparison.wrong:
        yield from report_numbers(comparison, room)
    else:
        yield from report_text(comparison, room)


# ── numbers ──────────────────────────────────────────────────────────────────


def report_numbers(comparison, room):
    """Show the lines with differing numbers, mark the numbers, and tell where they are and by how much they are off."""
    left = [*comparison.wrong]
    groups = [[*group] for _line, group in groupby(left, lambda wrong: comparison.now.count("\n", 0, wrong.now.start))]
    told = 0
    for group in groups[:MOST_LINES]:
        stored, _begin = line_around(comparison.stored, group[0].stored.start)
        now, begin = line_around(comparison.now, group[0].now.start)
        shift = find_shift(now, group[0].now.start - begin, room)
        yield from pair(stored, now, comparison.sides, shift, room)
        told += 1
        yield from mark_numbers(now[shift:], group, begin + shift, describe(group[0]), room)
        for wrong in group[1:MOST_NUMBERS]:
            yield "note", f"{MARGIN}{' ' * SIDE}{describe(wrong)}\n"
            told += 1
    if told < len(left):
        more = _("and {more} more of {number} numbers").format(more=len(left) - told, number=len(left))
        yield "note", f"{MARGIN}{' ' * SIDE}{more}\n"


def line_around(text, place):
    """Return (the line around a position, where it begins)."""
    begin = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return text[begin : len(text) if end < 0 else end], begin


def find_shift(line, begin, room):
    """Return how many characters of a line that is too long are left out, so that the one at ``begin`` is shown."""
    return max(0, begin - room // 2) if cells(line) > room else 0


def pair(stored, now, sides, shift, room):
    """Show a line as stored and as it is now, without the first ``shift`` characters."""
    for side, line in zip(sides, (stored, now), strict=True):
        text = _("(nothing)") if line is None else "…" * bool(shift and line[shift:]) + line[shift + bool(shift) :]
        yield "note", MARGIN + pad(_(side), SIDE)
        yield "unwrapped", shorten(text, room) + "\n"


def mark_numbers(line, group, begin, words, room):
    """Mark numbers of a line, with a remark after the marks, or below them where there is no room."""
    marks = ""
    for wrong in group:
        column = wrong.now.start - begin
        before = cells(line[:column])
        if before >= room:
            break
        marks += " " * (before - len(marks)) + "^" * len(wrong.now.text)
    is_beside = room == LONGEST_LINE or len(marks) + 5 + cells(words) <= room
    yield "mark", MARGIN + " " * SIDE + marks[:room]
    yield "note", f"     {words}\n" if is_beside else f"\n{MARGIN}{' ' * SIDE}{words}\n"


def describe(wrong):
    """Describe a number that differs: its index, its old and new value, and the difference."""
    where = _("at {path}: ").format(path=wrong.now.path) if wrong.now.path else ""
    before, after = (shorten(number.text.removesuffix("."), 30) for number in wrong[:2])
    return f"{where}{before} -> {after}" + (_(", off by {off_by}").format(off_by=wrong.off_by) if wrong.off_by else "")


# ── text ─────────────────────────────────────────────────────────────────────


def report_text(comparison, room):
    """Show the first lines that differ, with the differing part marked."""
    stored, now = (text.split("\n")[:LONGEST_TEXT] if text else [] for text in (comparison.stored, comparison.now))
    pairs = [*pair_replaced_lines(stored, now)]
    for before, after in pairs[:MOST_LINES]:
        if before is None or after is None:
            yield from pair(before, after, comparison.sides, 0, room)
            continue
        begin, end = find_difference(before, after)
        shift = find_shift(max(before, after, key=cells), begin, room)
        yield from pair(before, after, comparison.sides, shift, room)
        column = cells(after[shift:begin])
        if column < room:
            marks = "^" * max(1, min(cells(after[begin:end]), room - column))
            yield "mark", MARGIN + " " * (SIDE + column) + marks + "\n"
    if len(pairs) > MOST_LINES:
        yield "note", MARGIN + " " * SIDE + _("and {number} more lines").format(number=len(pairs) - MOST_LINES) + "\n"


def pair_replaced_lines(stored, now):
    """Pair the lines that replace each other: by difflib, or in order where difflib would take too long."""
    begin, end = find_difference(stored, now)
    ends = len(stored) - (len(now) - end), end
    if (ends[0] - begin) * (ends[1] - begin) > MOST_PAIRS:
        yield from pair_lines(stored, now, begin, ends[0], begin, ends[1])
        return
    matcher = difflib.SequenceMatcher(None, stored[begin : ends[0]], now[begin : ends[1]], autojunk=False)
    for kind, *places in matcher.get_opcodes():
        if kind != "equal":
            yield from pair_lines(stored, now, *(begin + place for place in places))


def pair_lines(stored, now, begin, end, new_begin, new_end):
    """Pair replaced lines in order, with None for a missing line."""
    return zip_longest(stored[begin:end], now[new_begin:new_end])


def find_difference(before, after):
    """Return (first, end) of the differing part of the second of two lines, or of two lists of lines."""
    shortest = min(len(before), len(after))
    first = next((n for n in range(shortest) if before[n] != after[n]), shortest)
    same = next((n for n in range(shortest - first) if before[-1 - n] != after[-1 - n]), shortest - first)
    return first, len(after) - same


# ── the session ──────────────────────────────────────────────────────────────


def summary(found, seconds, width=None):
    """Yield (kind, text) pairs that count the verdicts, in a window of some columns; None outside a window."""
    counts = Counter(verdict.status for verdict in found)
    words = ", ".join(plural(_(SUMMARY[status]), counts[status]) for status in SUMMARY if counts[status])
    words, time = words or _("nothing to check"), f"{seconds:.2f} s"
    yield "title", words
    between = 12 if width is None else width - cells(words) - len(time)
    yield "note", (" " * min(between, 12) if between > 0 else "\n") + time + "\n"


def plural(words, count):
    """Write a count with its noun."""
    return words.format(count).replace("1 differ", "1 differs") if count == 1 else words.format(count)


def format_cell(path, verdict):
    """Write a verdict as one line of JSON."""
    found = {
        "v": 1, "kind": "cell", "file": path, "cell": verdict.number, "count": verdict.cell.count,
        "status": verdict.status, "note": verdict.note, "code": verdict.code,
    }  # fmt: skip
    if verdict.status == FAILS:
        found |= {"error": verdict.result.failure.kind, "message": verdict.result.failure.message}
    if verdict.comparison and verdict.status in BAD:
        compared = verdict.comparison
        found |= zip(compared.sides, (compared.stored, compared.now), strict=True)
        found["numbers"] = [number(wrong, compared.sides) for wrong in compared.wrong]
    return dumps(found) + "\n"


def number(wrong, sides):
    return {"index": wrong.now.path, sides[0]: wrong.stored.text, sides[1]: wrong.now.text, "off_by": wrong.off_by}


def format_end(found, files, seconds, status):
    """Write the summary of all verdicts as one line of JSON."""
    counts = Counter(verdict.status for verdict in found)
    every = {status.replace(" ", "_"): counts[status] for status in WORDS}
    return dumps({"v": 1, "kind": "end", "files": files, **every, "seconds": round(seconds, 3), "exit": status}) + "\n"
