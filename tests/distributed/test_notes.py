"""The notes by which the processes of a launch tell how they end."""

import builtins

import pytest

from tensh.cli.launching import __main__ as process


def test_a_note_is_whole_or_absent(tmp_path, monkeypatch):
    process.note(str(tmp_path), "0.status", "3")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("0.status", "3")]

    def open_and_stop(*args, **options):
        builtins.open(*args, **options).close()
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "open", open_and_stop, raising=False)
    with pytest.raises(KeyboardInterrupt):
        process.note(str(tmp_path), "1.status", "3")
    assert not list(tmp_path.glob("1.status"))
