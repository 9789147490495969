"""A span of bytes of an open file, as a separate file."""

import io


class FileView(io.RawIOBase):
    """The ``length`` bytes of a file from ``begin`` on, for reading. Views of one file share its position."""

    def __init__(self, file, begin, length):
        self.file, self.begin, self.length, self.place = file, begin, length, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self.place

    def seek(self, offset, whence=io.SEEK_SET):
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.place, io.SEEK_END: self.length}[whence]
        if base + offset < 0:
            raise OSError("seek before the beginning")
        self.place = base + offset
        return self.place

    def readinto(self, buffer):
        room = max(min(len(buffer), self.length - self.place), 0)
        self.file.seek(self.begin + self.place)
        count = self.file.readinto(memoryview(buffer)[:room])
        self.place += count
        return count
