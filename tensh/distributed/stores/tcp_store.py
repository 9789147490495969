"""The client of a store that one process serves to others over TCP: each method is a request."""

import socket
import struct
import threading
import time
import weakref
from operator import index

from tensh.distributed.errors import DistNetworkError, DistStoreError, QueueEmptyError
from tensh.distributed.stores.store import Store, amount_of, key_of, seconds_of, value_of
from tensh.distributed.stores.tcp_frames import JOINED, RAISED, receive, send
from tensh.distributed.stores.tcp_server import server_at
from tensh.support.escaping import visible_line


def one(found):
    """Return the single result of a request."""
    return found


def number(found):
    """Return the single result of a request, a number."""
    return int(found)


class TCPStore(Store):
    """A store that one process serves at a port, where others connect.

    The process with ``is_master`` serves it, at a free port for port 0. With a ``world_size`` it waits, unless
    ``wait_for_workers`` is False, until that many stores are connected. Anybody who can reach the port can read and
    write the store. Raise DistNetworkError for a port in use, or if no server is found within the time-out.

    >>> import tensh as torch
    >>> served = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    >>> other = torch.distributed.TCPStore("127.0.0.1", served.port)
    >>> other.set("a", "1"); served.get("a")
    b'1'
    """

    __module__ = "torch._C._distributed_c10d"

    def __init__(
        self,
        host_name,
        port,
        world_size=None,
        is_master=False,
        timeout=300.0,
        wait_for_workers=True,
        multi_tenant=False,
        master_listen_fd=None,
        use_libuv=True,
    ):
        self.host, self.libuvBackend = host_name, use_libuv
        self.set_timeout(timeout)
        port = index(port)
        if not 0 <= port < 2**16:
            raise TypeError("__init__(): incompatible constructor arguments: a port is a number from 0 to 65535")
        self._server = server_at(host_name, port, master_listen_fd, multi_tenant) if is_master else None
        self.port = self._server.port if is_master else port
        self._lock, self._connection = threading.Lock(), connect(host_name, self.port, self._seconds)
        weakref.finalize(self, self._connection.close)
        if world_size is not None:
            joined = self.add(JOINED, 1)
            if is_master and wait_for_workers:
                self._await_others(joined, world_size)

    def _await_others(self, joined, world_size):
        end = time.monotonic() + self._seconds
        while joined < world_size:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {max(round(self._seconds), 1)} seconds waiting for clients. "
                    f"{joined}/{world_size} clients joined."
                )
            time.sleep(0.01)
            joined = self.add(JOINED, 0)

    def _ask(self, name, *args, result=lambda: None):
        """Send a request, and convert its results by ``result``.  Raise DistNetworkError for an invalid response."""
        try:
            with self._lock:
                send(self._connection, [name.encode(), *args])
                answer = receive(self._connection)
        except OSError as error:
            raise DistNetworkError(error.strerror or str(error)) from None
        try:
            raised, *found = answer
            if not raised:
                return result(*found)
            error = RAISED[raised.decode()](visible_line(found[0].decode()))
        except (LookupError, TypeError, ValueError):
            text = f"{self.host}:{self.port} answers, but not as a store: its answer to {name!r} is invalid"
            raise DistNetworkError(text) from None
        raise error

    def set(self, key, value):
        self._ask("set", key_of("set", key), value_of("set", value))

    def get(self, key):
        self.wait([key])
        return self._ask("get", key_of("get", key), result=one)

    def add(self, key, amount):
        return self._ask("add", key_of("add", key), b"%d" % amount_of(amount), result=number)

    def append(self, key, value):
        self._ask("append", key_of("append", key), value_of("append", value))

    def multi_set(self, keys, values):
        if len(keys) != len(values):
            raise DistStoreError("multiSet keys and values vectors must be of same size")
        super().multi_set(keys, values)

    def compare_set(self, key, expected_value, desired_value):
        values = [value_of("compare_set", each) for each in (expected_value, desired_value)]
        return self._ask("compare_set", key_of("compare_set", key), *values, result=one)

    def check(self, keys):
        return self._ask("check", *(key_of("check", key) for key in keys), result=one) == b"1"

    def wait(self, keys, timeout=None):
        keys = [key_of("wait", key) for key in keys]
        self._ask_in_time("wait", [repr(self._limit(timeout)).encode(), *keys], keys, timeout)

    def _limit(self, timeout):
        return self._seconds if timeout is None else seconds_of(timeout)

    def _ask_in_time(self, name, args, keys, timeout=None, result=lambda: None):
        """Send a request that waits for keys; the error of a time-out names them."""
        try:
            return self._ask(name, *args, result=result)
        except QueueEmptyError:
            raise
        except DistStoreError:
            named = ", ".join(f"/{key.decode()}" for key in keys)
            text = f"wait timeout after {self._limit(timeout) * 1000:.0f}ms, keys: {named}"
            raise DistStoreError(text) from None

    def delete_key(self, key):
        return self._ask("delete_key", key_of("delete_key", key), result=one) == b"1"

    def num_keys(self):
        return self._ask("num_keys", result=number)

    def list_keys(self):
        return self._ask("list_keys", result=lambda *keys: [key.decode() for key in keys])

    def queue_push(self, key, value):
        self._ask("queue_push", key_of("queue_push", key), value_of("queue_push", value))

    def queue_pop(self, key, block=True):
        key = key_of("queue_pop", key)
        return self._ask_in_time("queue_pop", [key, repr(self._seconds).encode() if block else b""], [key], result=one)

    def queue_len(self, key):
        return self._ask("queue_len", key_of("queue_len", key), result=number)

    def has_extended_api(self):
        return True

    def clone(self):
        return TCPStore(self.host, self.port, timeout=self._seconds)

    def __repr__(self):
        server = "<nullptr>" if self._server is None else f"TCPServer(port={self.port})"
        return f"TCPStore(client=TCPClient({self.host}:{self.port}), server={server})"


def connect(host, port, seconds):
    """Connect to a server; retry until the time-out."""
    end = time.monotonic() + seconds
    while True:
        try:
            made = socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.001))
            refuse_itself(made)
        except OSError:
            if time.monotonic() > end:
                raise DistNetworkError(
                    f"The client socket has timed out after {seconds * 1000:.0f}ms while trying to connect to ({host}, {port})."
                ) from None
            time.sleep(0.05)
        else:
            made.settimeout(None)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made


def refuse_itself(connection):
    """Close a connection whose two ends are the same socket, and raise ConnectionRefusedError.

    Where nobody listens yet, the system may give a client the very port that it connects to: TCP then connects the
    socket with itself (RFC 9293, section 3.5, simultaneous open), and the server finds its port in use.
    """
    if connection.getsockname() == connection.getpeername():
        # reset the connection, since one that is closed in order keeps the port for a minute
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        raise ConnectionRefusedError
