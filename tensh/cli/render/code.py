"""Quoting code: numbered lines, and marks under part of one."""

import ast

from tensh.cli.session.failures.failure import UNPARSED
from tensh.show.drawing.text import cells
from tensh.support.columns import in_characters

LINES_BEFORE = 2
LONGEST = 8  # lines quoted of a place
LONGEST_LINE = 240  # characters quoted of a line
SHORTEST_LINE = 12  # characters quoted of a line in a narrow window
MARGIN = 15  # columns beside a line: its number, and dots for what is left out


def quote(place, failing, before=LINES_BEFORE, window=None):
    """Yield (kind, text) pairs for the lines of a place and some lines before it, with the place marked.

    Of a marked line that is longer than a ``window`` of so many columns, the part around the marks is quoted.
    """
    lines = place.source.lines
    last = min(place.end_line or place.line, place.line + LONGEST - 1, len(lines))
    width = max(len(str(last)), 2)
    for number in range(max(1, place.line - before), last + 1):
        inside = number >= place.line
        yield ("mark", "  -> ") if inside and failing else ("margin", "     ")
        yield "margin", f"{number:>{width}} | "
        is_marked = inside and place.segment is not None
        line, *columns = lines[number - 1], *((place.column, place.end_column) if is_marked else (0, 0))
        room = LONGEST_LINE if window is None else max(window - width - MARGIN, SHORTEST_LINE)
        if not is_marked or cells(line) <= room:  # a line without marks below it may be broken by the window
            room = LONGEST_LINE
        line, *columns = clip_line(line, *columns, room * len(line) // max(cells(line), 1))
        yield "code", line + "\n"
        if is_marked:
            yield "margin", " " * (width + 6) + "| "
            yield "mark", marks(line, *columns) + "\n"


def clip_line(line, column, end_column, longest):
    """Return a line and two columns in it; of a line longer than ``longest``, the part around them."""
    if len(line) <= longest:
        return line, column, end_column
    begin = max(min(column - longest // 4, len(line) - longest), 0)
    end = begin + longest
    before, after = "..." * (begin > 0), "..." * (end < len(line))
    moved = [min(place, end) - begin + len(before) for place in (column, end_column)]
    return f"{before}{line[begin:end]}{after}", *moved


def marks(line, column, end_column):
    """Return the line of marks for two columns: `~~~^~~~` with `^` at the operator, else `^^^^^`."""
    segment = line[column:end_column] or " "  # the parser may report a column after the end of the line
    first, end = operator(segment) or (0, len(segment))
    signs = ["^" if first <= position < end else "~" for position in range(len(segment))]
    return blank(line[:column]) + "".join(
        sign * cells(character) for sign, character in zip(signs, segment, strict=True)
    )


def operator(segment):
    """Return (first, end) of a binary operation's operator, or of the brackets of an index, in a segment."""
    try:
        tree = ast.parse(f"({segment}\n)", mode="eval").body
    except UNPARSED:
        return None
    if isinstance(tree, ast.BinOp):
        first = in_characters(segment, tree.left.end_col_offset - 1)
        end = in_characters(segment, tree.right.col_offset - 1)
        signs = [position for position in range(first, end) if segment[position] in "+-*/%@&|^<>"]
        return (signs[0], signs[-1] + 1) if signs else None
    if isinstance(tree, ast.Subscript):
        return segment.index("[", in_characters(segment, tree.value.end_col_offset - 1)), len(segment.rstrip())
    return None


def blank(text):
    """Return whitespace as wide as a text."""
    return "".join("\t" if character == "\t" else " " * cells(character) for character in text)
