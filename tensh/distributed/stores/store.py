"""Key-value stores: the common base class, a store in memory, and one that adds a prefix to each key."""

import math
from datetime import timedelta
from operator import index
from threading import TIMEOUT_MAX, Condition

from tensh.distributed.errors import DistStoreError, QueueEmptyError


def key_of(name, key):
    """Return a key as text; raise TypeError, naming the method, for anything but str and bytes."""
    return (key if isinstance(key, str) else value_of(name, key).decode()).encode()


def value_of(name, value):
    """Return a value as bytes; raise TypeError, naming the method, for anything but str and bytes."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"{name}(): incompatible function arguments: a key or value is {type(value).__name__}, not str")


def seconds_of(timeout):
    """Return a time-out in seconds, limited to what Python supports; raise ValueError for nan."""
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
    if math.isnan(seconds):
        raise ValueError("the time-out is nan, not a number of seconds")
    return min(seconds, TIMEOUT_MAX / 2)


def amount_of(amount):
    """Check an amount to be added to a number in a store.  Raise TypeError beyond 64 bits."""
    amount = index(amount)
    if not -(2**63) <= amount < 2**63:
        raise TypeError("add(): incompatible function arguments: an amount has no more than 64 bits")
    return amount


def number_of(value):
    """Read a value as the text of an integer.  Raise ValueError for other text."""
    try:
        return int(value)
    except ValueError:
        raise ValueError("stoll") from None


class Store:
    """Keys and values shared by processes: the base class of all stores.

    Keys and values are str or bytes, and values are returned as bytes. A subclass has ``set``, ``get``, ``add``,
    ``compare_set``, ``check``, ``delete_key``, ``num_keys``, ``list_keys`` and ``wait``; using one that it lacks raises
    RuntimeError. ``get``, ``wait`` and ``queue_pop`` wait for a key until the time-out, initially 300 seconds.

    >>> import tensh as torch
    >>> store = torch.distributed.HashStore()
    >>> store.set("a", "1"); store.get("a"), store.add("a", 2), store.check(["a", "b"])
    (b'1', 3, False)
    """

    __module__ = "torch._C._distributed_c10d"
    _seconds = 300.0

    @property
    def timeout(self):
        """The time that the store waits for a key."""
        return timedelta(seconds=self._seconds)

    def set_timeout(self, timeout):
        """Set how long the store waits for a key."""
        self._seconds = seconds_of(timeout)

    def append(self, key, value):
        """Append bytes to a value, or create it."""
        self.set(key, (self.get(key) if self.check([key]) else b"") + value_of("append", value))

    def multi_get(self, keys):
        """Return the values of several keys."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys, values):
        """Set several keys."""
        for key, value in zip(keys, values, strict=False):
            self.set(key, value)

    def barrier(self, key, world_size, timeout=None):
        """Wait until ``world_size`` processes have reached the barrier of this name."""
        if self.add(f"{key}/num_members", 1) == world_size:
            self.set(f"{key}/last_member", "1")
        self.wait([f"{key}/last_member"], self.timeout if timeout is None else timeout)

    def queue_push(self, key, value):
        """Append a value to a queue."""
        raise NotImplementedError("queue support is not implemented.")

    def queue_pop(self, key, block=True):
        """Remove and return the first value of a queue; an empty one raises QueueEmptyError, or is waited for."""
        raise NotImplementedError("queue support is not implemented.")

    def queue_len(self, key):
        """Return the number of values in a queue."""
        raise NotImplementedError("queue support is not implemented.")

    def has_extended_api(self):
        """Return True if ``append``, ``multi_get`` and ``multi_set`` are atomic."""
        return False

    def clone(self):
        """Return a store with the same keys, for another thread."""
        return self

    def __reduce__(self):
        raise TypeError(f"cannot pickle '{type(self).__module__}.{type(self).__qualname__}' object")


LEFT_TO_SUBCLASSES = {
    "set": "Set the value of a key.",
    "get": "The value of a key, for which the store waits up to the time-out.",
    "add": "Add an amount to the number that a key stands for, 0 at first, and return it.",
    "compare_set": "Set the value of a key if it is the expected one; return the value that is then there.",
    "check": "True if all keys are there.",
    "delete_key": "Delete a key; True if it was there.",
    "num_keys": "The number of keys.",
    "list_keys": "The keys.",
    "wait": "Wait until all keys are there, up to the time-out.",
}
"""Method of ``Store`` -> the action of a subclass, for its message."""


def _make_refusal(name, doc):
    def refuse(self, *args, **options):
        raise RuntimeError(f'Tried to call pure virtual function "::c10d::Store::{name}"')

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = doc
    return refuse


for _name, _doc in LEFT_TO_SUBCLASSES.items():
    setattr(Store, _name, _make_refusal(_name, _doc))


class HashStore(Store):
    """A store in memory, for the threads of one process.

    >>> import tensh as torch
    >>> store = torch.distributed.HashStore()
    >>> store.compare_set("a", "", "first"), store.compare_set("a", "first", "second"), store.num_keys()
    (b'first', b'second', 1)
    """

    __module__ = "torch._C._distributed_c10d"

    def __init__(self):
        self._values, self._queues, self._changed = {}, {}, Condition()

    def _wait_until(self, ready, seconds):
        """Wait, with the lock held, until a condition holds."""
        if not self._changed.wait_for(ready, seconds):
            raise DistStoreError("Wait timeout")

    def _put(self, key, value):
        self._values[key] = value
        self._changed.notify_all()

    def set(self, key, value):
        key, value = key_of("set", key), value_of("set", value)
        with self._changed:
            self._put(key, value)

    def get(self, key):
        key = key_of("get", key)
        with self._changed:
            self._wait_until(lambda: key in self._values, self._seconds)
            return self._values[key]

    def add(self, key, amount):
        key, amount = key_of("add", key), amount_of(amount)
        with self._changed:
            total = number_of(self._values.get(key, b"0")) + amount
            self._put(key, b"%d" % total)
            return total

    def append(self, key, value):
        key, value = key_of("append", key), value_of("append", value)
        with self._changed:
            self._put(key, self._values.get(key, b"") + value)

    def compare_set(self, key, expected_value, desired_value):
        key = key_of("compare_set", key)
        expected, desired = value_of("compare_set", expected_value), value_of("compare_set", desired_value)
        with self._changed:
            if self._values.get(key, b"") != expected:
                return self._values.get(key, expected)
            self._put(key, desired)
            return desired

    def _has(self, keys):
        return all(key in self._values or self._queues.get(key) for key in keys)

    def check(self, keys):
        keys = [key_of("check", key) for key in keys]
        with self._changed:
            return self._has(keys)

    def wait(self, keys, timeout=None):
        keys = [key_of("wait", key) for key in keys]
        with self._changed:
            self._wait_until(lambda: self._has(keys), self._seconds if timeout is None else seconds_of(timeout))

    def delete_key(self, key):
        key = key_of("delete_key", key)
        with self._changed:
            return self._values.pop(key, None) is not None

    def num_keys(self):
        with self._changed:
            return len(self._values)

    def list_keys(self):
        with self._changed:
            return [key.decode() for key in self._values]

    def queue_push(self, key, value):
        key, value = key_of("queue_push", key), value_of("queue_push", value)
        with self._changed:
            self._queues.setdefault(key, []).append(value)
            self._changed.notify_all()

    def queue_pop(self, key, block=True):
        return self._pop(key_of("queue_pop", key), self._seconds if block else None)

    def _pop(self, key, seconds):
        with self._changed:
            if seconds is not None:
                self._wait_until(lambda: self._queues.get(key), seconds)
            if not self._queues.get(key):
                raise QueueEmptyError("queue is empty")
            return self._queues[key].pop(0)

    def queue_len(self, key):
        with self._changed:
            return len(self._queues.get(key_of("queue_len", key), ()))

    def has_extended_api(self):
        return True


class PrefixStore(Store):
    """Part of another store, with a prefix and a slash before each key.

    >>> import tensh as torch
    >>> whole = torch.distributed.HashStore()
    >>> torch.distributed.PrefixStore("part", whole).set("a", "1"); whole.list_keys()
    ['part/a']
    """

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, prefix, store):
        self._prefix, self.underlying_store = prefix, store

    @property
    def _underlying_non_prefix_store(self):
        store = self.underlying_store
        while isinstance(store, PrefixStore):
            store = store.underlying_store
        return store

    timeout = property(lambda self: self.underlying_store.timeout, doc="How long the store waits for a key.")

    def set_timeout(self, timeout):
        self.underlying_store.set_timeout(timeout)

    def _key(self, key):
        return f"{self._prefix}/{key_of('get', key).decode()}"

    def check(self, keys):
        return self.underlying_store.check([self._key(key) for key in keys])

    def wait(self, keys, *timeout, **options):
        self.underlying_store.wait([self._key(key) for key in keys], *timeout, **options)

    def multi_get(self, keys):
        return self.underlying_store.multi_get([self._key(key) for key in keys])

    def multi_set(self, keys, values):
        self.underlying_store.multi_set([self._key(key) for key in keys], values)

    def list_keys(self):
        start = f"{self._prefix}/"
        return [key[len(start) :] for key in self.underlying_store.list_keys() if key.startswith(start)]

    def num_keys(self):
        return self.underlying_store.num_keys()

    def has_extended_api(self):
        return self.underlying_store.has_extended_api()

    def clone(self):
        return PrefixStore(self._prefix, self.underlying_store.clone())


def _delegate(name):
    def method(self, key, *args, **options):
        values = [each if isinstance(each, int) else value_of(name, each) for each in args]
        return getattr(self.underlying_store, name)(self._key(key), *values, **options)

    method.__name__ = name
    method.__qualname__, method.__doc__ = f"PrefixStore.{name}", getattr(Store, name).__doc__
    return method


for _name in "set get add append compare_set delete_key queue_push queue_pop queue_len".split():
    setattr(PrefixStore, _name, _delegate(_name))
