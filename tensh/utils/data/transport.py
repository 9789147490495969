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
    """A batch as it travels."""

    pickled: bytes
    descriptor: int | None = None  # the file with its large arrays
    places: list = field(default_factory=list)  # (begin, end) of each in the file

    def send(self, connection, kind):
        """Send it, preceded by its kind."""
        try:
            connection.send((kind, self.pickled, self.places))
            if self.descriptor is not None:
                with as_socket(connection) as pipe:
                    socket.send_fds(pipe, [b"\0"], [self.descriptor])
        finally:
            self.discard()

    def discard(self):
        """Let go of the file."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def receive(connection):
    """(kind, ``PackedBatch``) that was sent."""
    kind, pickled, places = connection.recv()
    return kind, PackedBatch(pickled, receive_descriptor(connection) if places else None, places)


def receive_descriptor(connection):
    """The descriptor that comes next.  Raise EOFError if the sender has ended before."""
    with as_socket(connection) as pipe:
        _, descriptors, *_ = socket.recv_fds(pipe, 1, 1)
    if not descriptors:
        raise EOFError("the sender ended before a descriptor came")
    return descriptors[0]


def as_socket(connection):
    """A separate socket over the pipe of a connection.

    ``multiprocessing.reduction`` sends descriptors, too, but waits for an answer since Python 3.14, and the next orders for
    the worker may stand in the pipe before it.
    """
    return socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM)


class Pickler(pickle.Pickler):
    """Pickles a tensor without the memory around it, such as the dataset that it is a row of."""

    def reducer_override(self, thing):
        if not isinstance(thing, Tensor):
            return NotImplemented
        if thing.requires_grad and not thing.is_leaf:
            raise RuntimeError(COWARDLY)
        array = thing.array
        if memory_of(array).nbytes <= array.nbytes:
            return NotImplemented
        facts = (name_of(type(thing)), array.copy(), array.shape, None, 0, uses_gradient(refresh_node(thing)))
        return rebuild_tensor, facts, thing.__dict__ or None


def pack(thing):
    """A thing as ``PackedBatch``."""
    large = []

    def goes_along(buffer):
        memory = buffer.raw()
        if memory.nbytes >= LARGE:
            large.append(memory)
        return memory.nbytes < LARGE

    pickled = _pickle(thing, goes_along if AVAILABLE else None)
    if not large:
        return PackedBatch(pickled)
    try:
        return PackedBatch(pickled, *_write_buffers(large))
    except OSError:  # there is no room: all goes through the pipe
        return PackedBatch(_pickle(thing, None))


def _pickle(thing, goes_along):
    file = io.BytesIO()
    Pickler(file, 5, buffer_callback=goes_along).dump(thing)
    return file.getvalue()


def _write_buffers(buffers):
    """(descriptor of a file with the buffers in it, (begin, end) of each)."""
    places = []
    descriptor = new_file()
    try:
        with open(descriptor, "wb", buffering=0, closefd=False) as file:
            for buffer in buffers:
                begin = -(-file.tell() // ALIGNMENT) * ALIGNMENT
                file.seek(begin)
                rest = buffer
                while rest.nbytes:  # one call writes 2 GB at most
                    rest = rest[file.write(rest) :]
                places.append((begin, begin + buffer.nbytes))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, places


def unpack(packed):
    """Return the value that was packed."""
    if packed.descriptor is None:
        return pickle.loads(packed.pickled)
    with open(packed.descriptor, "r+b", buffering=0) as file:
        packed.descriptor = None
        memory = memoryview(_memory(file))
    return pickle.loads(packed.pickled, buffers=[memory[begin:end] for begin, end in packed.places])


def _memory(file):
    """The content of a file, mapped; a copy of it where too many files would stay open."""
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
