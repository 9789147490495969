"""An image as a PNG file (ISO/IEC 15948), for terminals that show such files."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
RGB = 2  # colour type of three channels


def encode(image):
    """Return a PNG file of an array of bytes, of shape [rows, columns, 3].

    >>> import numpy as np
    >>> from tensh.show.drawing.png import encode
    >>> encode(np.zeros((2, 3, 3), np.uint8))[1:4]
    b'PNG'
    """
    rows, columns, _ = image.shape
    header = struct.pack(">IIBBBBB", columns, rows, 8, RGB, 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in image)  # each row begins with its filter: none
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b"")


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
