"""NumPy files: .npy files are mapped, .npz files unpacked once, each array into its final memory.

Headers are checked before use: no objects and no records, and a shape that fits the number of bytes. The unpacked size
of an archive is limited relative to its own size, which rules out zip bombs.
"""

import math
import os
import zipfile

import numpy as np

from tensh.engine.arrays.bounds import MOST, MOST_DIMENSIONS
from tensh.language import _
from tensh.serialization.numpy_values import is_text

KINDS = "biufcSUmM"  # dtype kinds that are read: numbers, texts and times
ALWAYS = 2**28  # bytes that any archive may unpack to
TIMES = 32  # for larger archives: the ratio to their own size
MOST_ITEM = 2**24  # bytes of one element
PIECE = 2**20  # bytes unpacked at a time


def map_array(path):
    """Return the array of a .npy file, mapped copy-on-write: it is read on demand, and writes never change the file."""
    with open(path, "rb") as file:
        if not file.read(6) == np.lib.format.MAGIC_PREFIX:
            raise ValueError(_("this is not a .npy file"))
        file.seek(0)
        shape, order, dtype = read_header(file, os.path.basename(path))
        begin, size = file.tell(), math.prod(shape) * dtype.itemsize
        if begin + size > os.fstat(file.fileno()).st_size:
            raise ValueError(_("its array has {size} bytes, and the file is shorter").format(size=size))
        if not size:
            return np.empty(shape, dtype, order)
        data = np.asarray(np.memmap(file, np.uint8, "c", begin, (size,)))
    return as_array(data, shape, order, dtype)


def unpack_arrays(path):
    """Return name -> array for a .npz file, compressed or not."""
    with zipfile.ZipFile(path) as zipped:
        infos, size = zipped.infolist(), os.path.getsize(path)
        unpacked, most = sum(info.file_size for info in infos), max(ALWAYS, TIMES * size)
        if unpacked > most:
            raise ValueError(
                _(
                    "its arrays would take {unpacked:,} bytes, but {size:,} bytes are unpacked to at most {most:,}; numpy.load has no such limit"
                ).format(unpacked=unpacked, most=most, size=size)
            )
        found = {}
        for info in infos:
            with zipped.open(info) as file:
                found[info.filename.removesuffix(".npy")] = unpack_array(file, info)
        return found


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


def read_header(file, name):
    """Return the valid (shape, order, dtype) of an array; raise ValueError for others."""
    form = np.lib.format
    version = form.read_magic(file)
    read = {(1, 0): form.read_array_header_1_0, (2, 0): form.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(
            _("{name} is of version {version} of the format, which tensh does not read").format(
                name=name, version=version
            )
        )
    shape, fortran, dtype = read(file)
    if dtype.kind not in KINDS or dtype.hasobject or dtype.names or dtype.subdtype:
        raise ValueError(
            _("{name} holds objects or records, but numbers, texts or times were expected").format(name=name)
        )
    if (
        not 0 < dtype.itemsize <= MOST_ITEM
        or len(shape) > MOST_DIMENSIONS
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise ValueError(_("{name} has a shape or a type that no array can have").format(name=name))
    if math.prod(n or 1 for n in shape) * max(dtype.itemsize, 1) > MOST:
        raise ValueError(_("{name} has a shape that is larger than memory can be").format(name=name))
    return shape, "F" if fortran else "C", dtype


def as_array(data, shape, order, dtype):
    """Return an array over bytes, after checking characters and normalising booleans as NumPy requires."""
    if dtype.kind == "U" and not is_text(data, dtype):
        raise ValueError(_("there is no text in its array of texts"))
    if dtype.kind == "b" and data.max(initial=0) > 1:
        data = (data != 0).view(np.uint8)
    if not data.size:
        return np.empty(shape, dtype, order)
    return data.view(dtype).reshape(shape, order=order)
