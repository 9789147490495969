"""NumPy files: .npy files are mapped, .npz files unpacked once, each array into its final memory.

Headers are checked before use: no objects and no records, and a shape that fits the number of bytes. The unpacked size
of an archive is limited relative to its own size, which rules out zip bombs.
"""

import contextlib
import lzma
import math
import os
import struct
import zipfile
import zlib

import numpy as np

from tensh.cli.session.files.numpy_headers import read_header
from tensh.serialization.numpy_values import is_text
from tensh.support.language import _

ALWAYS = 2**28  # bytes that any archive may unpack to
TIMES = 32  # for larger archives: the ratio to their own size
ENCRYPTED = 1  # the flag of a record
PIECE = 2**20  # bytes unpacked at a time


def map_array(path):
    """Return the array of a .npy file, mapped copy-on-write: it is read on demand, and writes never change the file."""
    with open(path, "rb") as file:
        shape, order, dtype = read_header(file, os.path.basename(path))
        begin, size = file.tell(), math.prod(shape) * dtype.itemsize
        if begin + size > os.fstat(file.fileno()).st_size:
            raise ValueError(_("its array has {size} bytes, but the file is shorter").format(size=size))
        if not size:
            return np.empty(shape, dtype, order)
        data = np.asarray(np.memmap(file, np.uint8, "c", begin, (size,)))
    return as_array(data, shape, order, dtype)


def unpack_arrays(path):
    """Return name -> array for a .npz file, compressed or not."""
    try:
        zipped = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        if getattr(error, "filename", None):  # it does not exist, or may not be read
            raise
        raise ValueError(_("expected an archive of arrays, but this is not one, or part of it is missing")) from None
    with zipped:
        infos, size = zipped.infolist(), os.path.getsize(path)
        unpacked, most = sum(info.file_size for info in infos), max(ALWAYS, TIMES * size)
        if unpacked > most:
            raise ValueError(
                _(
                    "its arrays would take {unpacked:,} bytes, but a file of {size:,} bytes may unpack to at most {most:,}; numpy.load has no such limit"
                ).format(unpacked=unpacked, most=most, size=size)
            )
        found = {}
        for info in infos:
            with telling(info), zipped.open(info) as file:
                found[info.filename.removesuffix(".npy")] = unpack_array(file, info)
        return found


@contextlib.contextmanager
def telling(info):
    """A context that describes errors in a record of an archive."""
    try:
        if info.flag_bits & ENCRYPTED:
            raise ValueError(
                _("{filename} is encrypted, and tensh does not read encrypted files").format(filename=info.filename)
            )
        yield
    except NotImplementedError:
        raise ValueError(
            _("{filename} is compressed with an unsupported method: expected stored or deflated data").format(
                filename=info.filename
            )
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error, lzma.LZMAError):
        raise ValueError(
            _("{filename} is damaged: its bytes do not match their description in the archive").format(
                filename=info.filename
            )
        ) from None


def unpack_array(file, info):
    """Unpack one array of an archive after checking its length."""
    shape, order, dtype = read_header(file, info.filename)
    size = math.prod(shape) * dtype.itemsize
    if file.tell() + size != info.file_size:
        raise ValueError(_("{filename} is not as long as its header says").format(filename=info.filename))
    data = np.empty(size, np.uint8)
    room, place = memoryview(data), 0
    while place < size:
        count = file.readinto(room[place : place + PIECE])
        if not count:
            raise ValueError(_("{filename} is shorter than its header says").format(filename=info.filename))
        place += count
    file.read(1)  # reading to the end verifies the checksum
    return as_array(data, shape, order, dtype)


def as_array(data, shape, order, dtype):
    """Return an array over bytes, after checking characters and normalising booleans as NumPy requires."""
    if dtype.kind == "U" and not is_text(data, dtype):
        raise ValueError(_("its array of strings contains invalid characters"))
    if dtype.kind == "b" and data.max(initial=0) > 1:
        data = (data != 0).view(np.uint8)
    if not data.size:
        return np.empty(shape, dtype, order)
    return data.view(dtype).reshape(shape, order=order)
