"""Wrapping the prose of explanations to the width of the window."""

import re

from tensh.show.text import cells
from tensh.support.language import _, deferred

AS_THEY_ARE = {"margin", "mark"}  # kinds of text that need their columns
LABELS = deferred("try:"), deferred("or:"), deferred("fits:"), deferred("then:"), deferred("locals: {names}")
NOTICE = 2  # columns before what goes on below a notice
LEFT = 4  # columns before code that is too long to follow its label
RESULT = " -> "  # keeps two shapes together
WORD = re.compile(r"\S*\s*")


def fit(tokens, width):
    """Wrap lines of (kind, text) pairs that are too wide.

    Lines that are not indented stay whole, so that they can be copied, except for notices.
    """
    lines = [*split_lines(tokens)]
    for line, after in zip(lines, [*lines[1:], []], strict=True):
        text = "".join(piece for _kind, piece in line)
        is_marked = bool(after) and after[0][0] == "mark"
        is_notice = all(kind == "note" for kind, _piece in line)
        is_whole = not text.startswith("  ") and not is_notice
        has_columns = is_marked or is_whole or any(kind in AS_THEY_ARE for kind, _ in line)
        yield from line if has_columns or cells(text.rstrip()) <= width else break_line(line, text, width)


def split_lines(tokens):
    """Yield the pairs of each line; the last pair ends it."""
    line = []
    for kind, text in tokens:
        for piece in text.splitlines(keepends=True):
            line.append((kind, piece))
            if piece.endswith("\n"):
                yield line
                line = []
    if line:
        yield line


def find_indent(text):
    """Return the column at which the text of a line begins, after a label in the chosen language."""
    rest = text.lstrip(" ")
    if rest == text:
        return NOTICE
    label = next((each for each in (_(each).partition("{")[0] for each in LABELS) if rest.startswith(each)), "")
    return cells(text) - cells(rest[len(label) :].lstrip(" "))


def break_line(line, text, width):
    """Break a line between words, indenting the rest to where its text begins."""
    yield from without_trailing_spaces(broken(line, find_indent(text), width))


def without_trailing_spaces(pairs):
    """Yield (kind, text) pairs without the spaces before a line break that was put in."""
    last = None
    for kind, text in ((kind, text) for kind, text in pairs if text):
        if last is not None:
            yield (last[0], last[1].rstrip(" ") if text.startswith("\n") else last[1])
        last = kind, text
    if last is not None:
        yield last


def broken(line, indent, width):
    """Yield the pairs of a line with breaks between its words."""
    column = 0
    for kind, piece in line:
        for word in [piece] if kind == "code" or RESULT in piece else WORD.findall(piece):
            if kind == "code" and column + cells(word) > width and column > LEFT:
                left = max(min(LEFT, width - cells(word)), 0)  # whole, so that it can be copied
                yield "plain", "\n" + " " * left
                column = left
            elif word.strip() and column > indent and column + cells(word.rstrip()) > width:
                yield "plain", "\n" + " " * indent
                column, word = indent, word.lstrip(" ")
            yield kind, word
            column += cells(word)
