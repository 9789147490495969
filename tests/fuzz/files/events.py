"""Event files of TensorBoard: records with a length and checksums, and changes that keep these valid."""

import struct

from tests.fuzz.files.mutators import change_bytes


def write_event(step=0, **value):
    """An event with one value: a tag, and `simple_value`, `histo` or a tensor."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Event(step=step, summary=Summary(value=[Summary.Value(**value)])).SerializeToString()


def frame(content):
    """A record with that content; readers ignore the checksum of the content."""
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    length = struct.pack("<Q", len(content))
    return length + struct.pack("<I", masked_crc32c(length)) + content + bytes(4)


def take_apart(data):
    """The contents of the records of a file, and the bytes after them."""
    contents = []
    while len(data) >= 16:
        (size,) = struct.unpack_from("<Q", data)
        if size > len(data) - 16:
            break
        contents.append(data[12 : 12 + size])
        data = data[16 + size :]
    return contents, data


def change_events(rng, data, others=()):
    """Change the contents of records, or the bytes of the file."""
    contents, rest = take_apart(data)
    if not contents or rng.random() < 0.2:
        return change_bytes(rng, data, others)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(contents))
        contents[place] = change_bytes(rng, contents[place], contents)
    return b"".join(map(frame, contents)) + rest
