"""The zip archive written by torch.save: uncompressed records in one folder."""

import io
import mmap
import queue
import sys
import threading
import zipfile
import zlib

import numpy as np

from tensh.engine.dtypes.dtype import ALL
from tensh.serialization.containers import DamagedError
from tensh.serialization.options import (
    LoadEndianness,
    get_default_load_endianness,
    get_default_mmap_options,
    skips_data,
)
from tensh.serialization.rebuilding import storage_over
from tensh.serialization.storages import KINDS
from tensh.serialization.unpickling import Unpickler

BROKEN = (
    "PytorchStreamReader failed {}. This is an internal miniz error. If you are seeing this error, there "
    "is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was "
    "transferred incorrectly, or the file was modified after saving."
)
WITHOUT_VERSION = (
    'Expected hasRecord("version") to be true, but got false.  (Could this error message be improved?  If so, please report an '
    "enhancement request to PyTorch.)"
)
TOO_NEW = (
    "[enforce fail at inline_container.cc:230] . Attempted to read a PyTorch file with version {}, but the maximum supported "
    "version for reading is 10. The version of your PyTorch installation may be too old, please upgrade PyTorch to latest version "
    "to mitigate this issue."
)
NEWEST = 10  # version of an archive
PIECE = 2**22  # bytes of a storage read at a time
LARGE = 2**20  # bytes of a record whose checksum is worth a separate thread
ENCRYPTED = 1  # flag of an encrypted record
LARGEST_PICKLE = 2**30  # bytes of the pickle, which is small compared with the tensors


def dtype_of(kind):
    """Return the NumPy dtype of a storage's elements, by the name of its class."""
    return ALL[KINDS[kind]].numpy if kind in KINDS else np.dtype(np.uint8)


class Archive:
    """The records of a file, by their names within its folder.

    ``place`` is called for every storage with (a NumPy row of elements, its location) and returns the row to use; with
    ``mapped``, the path of the file, memory is mapped in place of being read, and writes change a copy.
    """

    def __init__(self, zipped, place, mapped=None):
        self.zipped, self.place, self.mapped = zipped, place, mapped
        self.size = zipped.fp.seek(0, io.SEEK_END)
        infos = zipped.infolist()
        folder = infos[0].filename.partition("/")[0] + "/" if infos else ""
        self.records = {}
        for info in infos:
            if info.filename.startswith(folder):  # like PyTorch, use the first of two records with the same name
                self.records.setdefault(info.filename.removeprefix(folder), info)
        self.storages, self.checksums = {}, None
        self.left = self.size  # bytes left for further storages in a file of this size

    def check_version(self):
        """Raise RuntimeError for an archive of another kind, or of a version that does not exist yet."""
        stray = next((info.filename for info in self.zipped.infolist() if "/" not in info.filename), None)
        if stray is not None:
            raise RuntimeError(
                f"[enforce fail at inline_container.cc:180] . file in archive is not in a subdirectory: {stray}"
            )
        if "version" not in self.records:
            raise RuntimeError(WITHOUT_VERSION)
        version = self.read("version", 64).decode("ascii", "replace")
        if not version.strip().isdecimal():
            raise RuntimeError(
                f"[enforce fail at inline_container.cc:215] . Couldn't parse the version {version} as Long Long."
            )
        if int(version) > NEWEST:
            raise RuntimeError(TOO_NEW.format(int(version)))

    def is_swapped(self):
        """Return True if numbers are stored in the other byte order."""
        if "byteorder" not in self.records:
            assumed = get_default_load_endianness() or LoadEndianness.NATIVE
            return assumed.name.lower() not in ("native", sys.byteorder)
        order = self.read("byteorder", 64).strip()
        if order not in (b"little", b"big"):
            raise DamagedError("its byteorder is invalid")
        return order.decode() != sys.byteorder

    def info(self, name):
        """Return the entry of a record, which must be stored uncompressed and not exceed the file."""
        info = self.records.get(name)
        if info is None:
            raise RuntimeError(BROKEN.format(f"locating file {name}: file not found"))
        if (
            info.compress_type != zipfile.ZIP_STORED
            or info.file_size != info.compress_size
            or info.file_size > self.size
        ):
            raise DamagedError(f"the record {name} is compressed, or its size is wrong")
        if info.flag_bits & ENCRYPTED:
            raise DamagedError(f"the record {name} is encrypted")
        return info

    def read(self, name, most):
        """Return the bytes of a record."""
        info = self.info(name)
        if info.file_size > most:
            raise DamagedError(f"the record {name} has {info.file_size} bytes, more than {most}")
        return self.read_row(info).tobytes()

    def load(self, names, encoding="utf-8"):
        """Load the object in the archive."""
        self.check_version()
        self.swap = self.is_swapped()
        described = self.read("data.pkl", LARGEST_PICKLE)
        with Checksums() as self.checksums:
            return Unpickler(described, names, self.mention, encoding=encoding, size=self.size).load()

    def mention(self, reference):
        """Return the storage that a pickle refers to; the same for all tensors that share it."""
        kind, key, where, count = storage_facts(reference, 5)
        if key not in self.storages:
            self.storages[key] = kind, storage_over(self.place(self.row(kind, key, count), where))
        known, stored = self.storages[key]
        if known != kind:
            raise DamagedError(f"storage {key} is declared as {known} and as {kind}")
        return stored

    def row(self, kind, key, count):
        """Return the elements of a storage."""
        dtype, info = dtype_of(kind), self.info(f"data/{key}")
        if info.file_size != count * dtype.itemsize:
            expected = count * dtype.itemsize
            raise RuntimeError(
                f"record size ({info.file_size} bytes) does not match expected size ({expected} bytes = {expected} elements * "
                "1 bytes/element) for dtype Byte"
            )
        self.left -= info.file_size
        if self.left < 0:
            raise DamagedError("its storages overlap: they are larger than the file")
        if skips_data.get():
            return np.zeros(count, dtype)
        if self.mapped and info.file_size and not self.swap:
            mode = "r+" if get_default_mmap_options() == mmap.MAP_SHARED else "c"
            row = np.asarray(np.memmap(self.mapped, np.uint8, mode, self.begin(info), (info.file_size,)))
        else:
            row = self.read_row(info)
        if kind == "BoolStorage" and has_others(row):
            row = (row != 0).view(np.uint8)
        row = row.view(dtype)
        return row.byteswap() if self.swap else row

    def read_row(self, info):
        """Read the bytes of a record into their final memory; raise BadZipFile for a wrong checksum.

        A checksum of 0 is ignored: PyTorch writes it if checksums are disabled.
        """
        row = np.empty(info.file_size, np.uint8)
        self.zipped.fp.seek(self.begin(info))
        if self.checksums is not None and len(row) >= LARGE and info.CRC:
            for _ in read_into(self.zipped.fp, row):
                pass
            self.checksums.check(row, info)
        elif info.CRC not in (crc_of(read_into(self.zipped.fp, row)), 0):
            raise wrong_checksum(info)
        return row

    def begin(self, info):
        """Return the position of a record's bytes in the file."""
        with self.zipped.open(info):  # compares the record's name in its header and in the directory
            pass
        self.zipped.fp.seek(info.header_offset + 26)
        lengths = np.frombuffer(self.zipped.fp.read(4), "<u2")
        begin = info.header_offset + 30 + int(lengths.sum())
        if begin + info.file_size > self.size:
            raise DamagedError(f"the record {info.filename} goes beyond the end of the file")
        return begin


def read_into(file, row):
    """Fill a row from a file, yielding pieces while they are in the processor's cache."""
    data = memoryview(row)
    for begin in range(0, len(data), PIECE):
        piece = data[begin : begin + PIECE]
        fill(file, piece)
        yield piece


def fill(file, memory):
    """Fill memory from a file, which may give less at a time than it is asked for."""
    while memory:
        if hasattr(file, "readinto"):
            count = file.readinto(memory)
        else:
            found = file.read(len(memory))
            count = len(found)
            memory[:count] = found
        if not count:
            raise EOFError("Ran out of input")
        memory = memory[count:]


class Checksums:
    """A context with a thread that computes checksums of large records while the next ones are read.

    Raises BadZipFile at the end for a wrong one.
    """

    def __init__(self):
        self.waiting = queue.SimpleQueue()
        self.thread, self.wrong = None, []

    def check(self, row, info):
        if self.thread is None:
            self.thread = threading.Thread(target=self.work, daemon=True)
            self.thread.start()
        self.waiting.put((row, info))

    def work(self):
        while (given := self.waiting.get()) is not None:
            row, info = given
            if zlib.crc32(row) != info.CRC:
                self.wrong.append(info)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.thread is not None:
            for _ in (self.thread, self):
                self.waiting.put(None)
            self.work()  # this thread helps with the rest
            self.thread.join()
        if self.wrong:
            raise wrong_checksum(self.wrong[0]) from None


def wrong_checksum(info):
    return zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")


def has_others(row):
    """Return True if any byte of a row is neither 0 nor 1; tests words of eight bytes, in a third of the time."""
    whole = len(row) // 8 * 8
    return (
        bool(np.bitwise_or.reduce(row[:whole].view(np.uint64)) & 0xFEFEFEFEFEFEFEFE) or row[whole:].max(initial=0) > 1
    )


def crc_of(pieces):
    """Return the checksum of bytes that arrive in pieces."""
    found = 0
    for piece in pieces:
        found = zlib.crc32(piece, found)
    return found


def storage_facts(reference, length):
    """Return (class, key, location, number of elements) from a reference to a storage."""
    from tensh.serialization.allowed import Storage

    if type(reference) is not tuple or len(reference) != length or text(reference[0]) != "storage":
        raise DamagedError("it refers to something that is not a storage")
    kind, key, where, count = reference[1:5]
    key, where = text(key), text(where)
    if not isinstance(kind, Storage) or None in (key, where) or type(count) is not int:
        raise DamagedError("it refers to a storage without a class, key, location or size")
    if not 0 <= count < 2**62:
        raise DamagedError(f"it refers to a storage of {count} elements")
    return str(kind), key, where, count


def text(value):
    """Decode a text that may be from Python 2; None for other values."""
    if type(value) is bytes:
        return value.decode("ascii")
    return value if type(value) is str else None
