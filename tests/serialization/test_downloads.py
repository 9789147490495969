"""Downloads of ``torch.hub``: a file is complete, or what was there before stays."""

import contextlib
import hashlib
import http.server
import io
import threading
import urllib.error

import pytest

import tensh as torch


def make_file():
    file = io.BytesIO()
    torch.save({"w": torch.arange(1000.0)}, file)
    return file.getvalue()


WHOLE = make_file()
SENT = {"/whole.pt": WHOLE, "/short.pt": WHOLE[: len(WHOLE) // 2], "/nothing.pt": b""}
DIGEST = hashlib.sha256(WHOLE).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Announces the whole file, and sends what the path stands for."""

    def do_GET(self):
        if self.path not in SENT:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(WHOLE)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(SENT[self.path])

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_file_is_downloaded_once(address, tmp_path, capsys):
    for _ in range(2):
        loaded = torch.hub.load_state_dict_from_url(f"{address}/whole.pt", str(tmp_path), weights_only=True)
        assert torch.equal(loaded["w"], torch.arange(1000.0))
    assert capsys.readouterr().out.count("Downloading") == 1


REFUSED = {  # what is asked for -> the error
    ("/short.pt", None): (urllib.error.ContentTooShortError, "the download ended .* bytes too early"),
    ("/nothing.pt", None): (urllib.error.ContentTooShortError, f"the download ended {len(WHOLE)} bytes too early"),
    ("/whole.pt", "0" * 8): (RuntimeError, f'invalid hash value .expected "00000000", got "{DIGEST}"'),
    ("/missing.pt", None): (urllib.error.HTTPError, "404"),
}


@pytest.mark.parametrize("path, prefix", REFUSED, ids=str)
def test_what_is_not_complete_leaves_the_old_file(path, prefix, address, tmp_path):
    kind, words = REFUSED[path, prefix]
    (tmp_path / "old.pt").write_bytes(b"old")
    with pytest.raises(kind, match=words):
        torch.hub.download_url_to_file(address + path, str(tmp_path / "old.pt"), prefix)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("old.pt", b"old")]
