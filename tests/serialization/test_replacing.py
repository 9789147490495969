"""Files that are written whole or not at all, and the remains of a process that is killed meanwhile."""

import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from tensh.support import replacing
from tensh.support.replacing import replace_file
from tests.support.project import ROOT, plain_environment

WAYS = ["without a name", "with a name"]


@pytest.fixture(params=WAYS)
def way(request, tmp_path, monkeypatch):
    """Both ways in which a file is written beside another."""
    if request.param == "with a name":
        monkeypatch.setattr(replacing, "open_nameless", lambda folder, path: None)
    elif (descriptor := replacing.open_nameless(tmp_path, "")) is None:
        pytest.skip("files without a name are Linux's")
    else:
        os.close(descriptor)
    return request.param


def save(path, content):
    with replace_file(path) as file:
        file.write(content)


def test_a_file_is_new_or_as_it_was(way, tmp_path):
    path = tmp_path / "file"
    save(path, b"old")
    with pytest.raises(ZeroDivisionError), replace_file(path) as file:
        file.write(b"new" * 10**6)
        1 / 0  # noqa: B018
    assert path.read_bytes() == b"old"
    save(path, b"new")
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["file"]


def test_permissions_are_kept_and_those_of_new_files_are_usual(way, tmp_path):
    path, usual = tmp_path / "file", tmp_path / "usual"
    usual.touch()
    save(path, b"1")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    path.chmod(0o640)
    save(path, b"2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_links_are_followed(way, tmp_path):
    (tmp_path / "folder").mkdir()
    link, path = tmp_path / "link", tmp_path / "folder" / "file"
    link.symlink_to(path)
    save(link, b"1")
    assert link.is_symlink() and path.read_bytes() == b"1" and os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("name", ["n" * 255, "a\nb", os.fsdecode(b"\xff\xfe"), "-rf", " "], ids=ascii)
def test_a_file_of_any_name_is_replaced(way, tmp_path, name):
    path = tmp_path / name
    save(path, b"1")
    save(path, b"2")
    assert path.read_bytes() == b"2" and os.listdir(tmp_path) == [name]


def test_a_folder_that_is_not_there_is_said_with_the_name_of_the_file(way, tmp_path):
    path = os.path.realpath(tmp_path / "none" / "file")
    with pytest.raises(FileNotFoundError) as caught:
        save(path, b"1")
    assert caught.value.filename == path


def test_many_who_save_at_once_each_save_a_whole_file(way, tmp_path):
    path, contents = tmp_path / "file", [bytes([number]) * 50_000 for number in range(8)]

    def save_often(content):
        for _ in range(20):
            save(path, content)
            assert path.read_bytes() in contents

    threads = [threading.Thread(target=save_often, args=[content]) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents and os.listdir(tmp_path) == ["file"]


KILLED = """
import os, signal, sys
from tensh.support import replacing

path, way, moment = sys.argv[1:]
if way == "with a name":
    replacing.open_nameless = lambda folder, path: None

def end(*ignored, **options):
    os.kill(os.getpid(), signal.SIGKILL)

if moment == "renaming":
    os.replace = end
with replacing.replace_file(path) as file:
    file.write(b"half" * 100_000)
    file.flush()
    if moment == "writing":
        end()
"""


@pytest.mark.thorough
@pytest.mark.parametrize("moment", ["writing", "renaming"])
def test_nothing_is_left_of_a_process_that_was_killed(way, moment, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    command = [sys.executable, "-c", KILLED, path, way, moment]
    assert subprocess.run(command, cwd=ROOT, env=plain_environment()).returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    if (way, moment) == ("without a name", "writing"):
        assert os.listdir(tmp_path) == ["file"]
    save(path, b"new")  # also removes the remains of the killed process
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["file"]


def test_a_file_without_a_name_that_cannot_be_given_one(tmp_path, monkeypatch):
    path = tmp_path / "file"

    def refuse(*args, **options):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    save(path, b"123" * 10**5)
    save(path, b"45" * 10**5)
    assert path.read_bytes() == b"45" * 10**5 and os.listdir(tmp_path) == ["file"]


@pytest.fixture
def closed_folder(tmp_path, monkeypatch):
    """A folder in which no file can be made, even by root."""
    before = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not os.path.isdir(path) and before(path, mode))
    return tmp_path


def test_a_file_where_no_other_can_be_made_is_new_or_as_it_was(closed_folder):
    path = closed_folder / "file"
    path.write_bytes(b"old" * 100)
    number = path.stat().st_ino
    with pytest.raises(ZeroDivisionError), replace_file(path) as file:
        file.write(b"new" * 10**6)
        raise ZeroDivisionError
    assert path.read_bytes() == b"old" * 100
    for content in (b"new" * 1000, b"short", b""):
        save(path, content)
        assert path.read_bytes() == content
    assert path.stat().st_ino == number and os.listdir(closed_folder) == ["file"]


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no system call that keeps room")
def test_a_full_disk_leaves_a_file_where_no_other_can_be_made(closed_folder, monkeypatch):
    path = closed_folder / "file"
    path.write_bytes(b"old")

    def full(descriptor, begin, size):
        os.ftruncate(descriptor, size // 2)
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        save(path, b"new" * 1000)
    assert path.read_bytes() == b"old"
