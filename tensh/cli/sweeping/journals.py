"""Files beside that of a sweep, which SQLite would read and obey by itself: they are checked before SQLite sees them."""

import os
import stat
import struct

from tensh.cli.sweeping.table import DamagedTable

MAGIC = bytes.fromhex("d9d505f920a163d7")  # at the begin of a journal, and at the end of one that names another file
HEADER = struct.Struct(">8s8xI4xI")  # the magic bytes; pages of the file before the transaction; bytes of a page


def require_files(path):
    """Raise DamagedTable for a log beside a file, as a sweep writes none, or a journal that is not a plain file.

    Opening a pipe would wait.
    """
    beside = os.path.realpath(path)
    if os.path.lexists(beside + "-wal"):
        raise DamagedTable("log")
    if os.path.lexists(beside + "-journal") and not stat.S_ISREG(os.lstat(beside + "-journal").st_mode):
        raise DamagedTable("journal")


def require_own(path):
    """Raise DamagedTable where a journal beside a file is not one that a sweep leaves, before SQLite plays it back.

    At its end, a journal may name another file, which SQLite deletes. A sweep never writes two files in one transaction, so its
    journals name none. The size at its begin is one that SQLite gives to the file, which a transaction of a sweep only enlarges.
    """
    require_files(path)
    try:
        with open(os.path.realpath(path) + "-journal", "rb") as file:
            begin = file.read(HEADER.size)
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(MAGIC)))
            end = file.read()
        length = os.path.getsize(path)
    except FileNotFoundError:
        return
    except OSError:
        raise DamagedTable("journal") from None
    if end == MAGIC:
        raise DamagedTable("journal")
    if len(begin) == HEADER.size and begin.startswith(MAGIC):
        _magic, pages, size = HEADER.unpack(begin)
        if not size or pages * size > length:
            raise DamagedTable("journal")
