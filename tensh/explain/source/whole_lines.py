"""Changes of a line that holds several statements, or a whole block: the line is shown, and two changes of it are one."""

import ast
from difflib import SequenceMatcher

from tensh.support.columns import in_characters


def whole_lines(place, fits):
    """Fits whose text is one of the statements of a line (`a = 1; b = 2`), with the other statements around it."""
    return tuple(write_lines(place, fit) for fit in fits)


def write_lines(place, fit):
    """Return a Fit, and those that belong to it, with whole lines."""
    if fit.line is None or not fit.line or fit.side:
        return fit
    changes = [fit.text, *(each.text for each in fit.more if each.line == fit.line and not each.side)]
    text = write_statements(place, fit.line, changes)
    if text is None:
        return fit
    rest = [each for each in fit.more if each.line != fit.line or each.side]
    return fit._replace(text=text, more=tuple(write_lines(place, each) for each in rest))


def write_statements(place, number, changes):
    """Return a line with some of its statements changed; None where it holds one statement, or a change is the whole line."""
    tree = place.tree()
    all_of_line = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno == number] if tree else []
    blocks = [each for each in all_of_line if hasattr(each, "body") and each.body[0].lineno == number]
    line = place.source.split("\n")[number - 1]
    if blocks and len(changes) == 1 and is_head(changes[0]):
        return f"{changes[0]} {line[in_characters(line, blocks[0].body[0].col_offset) :]}"
    found = [each for each in all_of_line if each.end_lineno == number and not hasattr(each, "body")]
    if len(found) < 2 - bool(blocks) or not all(map(is_within_line, changes)):
        return None
    spans = {}
    for text in changes:
        nearest = max(found, key=lambda each: (is_alike(each, text), measure_likeness(each, text)))
        spans[in_characters(line, nearest.col_offset), in_characters(line, nearest.end_col_offset)] = text
    for (start, end), text in sorted(spans.items(), reverse=True):
        line = line[:start] + text + line[end:]
    return line.strip()


def is_head(text):
    """Return True for the first line of a block without its body, as `def f(x):`."""
    return text.endswith(":") and count_statements(f"{text} pass") == 1


def is_within_line(text):
    """Return True for one statement that is no block, which is a whole line."""
    return count_statements(text) == 1 and not hasattr(ast.parse(text).body[0], "body")


def count_statements(text):
    """Return the statements in a text; 0 where Python cannot read it, as the head of a block."""
    try:
        return len(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return 0


def is_alike(statement, text):
    """Return True if a statement assigns the same names as a text."""
    targets = [*map(ast.unparse, getattr(statement, "targets", ()))]
    return bool(targets) and targets == [*map(ast.unparse, getattr(ast.parse(text).body[0], "targets", ()))]


def measure_likeness(statement, text):
    return SequenceMatcher(None, ast.unparse(statement), text).ratio()
