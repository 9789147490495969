"""Batches on their way between processes: a pickle through the pipe, and large arrays in memory that both map.

That memory is a file without a name, so nothing is left of it, however a process ends.  Its descriptor goes through the
pipe after the pickle.  The receiver makes no copy: its tensors lie in the mapped memory, which is given back with the
last of them.
"""

import io
import mmap
import os
import pickle
import socket
import sys
import weakref
from dataclasses import dataclass, field

from tensh.engine.arrays.shared import AVAILABLE, new_file
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.messages import COWARDLY
from tensh.engine.methods.protocols import memory_of, name_of, rebuild_tensor

LARGE = 1 << 16  # bytes of an array from which it goes into the file; a pipe holds about as much before it blocks
ALIGNMENT = 64
# Before Python 3.13 mapped memory holds an open file, of which a process may have a thousand.
KEEPS_DESCRIPTORS = sys.version_info < (3, 13)
MOST_MAPPED = 256  # batches at a time that are mapped then; further ones are copied

mapped = weakref.WeakSet()


@dataclass
class PackedBatch:
    """A batch as it is sent: its pickle, and a file with the large arrays."""

    pickled: bytes
    descriptor: int | None = None  # the file with its large arrays
    places: list = field(default_factory=list)  # (begin, end) of each array in the file

    def send(self, connection, kind):
        """Send the batch through a connection, preceded by its kind, and close its file."""
        try:
            connection.send((kind, self.pickled, self.places))
            if self.descriptor is not None:
                with as_socket(connection) as pipe:
                    socket.send_fds(pipe, [b"\0"], [self.descriptor])
        finally:
            self.discard()

    def discard(self):
        """Close the file."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def receive(connection):
    """Return (kind, ``PackedBatch``) as they were sent."""
    kind, pickled, places = connection.recv()
    return kind, PackedBatch(pickled, receive_descriptor(connection) if places else None, places)


def receive_descriptor(connection):
    """Return the descriptor that comes next; raise EOFError if the sender ended before it."""
    with as_socket(connection) as pipe:
        _, descriptors, *_ = socket.recv_fds(pipe, 1, 1)
    if not descriptors:
        raise EOFError("the sender ended before a descriptor came")
    return descriptors[0]


def as_socket(connection):
    """Return a separate socket over the pipe of a connection.

    ``multiprocessing.reduction`` sends descriptors, too, but since Python 3.14 it waits for an answer, and the next
    orders for the worker may come before it.
    """
    return socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM)


class Pickler(pickle.Pickler):
    """Pickles the elements of a tensor without the memory around them, such as the dataset of which it is a row."""

    def reducer_override(self, value):
        if not isinstance(value, Tensor):
            return NotImplemented
        if value.requires_grad and not value.is_leaf:
            raise RuntimeError(COWARDLY)
        array = value.array
        if memory_of(array).nbytes <= array.nbytes:
            return NotImplemented
        facts = (name_of(type(value)), array.copy(), array.shape, None, 0, uses_gradient(refresh_node(value)))
        return rebuild_tensor, facts, value.__dict__ or None


def pack(value):
    """Return a value as ``PackedBatch``."""
    large = []

    def keep_in_pickle(buffer):
        memory = buffer.raw()
        if memory.nbytes >= LARGE:
            large.append(memory)
        return memory.nbytes < LARGE

    pickled = _pickle(value, keep_in_pickle if AVAILABLE else None)
    if not large:
        return PackedBatch(pickled)
    try:
        return PackedBatch(pickled, *_write_buffers(large))
    except OSError:  # there is no room: everything goes through the pipe
        return PackedBatch(_pickle(value, None))


def _pickle(value, keep_in_pickle):
    file = io.BytesIO()
    Pickler(file, 5, buffer_callback=keep_in_pickle).dump(value)
    return file.getvalue()


def _write_buffers(buffers):
    """Return (descriptor of a new file with the buffers in it, (begin, end) of each)."""
    descriptor = new_file()
    try:
        with open(descriptor, "wb", buffering=0, closefd=False) as file:
            return descriptor, [_append(file, buffer) for buffer in buffers]
    except BaseException:
        os.close(descriptor)
        raise


def _append(file, buffer):
    """Write a buffer at the next aligned place of a file; return (begin, end)."""
    begin = -(-file.tell() // ALIGNMENT) * ALIGNMENT
    file.seek(begin)
    rest = buffer
    while rest.nbytes:  # one call writes 2 GB at most
        rest = rest[file.write(rest) :]
    return begin, begin + buffer.nbytes


def unpack(packed):
    """Return the value that was packed."""
    if packed.descriptor is None:
        return pickle.loads(packed.pickled)
    with open(packed.descriptor, "r+b", buffering=0) as file:
        packed.descriptor = None
        memory = memoryview(_memory(file))
    return pickle.loads(packed.pickled, buffers=[memory[begin:end] for begin, end in packed.places])


def _memory(file):
    """Return the content of a file, mapped into memory; a copy where too many files would stay open."""
    if not KEEPS_DESCRIPTORS:
        return mmap.mmap(file.fileno(), 0, trackfd=False)
    if len(mapped) < MOST_MAPPED:
        memory = mmap.mmap(file.fileno(), 0)
        mapped.add(memory)
        return memory
    memory = mmap.mmap(-1, os.fstat(file.fileno()).st_size)
    rest = memoryview(memory)
    file.seek(0)
    while count := file.readinto(rest):  # one call reads 2 GB at most
        rest = rest[count:]
    return memory
