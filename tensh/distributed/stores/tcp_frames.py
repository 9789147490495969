"""The messages of stores over TCP.

Note [What is sent]
A request is the name of a store's method and its arguments; a response is the name of an exception, or nothing, and the
results. Both are lists of bytes: each list is a count, each item a length and the bytes. Nothing that is received is
executed, and anything too large or malformed ends the connection, because anybody who can reach the port can send
anything.
"""

import struct

from tensh.distributed.errors import DistNetworkError, DistStoreError, QueueEmptyError

COUNT = struct.Struct("!Q")
RAISED = {kind.__name__: kind for kind in (DistStoreError, QueueEmptyError, ValueError)}
MOST, LARGEST = 2**17, 2**23  # items of a list, as in PyTorch, and their total bytes
JOINED = b"init/"  # the key that counts the stores of processes that wait for each other


def send(connection, parts):
    """Send a list of bytes.  Raise ValueError for one that no receiver would accept."""
    if len(parts) > MOST or sum(map(len, parts)) > LARGEST:
        raise ValueError(f"a message of a store has at most {LARGEST:,} bytes, in at most {MOST:,} keys and values")
    framed = b"".join(COUNT.pack(len(part)) + part for part in parts)
    connection.sendall(COUNT.pack(len(parts)) + framed)


def receive(connection):
    """Receive a list of bytes.  Raise DistNetworkError for one that is too large."""
    left, parts = LARGEST, []
    for _ in range(count(connection, MOST)):
        parts.append(take(connection, count(connection, left)))
        left -= len(parts[-1])
    return parts


def count(connection, most):
    """Receive a number."""
    found = COUNT.unpack(take(connection, COUNT.size))[0]
    if found > most:
        raise DistNetworkError(f"Invalid payload size. size: {found}, max: {most}")
    return found


def take(connection, size):
    """Receive ``size`` bytes.  Raise DistNetworkError if the connection ends before."""
    found = bytearray()
    while len(found) < size:
        part = connection.recv(min(size - len(found), 1 << 20))
        if not part:
            raise DistNetworkError(
                "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?"
            )
        found += part
    return bytes(found)
