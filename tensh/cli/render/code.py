"""Quoting code: lines with their numbers, and marks under a piece of one."""

import ast

from tensh.show.text import cells

LINES_BEFORE = 2
LONGEST = 8  # lines of a piece that are quoted


def quote(place, failing, before=LINES_BEFORE):
    """(kind, text) pairs that show the lines of a place and some before it, and mark the piece itself."""
    lines = place.source.lines
    last = min(place.end_line or place.line, place.line + LONGEST - 1, len(lines))
    width = max(len(str(last)), 2)
    for number in range(max(1, place.line - before), last + 1):
        inside = number >= place.line
        yield ("mark", "  -> ") if inside and failing else ("margin", "     ")
        yield "margin", f"{number:>{width}} | "
        yield "code", _visible(lines[number - 1]) + "\n"
        if inside and place.segment is not None:
            yield "margin", " " * (width + 6) + "| "
            yield "mark", marks(lines[number - 1], place.column, place.end_column) + "\n"


def marks(line, column, end_column):
    """The line to go below `line` that marks columns: `~~~^~~~` with `^` at the operator, else `^^^^^`."""
    segment = line[column:end_column] or " "  # the parser may stop behind the end of a line
    first, end = operator(segment) or (0, len(segment))
    signs = ["^" if first <= position < end else "~" for position in range(len(segment))]
    return blank(line[:column]) + "".join(
        sign * cells(character) for sign, character in zip(signs, segment, strict=True)
    )


def operator(segment):
    """Where the operator of a binary operation is, or the brackets of an index: (first, end) in the segment."""
    try:
        tree = ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if isinstance(tree, ast.BinOp):
        first, end = _column(segment, tree.left.end_col_offset), _column(segment, tree.right.col_offset)
        signs = [position for position in range(first, end) if segment[position] in "+-*/%@&|^<>"]
        return (signs[0], signs[-1] + 1) if signs else None
    if isinstance(tree, ast.Subscript):
        return segment.index("[", _column(segment, tree.value.end_col_offset)), len(segment.rstrip())
    return None


def _column(segment, offset):
    """An offset in the bytes of the segment with a parenthesis before it, as a column of the segment."""
    return len(segment.encode()[: offset - 1].decode(errors="replace"))


def blank(text):
    """Space as wide as a text."""
    return "".join("\t" if character == "\t" else " " * cells(character) for character in text)


def _visible(line):
    """A line of code without what would move the cursor."""
    return "".join(character if character.isprintable() or character == "\t" else "?" for character in line)
