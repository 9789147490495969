"""A store in a file, for processes that see the same folder."""

import contextlib
import os
import stat
import struct
import time
import weakref

from tensh.distributed.errors import DistStoreError
from tensh.distributed.stores.store import Store, amount_of, key_of, number_of, seconds_of, value_of

SIZES = struct.Struct("!Ii")  # lengths of a key and of its value
DELETED = -1  # stands for the length of a value if the key was deleted
USERS = b"efcount/"  # the key that counts the stores on the file


class FileStore(Store):
    """A store that appends each change to a file.

    ``file_name`` is created if necessary, and removed with the last store on it.

    >>> import tempfile, os, tensh as torch
    >>> path = os.path.join(tempfile.mkdtemp(), "store")
    >>> one, two = torch.distributed.FileStore(path, 2), torch.distributed.FileStore(path, 2)
    >>> one.set("a", "1"); two.get("a"), two.add("a", 1), one.get("a")
    (b'1', 2, b'2')
    """

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, file_name, world_size=-1):
        self.path = os.fspath(file_name)
        change(self.path, USERS, lambda users: b"%d" % (number_of(users or b"0") + 1))
        weakref.finalize(self, leave, self.path)

    def set(self, key, value):
        value = value_of("set", value)
        change(self.path, key_of("set", key), lambda before: value)

    def get(self, key):
        wanted = key_of("get", key)
        text = f"Timeout waiting for key: {wanted.decode()} after {self._seconds * 1000:.0f} ms"
        return self._wait_until(lambda values: wanted in values, self._seconds, text)[wanted]

    def add(self, key, amount):
        amount = amount_of(amount)
        total = change(self.path, key_of("add", key), lambda before: b"%d" % (number_of(before or b"0") + amount))
        return int(total)

    def append(self, key, value):
        value = value_of("append", value)
        change(self.path, key_of("append", key), lambda before: (before or b"") + value)

    def compare_set(self, key, expected_value, desired_value):
        expected, desired = value_of("compare_set", expected_value), value_of("compare_set", desired_value)
        key, answer = key_of("compare_set", key), []

        def choose(before):
            agrees = (before or b"") == expected
            answer.append(desired if agrees else expected if before is None else before)
            return desired if agrees else before

        change(self.path, key, choose)
        return answer[0]

    def check(self, keys):
        return {key_of("check", key) for key in keys} <= read(self.path).keys()

    def wait(self, keys, timeout=None):
        wanted = {key_of("wait", key) for key in keys}
        seconds = self._seconds if timeout is None else seconds_of(timeout)
        self._wait_until(lambda values: wanted <= values.keys(), seconds, "Wait timeout")

    def _wait_until(self, ready, seconds, text):
        """Wait until a condition holds for the values in the file, and return them."""
        end = time.monotonic() + seconds
        while not ready(values := read(self.path)):
            if time.monotonic() > end:
                raise RuntimeError(text)
            time.sleep(0.01)
        return values

    def delete_key(self, key):
        change(self.path, key_of("delete_key", key), lambda before: None)
        return True

    def num_keys(self):
        return len(read(self.path))

    def list_keys(self):
        return [key.decode() for key in read(self.path)]


def lock_file(path):
    """Open a file and lock it until it is closed."""
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):  # /dev/zero has no end
        raise DistStoreError(f"{path!r} is not a file that can hold a store")
    file = open(path, "a+b")  # noqa: SIM115 (the caller closes it)
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
    except ImportError:  # Windows
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    return file


def values_of(file):
    """Return key -> value, in the order of creation.  Raise DistStoreError for a file not written by a store."""
    file.seek(0)
    text, place, values = file.read(), 0, {}
    while place < len(text):
        long, size = SIZES.unpack_from(text, place) if len(text) - place >= SIZES.size else (0, DELETED - 1)
        start = place + SIZES.size + long
        if size < DELETED or start + max(size, 0) > len(text):
            raise DistStoreError(
                f"{file.name!r} is damaged, or is not the file of a store: byte {place} begins no entry"
            )
        key, place = text[start - long : start], start + max(size, 0)
        values.pop(key, None) if size < 0 else values.__setitem__(key, text[start:place])
    return values


def read(path):
    """Return key -> value of a file; {} if it does not exist."""
    if not os.path.exists(path):
        return {}
    with lock_file(path) as file:
        return values_of(file)


def change(path, key, chosen):
    """Write the value that ``chosen`` returns for the previous one (None if there is none), and return it."""
    with lock_file(path) as file:
        before = values_of(file).get(key)
        value = chosen(before)
        if value != before:
            size = DELETED if value is None else len(value)
            file.seek(0, os.SEEK_END)
            file.write(SIZES.pack(len(key), size) + key + (value or b""))
    return value


def leave(path):
    """Deregister a store from a file, and remove the file after the last store."""
    with contextlib.suppress(OSError, DistStoreError, ValueError):  # another process has changed or removed the file
        if os.path.exists(path) and change(path, USERS, lambda users: b"%d" % (number_of(users or b"1") - 1)) == b"0":
            os.remove(path)
