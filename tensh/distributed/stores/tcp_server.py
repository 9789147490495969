"""The server of a store over TCP: its threads, the requests that it answers, and sharing by several stores."""

import contextlib
import socket
import threading
import weakref

from tensh.distributed.errors import DistError, DistNetworkError
from tensh.distributed.stores.store import HashStore, seconds_of
from tensh.distributed.stores.tcp_frames import JOINED, RAISED, receive, send

LOCAL = ("localhost", "127.0.0.1")  # a store at this address is not served to other machines


class Server:
    """A store in memory, and the threads that answer its requests."""

    def __init__(self, host, port, descriptor):
        self.store, self.connections = HashStore(), weakref.WeakSet()
        if descriptor is not None:
            self.socket = socket.socket(fileno=descriptor)
        else:
            try:
                self.socket = socket.create_server((host if host in LOCAL else "", port), backlog=1024)
            except OSError as error:
                raise DistNetworkError(
                    f"The server socket has failed to listen on any local network address. port: {port}, useIpv6: false, "
                    f"code: -{error.errno}, name: {_name(error)}, message: {(error.strerror or '').partition(' (')[0].lower()}"
                ) from None
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True, name=f"TCPStore {self.port}").start()

    def accept(self):
        """Start a thread for each connection, until the server is closed."""
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        """Answer the requests of one connection; an invalid request ends it."""
        with connection, contextlib.suppress(OSError, DistError, LookupError, TypeError, ValueError, OverflowError):
            while True:
                name, *args = receive(connection)
                try:
                    answer = [b"", *REQUESTS[name.decode()](self.store, *args)]
                except tuple(RAISED.values()) as error:
                    answer = [type(error).__name__.encode(), str(error).encode()]
                send(connection, answer)

    def close(self):
        """Stop the threads and close the connections."""
        for each in (self.socket, *self.connections):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _name(error):
    import errno

    return errno.errorcode.get(error.errno, "")


def _numbers(answer):
    return [b"%d" % answer]


REQUESTS = {
    "set": lambda store, key, value: store.set(key, value) or (),
    "get": lambda store, key: [store.get(key)],
    "add": lambda store, key, amount: _numbers(store.add(key, int(amount))),
    "append": lambda store, key, value: store.append(key, value) or (),
    "compare_set": lambda store, *args: [store.compare_set(*args)],
    "check": lambda store, *keys: _numbers(store.check(keys)),
    "wait": lambda store, seconds, *keys: store.wait(keys, float(seconds)) or (),
    "delete_key": lambda store, key: _numbers(store.delete_key(key)),
    "num_keys": lambda store: _numbers(store.num_keys()),
    "list_keys": lambda store: [key.encode() for key in store.list_keys() if key.encode() != JOINED],
    "queue_push": lambda store, key, value: store.queue_push(key, value) or (),
    "queue_pop": lambda store, key, seconds: [store._pop(key, seconds_of(float(seconds)) if seconds else None)],
    "queue_len": lambda store, key: _numbers(store.queue_len(key)),
}
"""Request to a server -> the function that computes the results, as bytes."""
_shared: weakref.WeakValueDictionary = weakref.WeakValueDictionary()  # port -> server shared by several stores


class Tenancy:
    """Keeps a server alive as long as a store uses it."""

    def __init__(self, server):
        self.port = server.port
        weakref.finalize(self, server.close)


def server_at(host, port, descriptor, shared):
    """Return a new server, or the shared one of this process at a port."""
    if shared and port in _shared:
        return _shared[port]
    made = Tenancy(Server(host, port, descriptor))
    if shared:
        _shared[made.port] = made
    return made
