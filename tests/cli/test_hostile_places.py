"""Paths that are no files, streams that have no end, and files that cannot be written whole."""

import io
import os
import stat
import sys

import pytest

from tensh.cli.app import main
from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import UsageError
from tensh.cli.settings.config import Settings, load
from tests.cli.hostile import PLACES, refused, sparse, to_a_device, to_itself, to_nowhere, unreadable
from tests.support.command_line import command

pytestmark = pytest.mark.thorough


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and pipes")
@pytest.mark.parametrize("make, words", PLACES.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_what_is_no_file_ends_with_one_line(make, words, tmp_path):
    words = words or "this is a pipe without a writer, not a file"
    if make is unreadable and os.geteuid() == 0:
        pytest.skip("whoever may do everything may read everything")
    for kind in (".py", ".tsh", ".ipynb", ".md"):
        path, target = tmp_path / f"a{kind}", tmp_path / f"out{kind}"
        if not os.path.lexists(path):
            make(path)
        for arguments in (["convert", path, target], ["check", path], ["run", path], ["graph", path]):
            if make is os.mkdir and arguments[0] == "check":
                continue  # a folder is what its documents are
            found, _, said = command(*arguments)
            assert found == status.USAGE and refused(said, path, words), arguments
        assert not target.exists()
        if os.path.lexists(path.with_name("b")):
            path.with_name("b").unlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("early", ["print(7)\n", ""])
def test_a_pipe_that_somebody_writes_into_is_read(early, tmp_path, monkeypatch):
    path, set_blocking = tmp_path / "a.tsh", os.set_blocking
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    os.write(writer, early.encode())

    def opened(descriptor, blocking):
        set_blocking(descriptor, blocking)
        os.write(writer, b"print(8)\n")
        os.close(writer)

    monkeypatch.setattr(reading.os, "set_blocking", opened)
    assert reading.code(path) == early + "print(8)\n"


def test_circles_of_folders_are_walked_once(tmp_path):
    (tmp_path / "a.tsh").write_text("1\n#> 1\n")
    for name in ("b", "c"):
        (tmp_path / name).symlink_to(tmp_path, target_is_directory=True)
    for pattern in (tmp_path, tmp_path / "**" / "*.tsh"):
        found, said, errors = command("check", pattern)
        assert (found, errors) == (0, "") and "1 ok" in said and said.count("a.tsh") == 1


def test_standard_input_may_be_broken():
    env = Environment(
        io.TextIOWrapper(io.BytesIO(b"x = '\xff'"), encoding="utf-8"), io.StringIO(), io.StringIO(), variables={}
    )
    assert main(["-"], env) == status.USAGE
    assert env.stderr.getvalue().startswith("stdin: expected text in utf-8")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_text_of_too_many_lines_ends_with_one_line(end, tmp_path, monkeypatch):
    """Of twenty million lines a notebook took five gigabytes to write."""
    monkeypatch.setattr(reading, "MOST_LINES", 100)
    for name in ("a.py", "a.tsh", "a.md", "a.ipynb"):
        path = tmp_path / name
        path.write_text(end * 101, newline="")
        for arguments in (["run", path], ["check", path], ["convert", path, tmp_path / "out.tsh"], ["learn", path]):
            found, _, said = command(*arguments)
            if arguments[0] != "learn" or name != "a.py":
                assert found == status.USAGE and refused(said, path, "it has more lines than the limit of 100")
    env = Environment(io.StringIO(end * 101), io.StringIO(), io.StringIO(), variables={})
    assert (
        main(["-"], env) == status.USAGE and "stdin: it has more lines than the limit of 100" in env.stderr.getvalue()
    )


def test_standard_input_may_have_no_end(monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 1000)
    env = Environment(io.StringIO("x" * 1001), io.StringIO(), io.StringIO(), variables={})
    assert main(["-"], env) == status.USAGE
    assert env.stderr.getvalue() == "stdin: it is larger than the limit of 0 MiB\n".replace("0 MiB", "1 KiB")


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path, monkeypatch):
    from tensh.support import replacing

    def fails(*given):
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.tsh"
    path.write_text("1 + 1\n#> 3\n")
    path.chmod(0o640)
    monkeypatch.setattr(replacing.os, "replace", fails)
    found, _, said = command("check", "--update", path)
    assert found == status.USAGE and refused(said, path, "No space left on device")
    assert path.read_text() == "1 + 1\n#> 3\n" and os.listdir(tmp_path) == ["a.tsh"]
    monkeypatch.undo()
    assert command("check", "--update", path)[0] == 0
    assert path.read_text() == "1 + 1\n#> 2\n" and stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and pipes")
@pytest.mark.parametrize("make", [to_itself, to_nowhere, to_a_device, os.mkdir, os.mkfifo, sparse])
def test_settings_that_are_no_file_are_one_complaint(make, tmp_path):
    path = tmp_path / "config.toml"
    make(path)
    loaded = load({"TENSH_CONFIG": str(path)})
    (complaint,) = loaded.complaints
    assert loaded.settings == Settings() and refused(complaint + "\n", path, "")


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and pipes")
@pytest.mark.parametrize("make", [to_itself, to_nowhere, to_a_device, os.mkdir, os.mkfifo])
def test_tensors_that_are_no_file_end_with_one_line(make, tmp_path):
    path = tmp_path / "a.safetensors"
    make(path)
    found, out, said = command("-c", f"%load {path}")
    assert (found, out) == (1, "") and said.split("\n")[0].startswith(f"-c:1: %load: {path}: this ")


def test_a_file_that_nothing_comes_out_of_ends_with_one_line(tmp_path, monkeypatch):
    """Such as the messages of the kernel: a file by its kind, which has nothing to read yet."""
    path = tmp_path / "a.tsh"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    monkeypatch.setattr(reading.stat, "S_IFMT", lambda mode: stat.S_IFREG)
    try:
        with pytest.raises(UsageError, match="this file cannot be read"):
            reading.content(str(path))
    finally:
        os.close(writer)
