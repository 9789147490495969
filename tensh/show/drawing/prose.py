"""Wrapping prose to a window: between words, in Chinese between any characters but before a full stop."""

import re

from tensh.show.drawing.text import cells
from tensh.support.escaping import visible

WIDEST = 76  # columns of prose in a wide window
PIECES = re.compile(r"`[^`]*`|\*\*[^*]+\*\*|[ \n]+|[^\s`*\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]+|.", re.DOTALL)
NEVER_FIRST = frozenset("，。、；：？！）》」』”’…％,.;:?!)]}")
NEVER_LAST = frozenset("（《「『“‘([{")
BY_ITSELF = ("    ", "|", "> ")  # beginnings of lines of code, tables and quotations
ITEM = re.compile(r"(?:[-*]|\d+\.) +")


def lines_of(text, width):
    """Yield the lines of a text as lists of (kind, text) pairs. Lists keep their marks, tables and code their lines."""
    for part in parts(visible(text)):
        if part.startswith(BY_ITSELF):
            yield [("plain", part)]
            continue
        mark = ITEM.match(part)
        begin = mark[0] if mark else ""
        yield from wrap_text(part[len(begin) :], min(width, WIDEST), begin)


def parts(text):
    """Yield the lines of a paragraph, joined except for those that stand alone."""
    joined, last = [], ""
    for line in text.split("\n"):
        if joined and not line.startswith(BY_ITSELF) and not ITEM.match(line) and not joined[0].startswith(BY_ITSELF):
            line = line.strip()
            joined += ["" if is_wide(last[-1:]) and is_wide(line[:1]) else " ", line]
        else:
            if joined:
                yield "".join(joined)
            line = line.rstrip()
            joined = [line]
        last = line or last
    yield "".join(joined)


def is_wide(character):
    """Return True for a character that is not separated by spaces, as in Chinese."""
    return character > "\u2e7f"


def wrap_text(text, width, begin):
    """Wrap a text that follows a mark."""
    line, column = [("plain", begin)] if begin else [], cells(begin)
    indent, is_empty, pending = " " * cells(begin), True, ""
    pieces = glue(PIECES.findall(text))
    for kind, piece in pieces:
        if not piece.strip():
            pending = "" if is_empty else " "
            continue
        if not is_empty and column + len(pending) + cells(piece) > width:
            yield line
            line, column, is_empty, pending = ([("plain", indent)] if indent else []), len(indent), True, ""
        line.append((kind, pending + piece))
        column += len(pending) + cells(piece)
        is_empty, pending = False, ""
    if line:
        yield line


def glue(pieces):
    """Return unbreakable pieces (kind, text): punctuation stays with the word before, opening brackets with the next."""
    words, opening = [], ""  # each word as its kind and its pieces
    for piece in pieces:
        kind = "plain"
        if piece.startswith("`") and len(piece) > 1:
            kind, piece = "name", piece.strip("`")
        elif piece.startswith("**") and len(piece) > 4:
            kind, piece = "title", piece.strip("*")
        if piece in NEVER_LAST:
            opening += piece
            continue
        if words and piece[:1] in NEVER_FIRST and words[-1][1][-1].strip() and not opening:
            words[-1][1].append(piece)
        else:
            words.append((kind, [opening + piece]))
            opening = ""
    return [(kind, "".join(pieces)) for kind, pieces in words] + [("plain", opening)] * bool(opening)
