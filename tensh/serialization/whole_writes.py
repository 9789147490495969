"""Raw files, which may write less than they are given."""

import errno
import io


class WholeWrites:
    """A raw file whose writes are repeated until everything is written, as those of buffered files are."""

    def __init__(self, file):
        self.file = file

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        """Write all bytes; raise OSError if the file takes none."""
        rest = memoryview(data).cast("B")
        while rest:
            written = self.file.write(rest)
            if written == 0:
                raise OSError(errno.EIO, "the file accepts no more bytes")
            rest = rest[len(rest) if written is None else written :]  # None: written by a class that does not count


def write_whole(file):
    """Return a file each of whose writes is complete."""
    return WholeWrites(file) if isinstance(file, io.RawIOBase) else file
