"""Atomic writing of files."""

from tensh.support.replacing import replace_file


def write(path, data):
    """Write bytes to a file atomically: on an error it stays as it was. Raise OSError."""
    with replace_file(path) as file:
        file.write(data)


def write_text(path, pieces):
    """Write pieces of text to a file atomically, as they come. Raise OSError."""
    with replace_file(path) as file:
        for piece in pieces:
            file.write(piece.encode(errors="backslashreplace"))
