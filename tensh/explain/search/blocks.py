"""Blocks that lack something: a statement, their beginning above an `else`, or an `except`."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.support.language import _

HANDLER = "except Exception as error: print(error)"
FOLLOWERS = {
    "elif": "if",
    "else": "if, for, while, try",
    "except": "try",
    "finally": "try",
}
"""Words that continue a block, and the words that begin it."""


def is_read(lines, is_open=False):
    """Return True if the lines can be read as Python; ``is_open`` allows the last one to begin a block."""
    if is_open and lines[-1].rstrip().endswith(":"):
        lines = [*lines, indent_of(lines[-1]) + "    pass"]
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def explain_block(lines, line):
    """Return the Explanation of a block that lacks something before a line; None if that is not why it cannot be read."""
    if parted := part_block(lines, line):
        return parted
    before, indent = lines[: line - 1], indent_of(lines[line - 1])
    if is_read([*before, f"{indent}    pass", *lines[line - 1 :]]):
        fit = Fit(f"{indent}    pass", "", line, "before")
        return Explanation("syntax", (), _("a block needs a statement: pass does nothing"), (fit,))
    if is_read([*before, f"{indent}{HANDLER}", *lines[line - 1 :]]):
        rule = _("a try block is followed by except, with what to do if it fails, or by finally")
        return Explanation("syntax", (), rule, (Fit(HANDLER, "", line, "before"),))
    word = re.match(r"\s*(\w*)", lines[line - 1])[1]
    if word in FOLLOWERS:
        rule = _("{word} belongs to a block above it ({blocks}), in the same column and with nothing between them")
        return Explanation("syntax", (), rule.format(word=word, blocks=FOLLOWERS[word]))
    return None


def part_block(lines, line):
    """Return the Explanation of a block that begins behind a semicolon; None if there is none."""
    text = lines[line - 1]
    behind = re.search(r";\s*(?=(?:with|for|if|while|def|class|try)\b)", text)
    if behind is None:
        return None
    first, second = text[: behind.start()], indent_of(text) + text[behind.end() :]
    if not is_read([*lines[: line - 1], first, second, *lines[line:]], is_open=True):
        return None
    fit = Fit(first.strip(), "", line, more=(Fit(second.strip(), "", line, "after"),))
    return Explanation("syntax", (), _("a block begins on a line of its own"), (fit,))


def indent_of(text):
    return re.match(r"\s*", text)[0]
