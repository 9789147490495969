"""Columns of a line: Python's syntax trees count bytes of UTF-8; people, errors and terminals count characters."""


def in_characters(line, column):
    """Convert a column from bytes of UTF-8 to characters."""
    return len(line.encode()[:column].decode(errors="replace"))
