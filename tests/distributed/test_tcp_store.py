"""The server of a TCPStore and those who do not speak its language."""

import socket
import struct
import threading

import pytest

import tensh as torch

COUNT = struct.Struct("!Q")


def encode(*parts):
    return COUNT.pack(len(parts)) + b"".join(COUNT.pack(len(part)) + part for part in parts)


@pytest.mark.parametrize(
    "request_", [(), (b"nosuch",), (b"set",), (b"wait",), (b"add", b"a", b"x"), (b"get", b"\xff"), (b"\xff",)], ids=str
)
def test_what_is_no_request_ends_its_connection_in_silence(request_, monkeypatch):
    raised = []
    monkeypatch.setattr(threading, "excepthook", lambda failure: raised.append(failure.exc_value))
    store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    with socket.create_connection(("127.0.0.1", store.port), timeout=10) as connection:
        connection.sendall(encode(*request_))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass
    store.set("key", "value")
    assert store.get("key") == b"value"
    assert raised == []
