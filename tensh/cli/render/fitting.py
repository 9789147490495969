"""Wrapping the prose of explanations to the width of the window."""

import re

from tensh.show.drawing.text import PIECES, cells
from tensh.support.language import _, deferred

AS_THEY_ARE = {"margin", "mark", "unwrapped"}  # kinds of text that need their columns
MESSAGES = {"message", "warning"}  # kinds of text in the first lines of a failure and of a warning
LABELS = deferred("try:"), deferred("or:"), deferred("fits:"), deferred("then:"), deferred("locals: {names}")
NOTICE = 2  # columns before what goes on below a notice
LEFT = 4  # columns before code that is too long to follow its label
RESULT = " -> "  # between two shapes, which stay together
DETAILS = 8  # columns before a result that is too long to begin where its line's text does
WORD = r"\S+\s*|\s+"


def fit(tokens, width):
    """Wrap lines of (kind, text) pairs that are too wide.

    Lines that are not indented stay whole, so that they can be copied, except for notices and messages.
    """
    lines = [*split_lines(tokens)]
    for line, after in zip(lines, [*lines[1:], []], strict=True):
        text = "".join(piece for _kind, piece in line)
        is_message = any(kind in MESSAGES for kind, _piece in line)
        is_marked = bool(after) and after[0][0] == "mark" and not is_message
        is_whole = not text.startswith("  ") and not is_message and any(kind != "note" for kind, _piece in line)
        has_columns = is_marked or is_whole or any(kind in AS_THEY_ARE for kind, _piece in line)
        yield from line if has_columns or columns(text.rstrip()) <= width else break_line(line, text, width)


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


def columns(text):
    """Return the columns of a text at the beginning of a line, where tabs reach the next multiple of eight."""
    return cells(text.expandtabs())


def find_indent(text):
    """Return the column at which the text of a line begins, after a label in the chosen language."""
    rest = text.lstrip(" \t")
    if rest == text:
        return NOTICE
    if text.startswith("\t"):
        return columns(text[: len(text) - len(rest)]) + NOTICE
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
        is_result = kind != "code" and RESULT in piece and piece.lstrip(" ").startswith(("[", "->"))
        if is_result and column + cells(piece.rstrip()) > width and column > min(indent, DETAILS):
            piece = piece.lstrip(" ")
            is_result = min(indent, DETAILS) + cells(piece.rstrip()) <= width
            if indent + cells(piece.rstrip()) > width:
                indent = min(indent, DETAILS)
            yield "plain", "\n" + " " * indent
            column = indent
        is_whole = kind == "code" or is_result
        for word in [piece] if is_whole else re.findall(WORD if piece.isascii() else PIECES, piece):
            reach = cells(word.rstrip())
            if kind == "code" and column + cells(word) > width and column > LEFT:
                left = max(min(LEFT, width - cells(word)), 0)  # whole, so that it can be copied
                yield "plain", "\n" + " " * left
                column = left
            elif word.strip() and column > indent and column + reach > width >= indent + reach:
                yield "plain", "\n" + " " * indent
                column, word = indent, word.lstrip(" ")
            yield kind, word
            is_broken = column + reach > width  # by the window, since no line holds the word
            column += columns(word)
            if is_broken:
                column %= width
