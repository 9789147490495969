"""Files that are written whole, or stay as they were."""

from tensh.replacing import replace_file


def write(path, data):
    """Write bytes into a file: all of them, or it is as it was, or not there. Raise OSError."""
    with replace_file(path) as file:
        file.write(data)


def write_text(path, pieces):
    """Write pieces of text in the same way, as they come."""
    with replace_file(path) as file:
        for piece in pieces:
            file.write(piece.encode(errors="backslashreplace"))
