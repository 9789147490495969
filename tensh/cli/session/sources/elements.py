"""Paths of elements such as `net.0.weight`, the name of a parameter, as Python: `net[0].weight`."""

import ast
import re

# Patterns are compiled at their first use, to save time at start-up.
STRING = r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
ELEMENT = r"(?<![\w.])[^\W\d]\w*(?:\.\w+|\[[^\]]*\])*\.\d+(?:\.\w+|\[[^\]]*\])*"  # net.0.weight
NUMBER = r"\.(\d+)(?=\.|\[|$)"


def write_elements(text):
    """Rewrite element paths such as `net.0.weight`, the name of a parameter, as Python: `net[0].weight`."""
    return change_outside_strings(
        text, lambda piece: re.sub(ELEMENT, lambda match: re.sub(NUMBER, lambda part: f"[{part[1]}]", match[0]), piece)
    )


def change_outside_strings(text, change):
    """Change the pieces of a text outside of string literals."""
    pieces, begin = [], 0
    for match in re.finditer(STRING, text):
        pieces += [change(text[begin : match.start()]), match[0]]
        begin = match.end()
    return "".join([*pieces, change(text[begin:])])


def parse_elements(text, filename, mode):
    """Parse code with paths of elements in it, each node in the columns of its text; raise SyntaxError for other code."""
    written = write_elements(text)
    tree = ast.parse(written, filename, mode)
    added = find_added(text, written)
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset -= sum(each < node.col_offset for each in added)
            node.end_col_offset -= sum(each < node.end_col_offset for each in added)
    return tree


def find_added(text, written):
    """Return the columns of the closing brackets that were added to a text of one line."""
    added, place = [], 0
    for column, character in enumerate(written):
        is_same = place < len(text) and (character == text[place] or (character, text[place]) == ("[", "."))
        place += is_same
        if not is_same:
            added.append(len(written[:column].encode()))
    return added
