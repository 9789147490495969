"""Rendezvous: processes meet at a store that all can reach, given by a URL or by environment variables.

The module is not called ``rendezvous``, because importing it would hide the function of that name in
``torch.distributed``.
"""

import os
from urllib.parse import urlsplit

from tensh.distributed.stores.file_store import FileStore
from tensh.distributed.stores.tcp_store import TCPStore


class RendezvousURL:
    """The information in a URL: where the processes meet, the rank of this one, and their number."""

    def __init__(self, url, rank, world_size):
        parts = urlsplit(url)
        self.scheme, self.parts = parts.scheme, parts
        self.query = dict(pair.split("=", 1) for pair in parts.query.split("&") if pair)
        for name, number in (("rank", rank), ("world_size", world_size)):
            if number != -1:
                self.query[name] = number

    def error(self, text):
        return ValueError(f"Error initializing torch.distributed using {self.scheme}:// rendezvous: {text}")

    def ranks(self):
        """Return (rank, world size); raise ValueError if the URL lacks one."""
        for name in ("rank", "world_size"):
            if name not in self.query:
                raise self.error(f"{name.replace('_', ' ')} parameter missing")
        return int(self.query["rank"]), int(self.query["world_size"])

    def variable(self, name):
        """Return an environment variable; raise ValueError if it is not set."""
        if name not in os.environ:
            raise self.error(f"environment variable {name} expected, but not set")
        return os.environ[name]


def rendezvous_by_file(url, rank, world_size, timeout):
    given = RendezvousURL(url, rank, world_size)
    path = given.parts.netloc + given.parts.path
    if not path:
        raise given.error("path missing")
    rank, world_size = given.ranks()
    yield FileStore(path, world_size), rank, world_size


def rendezvous_by_address(url, rank, world_size, timeout):
    given = RendezvousURL(url, rank, world_size)
    if given.parts.port is None:
        raise given.error("port number missing")
    rank, world_size = given.ranks()
    store = serve(given.parts.hostname, given.parts.port, rank, world_size, timeout)
    yield store, rank, world_size


def rendezvous_by_environment(url, rank, world_size, timeout):
    given = RendezvousURL(url, rank, world_size)
    found = [int(given.query.get(name, -1)) for name in ("rank", "world_size")]
    found = [int(given.variable(name)) if n == -1 else n for name, n in zip(("RANK", "WORLD_SIZE"), found, strict=True)]
    host, port = given.variable("MASTER_ADDR"), int(given.variable("MASTER_PORT"))
    yield serve(host, port, *found, timeout), *found


def serve(host, port, rank, world_size, timeout):
    """Return the store at an address, which the first process serves."""
    options = {} if timeout is None else {"timeout": timeout}
    return TCPStore(host, port, world_size, rank == 0, multi_tenant=True, **options)


HANDLERS = {"file": rendezvous_by_file, "tcp": rendezvous_by_address, "env": rendezvous_by_environment}


def register_rendezvous_handler(scheme, handler):
    """Register a generator of (store, rank, world size) for a scheme of URLs.  Raise RuntimeError if there is one."""
    if scheme in HANDLERS:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    HANDLERS[scheme] = lambda url, rank, world_size, timeout: handler(url)


def rendezvous(url, rank=-1, world_size=-1, timeout=None):
    """Yield (store, rank, world size) of the processes that meet at a URL.

    ``file:///path`` is a file that all of them can access, ``tcp://host:port`` a store that the first serves,
    ``env://`` the same at ``MASTER_ADDR`` and ``MASTER_PORT``, with ``RANK`` and ``WORLD_SIZE``. Raise ValueError for
    missing information, RuntimeError for another scheme.

    >>> import tempfile, tensh as torch
    >>> url = f"file://{tempfile.mkdtemp()}/store?rank=0&world_size=1"
    >>> next(torch.distributed.rendezvous(url))[1:]
    (0, 1)
    """
    if not isinstance(url, str):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    for name, number in (("rank", rank), ("world_size", world_size)):
        if not isinstance(number, int):
            raise RuntimeError(f"`{name}` must be an integer. {number}")
    scheme = urlsplit(url).scheme
    if scheme not in HANDLERS:
        raise RuntimeError(f"No rendezvous handler for {scheme}://")
    return HANDLERS[scheme](url, rank, world_size, timeout)
