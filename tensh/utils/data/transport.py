"""Batches on their way between processes: a pickle through the pipe, and large arrays in a file that both map.

The file has no copy in the receiver: its tensors lie in the mapped memory, which is given back with the last of them.
"""

import contextlib
import io
import mmap
import os
import pickle
import tempfile

from tensh.engine.graph.nodes import edge, live
from tensh.engine.members.protocols import memory_of, name_of, rebuilt
from tensh.engine.tensor import Tensor

LARGE = 1 << 16  # bytes of an array from which it goes into the file; a pipe holds about as much before it blocks
ALIGNMENT = 64
IN_MEMORY = "/dev/shm"  # where files are memory, on Linux


def new_folder():
    """A folder for files that lie in memory, where the system has such a place."""
    place = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    return tempfile.mkdtemp(prefix="tensh-", dir=place)


class Pickler(pickle.Pickler):
    """Pickles a tensor without the memory around it, which may be a whole data set that it is a row of."""

    def reducer_override(self, thing):
        if not isinstance(thing, Tensor):
            return NotImplemented
        if thing.requires_grad and not thing.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
                "serializing (e.g., putting it on the queue)."
            )
        array = thing.array
        if memory_of(array).nbytes <= array.nbytes:
            return NotImplemented
        facts = (name_of(type(thing)), array.copy(), array.shape, None, 0, live(edge(thing)))
        return rebuilt, facts, thing.__dict__ or None


def pack(thing, path):
    """(pickle, path of the file with its large arrays or None, place of each in the file)."""
    large = []

    def goes_along(buffer):
        memory = buffer.raw()
        if memory.nbytes >= LARGE:
            large.append(memory)
        return memory.nbytes < LARGE

    pickled = _pickled(thing, goes_along)
    if not large:
        return pickled, None, []
    try:
        return pickled, path, _written(large, path)
    except OSError:  # there is no room: all goes through the pipe
        return _pickled(thing, None), None, []


def _pickled(thing, goes_along):
    file = io.BytesIO()
    Pickler(file, 5, buffer_callback=goes_along).dump(thing)
    return file.getvalue()


def _written(buffers, path):
    """Write buffers into a file; (begin, end) of each."""
    places = []
    try:
        with open(path, "wb", buffering=0) as file:
            for buffer in buffers:
                begin = -(-file.tell() // ALIGNMENT) * ALIGNMENT
                file.seek(begin)
                rest = buffer
                while rest.nbytes:  # one call writes 2 GB at most
                    rest = rest[file.write(rest) :]
                places.append((begin, begin + buffer.nbytes))
    except OSError:
        discard(path)
        raise
    return places


def unpack(pickled, path, places):
    """What was packed."""
    if path is None:
        return pickle.loads(pickled)
    with open(path, "r+b") as file:
        memory = memoryview(mmap.mmap(file.fileno(), 0))
    discard(path)
    return pickle.loads(pickled, buffers=[memory[begin:end] for begin, end in places])


def discard(path):
    """Remove a file that nobody will read; the memory lives as long as somebody has mapped it."""
    if path is not None:
        with contextlib.suppress(OSError):  # where a mapped file cannot be removed, it goes with its folder
            os.unlink(path)
