"""The history file: its entries, and the treatment of an unreadable file."""

import os
from multiprocessing.pool import ThreadPool

import pytest

from tensh.cli.repl.history import LONGEST, MOST, History


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state" / "history")


def test_entries_come_back_in_order(path):
    history = History(path)
    assert history.entries() == []
    typed = ["x = 1", "for i in y:\n    i\n\n    j", "'损失 \\n'", "%who"]
    for text in typed:
        history.add(text)
    assert History(path).entries() == typed
    assert history.take_messages() == []
    assert (os.stat(path).st_mode & 0o77) == 0 or os.name == "nt"


def test_it_is_a_transcript(path):
    History(path).add("for i in y:\n    i")
    with open(path) as file:
        assert file.read() == ">>> for i in y:\n...     i\n"


@pytest.mark.parametrize("text", [" x = 'secret'", "", "\n", "   "])
def test_a_line_with_a_space_before_it_is_not_kept(path, text):
    History(path).add(text)
    assert not os.path.exists(path)


def test_without_a_path_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    history = History(None)
    history.add("x")
    assert ([*history.entries()], [*tmp_path.iterdir()]) == ([], [])


def test_two_shells_lose_nothing(path):
    shells = [History(path), History(path)]
    with ThreadPool(2) as pool:
        pool.starmap(lambda number, i: shells[number].add(f"line {number} {i}"), [(i % 2, i) for i in range(200)])
    entries = History(path).entries()
    assert sorted(entries) == sorted(f"line {i % 2} {i}" for i in range(200))


def test_what_was_cut_off_harms_nothing(path):
    history = History(path)
    history.add("x = 1")
    with open(path, "ab") as file:
        file.write(b">>> y = to")
    history.add("z = 3")
    assert History(path).entries() == ["x = 1", "y = to", "z = 3"]


@pytest.mark.parametrize(
    "damage", [b"\xff\xfe\n", b"\0\0\0\n", b"an entry of another program\n", b"... from nowhere\n"]
)
def test_a_damaged_file_is_set_aside(path, damage):
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(damage + b">>> x = 1\n")
    for aside in (path + ".damaged", path + ".damaged-2"):
        history = History(path)
        assert history.entries() == ["x = 1"]
        [notice] = history.take_messages()
        assert aside in notice and "damaged" in notice and history.take_messages() == []
        with open(aside, "rb") as file:
            assert file.read() == damage + b">>> x = 1\n"
        assert History(path).entries() == ["x = 1"]
        os.remove(path)
        with open(path, "wb") as file:
            file.write(damage + b">>> x = 1\n")


def test_a_file_that_cannot_be_written_is_said_once(tmp_path):
    history = History(str(tmp_path))  # a folder
    assert history.entries() == []
    history.add("x")
    history.add("y")
    [notice] = history.take_messages()
    assert "cannot be saved" in notice
    history.keep_at(str(tmp_path))  # as after %set
    history.add("z")
    assert history.take_messages() == []


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and devices")
def test_nothing_is_read_from_a_device_or_a_pipe(tmp_path):
    endless, pipe = str(tmp_path / "endless"), str(tmp_path / "pipe")
    os.symlink("/dev/zero", endless)
    os.mkfifo(pipe)
    for path, kind in ((endless, "a device"), (pipe, "a pipe")):
        history = History(path)
        assert history.entries() == []
        history.add("x = 1")
        assert history.take_messages() == [f"the history cannot be saved: {path}: this is {kind}, not a file"]
    nowhere = History(os.devnull)
    assert nowhere.entries() == []
    nowhere.add("x = 1")
    assert nowhere.take_messages() == []


def test_a_long_file_is_read_from_its_end(path):
    history = History(path)
    history.append([f"entry {i}\n    further" + "." * 300 for i in range(LONGEST // 300)])
    entries = History(path).entries()
    assert all(entry.startswith("entry ") for entry in entries) and entries[-1].startswith(
        f"entry {LONGEST // 300 - 1}"
    )
    history.append([str(i) for i in range(2 * MOST)])
    assert History(path).entries() == [str(i) for i in range(MOST, 2 * MOST)]
    assert history.take_messages() == []
