"""Columns of a line: Python's trees count bytes of UTF-8, people, errors and terminals count characters."""


def in_characters(line, column):
    """A column in bytes of UTF-8 as a column in characters."""
    return len(line.encode()[:column].decode(errors="replace"))
