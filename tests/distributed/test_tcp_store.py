"""The server of a TCPStore and those who do not speak its language."""

import socket
import struct
import threading

import pytest

import tensh as torch

COUNT = struct.Struct("!Q")


def encode(*parts):
    return COUNT.pack(len(parts)) + b"".join(COUNT.pack(len(part)) + part for part in parts)


REQUESTS = [(), (b"nosuch",), (b"set",), (b"wait",), (b"add", b"a", b"x"), (b"get", b"\xff"), (b"\xff",), (b"wait", b"nan", b"k"),
            (b"queue_pop", b"q", b"nan"), (b"add", b"a", b"9" * 5000), (b"compare_set", b"a")]  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda parts: str(parts)[:30])
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


@pytest.fixture
def peer():
    """A function that starts what answers the first request with some bytes, and a store that takes it for a server."""
    listeners = []

    def start(answer):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return torch.distributed.TCPStore("127.0.0.1", listener.getsockname()[1], timeout=10.0)

    yield start
    for listener in listeners:
        listener.close()


ANSWERS = {
    "nothing": b"", "http": b"HTTP/1.1 200 OK\r\n\r\n", "no items": encode(), "an unknown error": encode(b"SystemExit", b"x"),
    "an error without text": encode(b"ValueError"), "an error in no text": encode(b"ValueError", b"\xff"),
    "another result": encode(b"", b"\xff", b"\xff"), "too many": b"\xff" * 8, "too long": COUNT.pack(1) + b"\xff" * 8,
}  # fmt: skip
CALLS = {
    "get": lambda store: store.get("a"),
    "add": lambda store: store.add("a", 1),
    "check": lambda store: store.check(["a"]),
    "list_keys": lambda store: store.list_keys(),
    "queue_pop": lambda store: store.queue_pop("a"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_what_is_no_answer_is_an_error_of_the_network(call, answer, peer):
    with pytest.raises(torch.distributed.DistNetworkError):
        call(peer(answer))


def test_a_peers_text_comes_without_control_characters(peer):
    with pytest.raises(ValueError, match=r"^a\\x1b\]0;b\\x07$"):
        peer(encode(b"ValueError", b"a\x1b]0;b\x07")).add("a", 1)


@pytest.mark.parametrize("begin", [COUNT.pack(2**62), COUNT.pack(2) + COUNT.pack(3) + b"set" + COUNT.pack(2**62)])
def test_a_request_without_end_ends_its_connection(begin):
    store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    with socket.create_connection(("127.0.0.1", store.port), timeout=10) as connection:
        connection.sendall(begin)
        assert connection.recv(1) == b""


def test_what_no_peer_would_receive_is_not_sent():
    store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    with pytest.raises(ValueError, match="8,388,608 bytes"):
        store.set("a", b"x" * (2**23 + 1))
    store.set("a", b"x" * 2**22)
    assert len(store.get("a")) == 2**22


@pytest.mark.parametrize("port", [-1, 2**16, 2**5000])
def test_a_port_that_none_can_be_is_of_a_wrong_type(port):
    with pytest.raises(TypeError, match="incompatible constructor arguments"):
        torch.distributed.TCPStore("127.0.0.1", port, is_master=True)


def test_a_client_that_came_first_does_not_connect_with_itself(monkeypatch):
    """The first attempts leave from the port that they go to, as the system may arrange, and the server comes later."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        host, port = found.getsockname()
    create_connection, served, sources = socket.create_connection, [], [(host, port)] * 2

    def connect(address, timeout):
        if sources:
            return create_connection(address, timeout, source_address=sources.pop())
        monkeypatch.undo()
        served.append(torch.distributed.TCPStore(host, port, is_master=True))
        return create_connection(address, timeout)

    monkeypatch.setattr(socket, "create_connection", connect)
    other = torch.distributed.TCPStore(host, port, timeout=30.0)
    other.set("a", "1")
    assert served[0].get("a") == b"1"
