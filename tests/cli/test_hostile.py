"""Broken and malicious files: each ends with one clear line and its exit status, and nothing is written by halves."""

import io
import json
import os
import stat
import subprocess
import sys

import pytest

from tensh.cli.app import main
from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import UsageError
from tensh.cli.settings.config import Settings, load
from tests.support.command_line import command
from tests.support.project import ROOT

pytestmark = pytest.mark.thorough

DEEP = 100_000
LONGEST = 600  # characters of what is said


def refused(said, path, words):
    """True if one clear line about a file was said."""
    return (
        words in said and said.startswith(str(path)) and said.count("\n") == 1 and len(said) < LONGEST + len(str(path))
    )


# ── notebooks ────────────────────────────────────────────────────────────────


def notebook(*cells, **more):
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | more)


def cell(**fields):
    return {"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "execution_count": None} | fields


WHOLE = notebook(cell())
NOTEBOOKS = {  # what is said -> the file
    "it is nested too deeply": "[" * DEEP + "]" * DEEP,
    "nested too deeply": '{"a":' * DEEP + "1" + "}" * DEEP,
    "a number with too many digits": WHOLE.replace("null", "9" * DEEP),
    "expected JSON, but it is empty": "",
    "expected JSON, but line 1, column": WHOLE[:-10],
    "expected JSON, but line": WHOLE.replace('"1"', '"\0"'),
    "expected an object, but it is a list": "[]",
    "expected an object, but it is a number": "5",
    "expected an object, but it is a text": '"text"',
    "expected an object, but it is null": "null",
    'it does not declare its format ("nbformat")': "{}",
    "has format 2, but format 4 is needed": '{"nbformat": 2, "worksheets": []}',
    "expected a list for its list of cells, but found an object": '{"nbformat": 4, "cells": {}}',
    "expected a list for its list of cells, but found null": '{"nbformat": 4}',
    "expected an object for cell 1, but found null": notebook(None),
    "cell 1 is neither code nor prose": notebook(cell(cell_type=5)),
    "expected a text for the source of cell 1, but found a number": notebook(cell(source=7)),
    "expected a text for a line of the source of cell 1": notebook(cell(source=[7])),
    "expected a list for the outputs of cell 2, but found null": notebook(cell(), cell(outputs=None)),
    "expected an object for the metadata of cell 1, but found a list": notebook(cell(metadata=[])),
    "expected an object for its metadata, but found true or false": notebook(metadata=True),
    "expected an object for an output of cell 1, but found a number": notebook(cell(outputs=[5])),
    "expected text in UTF-8, but byte 0xff on line 1 is invalid": b'{"nbformat": "\xff"}',
    "expected text in UTF-8, but this is UTF-16": WHOLE.encode("utf-16"),
}


@pytest.mark.parametrize("words, text", NOTEBOOKS.items(), ids=NOTEBOOKS)
def test_a_broken_notebook_ends_with_one_line(words, text, tmp_path):
    path, target = tmp_path / "a.ipynb", tmp_path / "a.tsh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for arguments in (
        ["run", path],
        ["check", path],
        ["check", "--update", path],
        ["graph", path],
        ["convert", path, target],
    ):
        found, _, said = command(*arguments)
        assert found == status.USAGE and refused(said, path, words), arguments
    assert not target.exists() and len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize(
    "text",
    [WHOLE.encode("utf-8-sig"), WHOLE.replace(" ", "\r\n").encode(), WHOLE.replace("5", "1e999999").encode()],
    ids=["byte order mark", "CRLF", "huge number"],
)
def test_what_is_only_unusual_in_a_notebook_runs(text, tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_bytes(text)
    assert command("run", path) == (0, "1\n", "")
    assert command("check", path)[0] == command("convert", path, tmp_path / "a.md")[0] == 0


# ── code ─────────────────────────────────────────────────────────────────────

CODE = {  # what is said -> the code
    "too many nested parentheses": "x = " + "(" * 10_000 + "1" + ")" * 10_000,
    "nested parentheses": "x = " + "[" * 10_000,
    "SyntaxError: too many nested expressions": "x = " + "-" * DEEP + "1",
    "too many nested expressions": "x = a" + ".a" * DEEP,
    "Exceeds the limit (4300 digits)": "x = " + "9" * DEEP,
    "too many levels of indentation": "\n".join(" " * depth + "if 1:" for depth in range(200)),
    "1: SyntaxError: the character U+0000, which is not allowed in code": "x = 1\0",
    "SyntaxError: more than the limit of 4 MiB of code": "x" * (2**22 + 1),
    "invalid non-printable character": "x = 1\ufffe",
}
UNREADABLE = {  # what is said -> the bytes
    "expected text in UTF-8, but byte 0xff on line 2 is invalid": b"x = 1\ny = '\xff'\n",
    "expected text in UTF-8, but this is UTF-16": "x = 1".encode("utf-16"),
    "this is not text (unknown encoding: nowhere)": b"# coding: nowhere\nx = 1\n",
    "undefined encoding": b"# coding: undefined\nx = 1\n",
}


@pytest.mark.parametrize("words, code", CODE.items(), ids=CODE)
def test_code_that_cannot_be_read_ends_with_one_line(words, code, tmp_path):
    for name in ("a.py", "a.tsh"):
        path = tmp_path / name
        path.write_text(code, encoding="utf-8")
        found, out, said = command("run", path)
        line = said.split("\n")[0]
        assert (found, out) == (status.FAILED, "") and line.startswith(str(path)) and words in line
        assert len(said) < 3 * LONGEST + 2 * len(str(path))
    found, said, errors = command("check", path)
    assert (found, errors) == (status.DIFFERS, "") and words in said and len(said) < 3 * LONGEST


@pytest.mark.parametrize("words, data", UNREADABLE.items(), ids=UNREADABLE)
def test_what_is_no_text_ends_with_one_line(words, data, tmp_path):
    for name in ("a.py", "a.tsh", "a.md"):
        path = tmp_path / name
        path.write_bytes(data)
        for arguments in (["run", path], ["check", path], ["convert", path, tmp_path / "a.ipynb"]):
            if name == "a.md" and "encoding" in words:
                continue
            found, _, said = command(*arguments)
            assert found == status.USAGE and refused(said, path, words)
    assert not (tmp_path / "a.ipynb").exists()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_lines_end_as_they_like(end, tmp_path):
    code = f"\ufeffif True:{end}    x = 1{end}print(x)"
    for name in ("a.py", "a.tsh", "a.md"):
        path = tmp_path / name
        path.write_bytes(code.encode() if name != "a.md" else f"```python{end}print(1){end}```{end}".encode())
        if name != "a.md":
            assert command("run", path) == (0, "1\n", "")
        assert command("check", path)[0] == 0


@pytest.mark.parametrize("sign", ["{", '{"a":'])
def test_what_is_said_of_a_document_may_be_broken(sign, tmp_path):
    for name, text in {"a.tsh": f"# tensh: {sign * DEEP}\n1", "a.md": f"<!-- tensh: {sign * DEEP} }} -->"}.items():
        path = tmp_path / name
        path.write_text(text)
        for name in ("check", "run")[: 1 if path.suffix == ".tsh" else 2]:
            found, _, said = command(name, path)
            assert found == status.USAGE and refused(said, path, "its first line: ")


QUADRATIC = [  # what must not take the square of its length
    "```" + " " * DEEP + "`", "~" * DEEP + "`", "%time a" + " " * DEEP + "b", "x = (\n" + "%a\n" * 20_000, 'x = """\n' + "a?\n" * 20_000,
    "%a\n" * 3000, "```\n" * 20_000, "<!-- cell \n" * 20_000, "# %% {\n" * 5000, "1\n#> (\n" * 1000,
]  # fmt: skip


@pytest.mark.parametrize("text", QUADRATIC, ids=[text[:10] for text in QUADRATIC])
def test_long_texts_take_no_longer_than_they_are(text, tmp_path):
    for name in ("a.tsh", "a.md"):
        (tmp_path / name).write_text(text)
        assert command("convert", tmp_path / name, tmp_path / "out.ipynb", "--force") == (0, "", "")
    command("run", tmp_path / "a.tsh")


def test_half_a_character_is_shown_as_an_escape(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(cell(source="x = '\ud800'")))
    done = subprocess.run(
        [sys.executable, "-m", "tensh", "check", str(path)], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (status.DIFFERS, "")
    assert "x = '\\ud800'" in done.stdout and "the character U+D800, which is not allowed in code" in done.stdout


# ── what is no file ──────────────────────────────────────────────────────────


def to_itself(path):
    path.symlink_to(path)


def in_a_circle(path):
    path.symlink_to(path.with_name("b"))
    path.with_name("b").symlink_to(path)


def to_nowhere(path):
    path.symlink_to("/nowhere/at/all")


def to_a_device(path):
    path.symlink_to("/dev/zero")


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(2**30)


def unreadable(path):
    path.write_text("1")
    path.chmod(0)


PLACES = {
    to_itself: "this link leads to itself, not to a file",
    in_a_circle: "this link leads to itself, not to a file",
    to_nowhere: "this link leads to /nowhere/at/all, which does not exist",
    to_a_device: "this is a device, not a file",
    os.mkfifo if hasattr(os, "mkfifo") else to_nowhere: "",
    os.mkdir: "this is a folder, not a file",
    sparse: "it is larger than the limit of 128 MiB: 1,024 MiB",
    unreadable: "Permission denied",
}


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


# ── settings ─────────────────────────────────────────────────────────────────

SETTINGS = {  # what is said -> the file
    "it is nested too deeply": "a = " + "[" * 5000 + "]" * 5000,
    "it has a number with too many digits": "precision = " + "9" * 5000,
    "precision cannot be inf; allowed: a whole number": "precision = 1e999999",
    "precision cannot be a number with so many digits; allowed": "precision = 0x" + "f" * 5000,
    "precision cannot be 101; allowed: a whole number from 0 to 100": "precision = 101",
    "threshold cannot be 9999": "threshold = " + "9" * 4000,
    "it is larger than the limit of 16 KiB: 195 KiB": ".".join(["a"] * DEEP) + " = 1",
    "theme cannot be xxxxx": 'theme = "' + "x" * 10_000 + '"',
    "there is no setting 'xxxxx": "x" * 10_000 + " = 1",
    "history cannot be": 'history = "\\u0000"',
    "expected text in UTF-8, but byte 0xff on line 1 is invalid": b'theme = "\xff"',
    "expected text in UTF-8, but this is UTF-16": "theme = 1".encode("utf-16"),
    "Illegal character": 'theme = "\0"',
}


@pytest.mark.parametrize("words, text", SETTINGS.items(), ids=SETTINGS)
def test_a_broken_file_of_settings_is_one_complaint(words, text, tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    loaded = load({"TENSH_CONFIG": str(path)})
    (complaint,) = loaded.complaints
    assert loaded.settings == Settings() and refused(complaint + "\n", path, words)


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and pipes")
@pytest.mark.parametrize("make", [to_itself, to_nowhere, to_a_device, os.mkdir, os.mkfifo, sparse])
def test_settings_that_are_no_file_are_one_complaint(make, tmp_path):
    path = tmp_path / "config.toml"
    make(path)
    loaded = load({"TENSH_CONFIG": str(path)})
    (complaint,) = loaded.complaints
    assert loaded.settings == Settings() and refused(complaint + "\n", path, "")


def test_a_byte_order_mark_and_lines_of_windows_are_settings_too(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbftheme = "dark"\r\ncaption = false\r\n')
    assert load({"TENSH_CONFIG": str(path)})[::2] == (Settings(theme="dark", caption=False), [])


# ── tensors ──────────────────────────────────────────────────────────────────


def header(text):
    data = text if isinstance(text, bytes) else text.encode()
    return len(data).to_bytes(8, "little") + data


def entry(shape="[1]", offsets="[0, 4]", dtype="F32"):
    return header(f'{{"a": {{"dtype": "{dtype}", "shape": {shape}, "data_offsets": {offsets}}}}}') + b"\0" * 4


TENSORS = {
    "": b"", "short": b"\1\2", "endless header": (2**62).to_bytes(8, "little") + b"{}", "nested": header('{"a": ' + "[" * DEEP + "}"),
    "negative": entry("[-1]"), "overflow": entry("[4611686018427387904, 4]"), "digits": entry("[" + "9" * DEEP + "]"),
    "float": entry(offsets="[0, 1e999999]"), "text": entry('"x"'), "dtype": entry(dtype="F77"), "bytes": header(b'{"\xff": 1}'),
    "no keys": header('{"a": {}}'), "a list": header("[]"), "NUL": header("\0"), "too much": entry() + b"\0",
}  # fmt: skip


@pytest.mark.parametrize("data", TENSORS.values(), ids=TENSORS)
def test_a_broken_file_of_tensors_ends_with_one_line(data, tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    found, out, said = command("-c", f"%load {path}")
    assert (found, out) == (1, "") and said.split("\n")[0].startswith(f"-c:1: {path}: ") and len(said) < LONGEST


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and pipes")
@pytest.mark.parametrize("make", [to_itself, to_nowhere, to_a_device, os.mkdir, os.mkfifo])
def test_tensors_that_are_no_file_end_with_one_line(make, tmp_path):
    path = tmp_path / "a.safetensors"
    make(path)
    found, out, said = command("-c", f"%load {path}")
    assert (found, out) == (1, "") and said.split("\n")[0].startswith(f"-c:1: {path}: this ")


# ── pytest ───────────────────────────────────────────────────────────────────


def test_the_plugin_reports_each_broken_document_in_a_line(tmp_path):
    for number, (_, text) in enumerate(NOTEBOOKS.items()):
        (tmp_path / f"n{number:02}.ipynb").write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "deep.tsh").write_text(CODE["too many nested parentheses"])
    sparse(tmp_path / "long.ipynb")
    sparse(tmp_path / "long.md")
    arguments = ["-p", "tensh.cli.checking.plugin", "-p", "no:cacheprovider", "--tensh-check", "-q", "-o", "addopts="]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, "--continue-on-collection-errors", "."],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True,
        encoding="utf-8",
    )  # fmt: skip
    assert f"1 failed, {len(NOTEBOOKS) + 1} errors" in done.stdout
    assert "INTERNALERROR" not in done.stdout + done.stderr and "Traceback" not in done.stdout + done.stderr
    assert "long.ipynb: it is larger than the limit of 128 MiB" in done.stdout


def test_the_plugin_shows_names_of_documents_without_what_a_terminal_obeys(tmp_path):
    """As far as the words are its own: pytest names what it runs as files are named."""
    (tmp_path / "a\x1b[2J.md").write_text("```python\n1\n```\n```\n2\n```\n")
    (tmp_path / "b\x1b[2J.ipynb").write_text('{"cells":[5],"nbformat":4}')
    arguments = ["-p", "tensh.cli.checking.plugin", "-p", "no:cacheprovider", "--tensh-check", "-o", "addopts="]
    asked = ["--continue-on-collection-errors", "-q", "-rN"], ["--collect-only"]
    for options in asked:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments, *options, "."],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True, encoding="utf-8",
        )  # fmt: skip
        own = [
            line for line in done.stdout.splitlines() if "md [1]" in line or "this notebook" in line or "<Doc" in line
        ]
        assert own and not any("\x1b" in line for line in own)


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
