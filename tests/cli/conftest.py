"""Fixtures that tests of the command line share."""

import pytest


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Write a file into the current folder; its name."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="s.tsh"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write
