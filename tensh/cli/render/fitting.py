"""Prose that fits the window: long lines of an explanation are broken between words."""

import re

from tensh.show.text import cells

AS_THEY_ARE = {"margin", "mark"}  # kinds of lines in which columns matter
LABEL = re.compile(r" *(?:(?:try|or|fits|then): +|locals: )?")
RESULT = " -> "  # between shapes, which belong together
WORD = re.compile(r"\S*\s*")


def fit(tokens, width):
    """Fit (kind, text) pairs into some columns. The first line stays whole, so that it can be copied."""
    lines = [*split_lines(tokens)]
    for line, after in zip(lines, [*lines[1:], []], strict=True):
        text = "".join(piece for _, piece in line)
        is_marked = bool(after) and after[0][0] == "mark"
        has_columns = is_marked or not text.startswith("  ") or any(kind in AS_THEY_ARE for kind, _ in line)
        yield from line if has_columns or cells(text.rstrip()) <= width else break_line(line, text, width)


def split_lines(tokens):
    """The pairs of each line, the last of which ends it."""
    line = []
    for kind, text in tokens:
        for piece in text.splitlines(keepends=True):
            line.append((kind, piece))
            if piece.endswith("\n"):
                yield line
                line = []
    if line:
        yield line


def break_line(line, text, width):
    """A line as several, the others indented to where the words of the first begin."""
    indent = len(LABEL.match(text)[0])
    column = 0
    for kind, piece in line:
        for word in [piece] if kind == "code" or RESULT in piece else WORD.findall(piece):
            if word.strip() and column > indent and column + cells(word.rstrip()) > width:
                yield "plain", "\n" + " " * indent
                column, word = indent, word.lstrip(" ")
            yield kind, word
            column += cells(word)
