"""Text measured by its width in a terminal, where a character takes zero to two columns."""

import re

from tensh.support.escaping import visible
from tensh.support.language import _

# A wide character, or a word with the punctuation that stays on its line and the spaces after it. A string, since
# compiling these ranges would take 3.6 ms at every start.
PIECES = r"(?:[\u2e80-\uffdc]|[^\s\u2e80-\uffdc]+)[，。、；：？！）》」』”’]*\s*|\s+"
LONGEST_MESSAGE = 10_000  # characters of a message that are shown, several screens


def cells(text):
    """Return the columns of a text in a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character):
    if character in "\n\t":
        return 1
    shown = visible(character)
    if shown != character:
        return len(shown)
    if character < "\u0300":
        return 1
    import unicodedata  # needed by few texts

    if unicodedata.category(character) in ("Mn", "Me"):  # accents and variation selectors
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text, width, to_the_right=False):
    """Pad a text with spaces to a width, on the right or on the left."""
    gap = " " * (width - cells(text))
    return gap + text if to_the_right else text + gap


def shorten(text, width, unicode=True):
    """Shorten a text to a width, ending in an ellipsis."""
    if cells(text) <= width:
        return text
    ellipsis = "…" if unicode else "..."
    kept, room = "", width - len(ellipsis)
    for character in text:
        room -= cells(character)
        if room < 0:
            break
        kept += character
    return kept + ellipsis[: max(width, 0)]


def shorten_middle(text):
    """Shorten the middle of a message that would flood a window, and tell how much is omitted."""
    if len(text) <= LONGEST_MESSAGE:
        return text
    end = LONGEST_MESSAGE // 4
    begin = LONGEST_MESSAGE - end
    return _("{begin} ... {number:,} characters omitted ... {end}").format(
        begin=text[:begin], number=len(text) - LONGEST_MESSAGE, end=text[-end:]
    )


def comment(facts, page, begin="# "):
    """Yield (kind, text) pairs of a comment: facts separated by dots, wrapped in a narrow window.

    A fact is a text, or a (kind, text) pair if it is to stand out.
    """
    dot = " · " if page.unicode else ", "
    yield "note", begin
    used = len(begin)
    for place, fact in enumerate(facts):
        kind, text = fact if isinstance(fact, tuple) else ("note", fact)
        if page.is_window and cells(text) > page.width - 4:
            text = "\n#   ".join(wrap_lines(text, page.width - 4))
        if place and page.is_window and used + len(dot) + cells(text) > page.width:
            yield "note", "\n#   "
            used = 4
        elif place:
            yield "note", dot
            used += len(dot)
        yield kind, text
        used = cells(text.rpartition("\n")[2]) + (0 if "\n" in text else used)


def wrap_lines(text, width):
    """Wrap a text between words; Chinese between characters, but not before a full stop."""
    import textwrap

    if text.isascii():
        return textwrap.wrap(text, width, break_on_hyphens=False)
    lines = [""]
    for piece in re.findall(PIECES, text):
        if cells((lines[-1] + piece).rstrip()) > width and lines[-1].strip():
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines]


def one_line(text):
    """Join the lines of a text."""
    return " ".join(text.split())
