"""Broken and malicious files: each ends with one clear line and its exit status, and nothing is written by halves."""

import json
import os
import subprocess
import sys

import pytest

from tensh.cli.process import status
from tensh.cli.settings.config import Settings, load
from tests.cli.hostile import LONGEST, refused, sparse
from tests.support.command_line import command
from tests.support.project import ROOT

pytestmark = pytest.mark.thorough

DEEP = 100_000


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


CODE = {  # message -> the code
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
UNREADABLE = {  # message -> the bytes
    "expected text in UTF-8, but byte 0xff on line 2 is invalid": b"x = 1\ny = '\xff'\n",
    "expected text in UTF-8, but this is UTF-16": "x = 1".encode("utf-16"),
    "expected text in UTF-8, but this is UTF-32": "x = 1".encode("utf-32"),
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


def test_a_byte_order_mark_and_lines_of_windows_are_settings_too(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbftheme = "dark"\r\ncaption = false\r\n')
    assert load({"TENSH_CONFIG": str(path)})[::2] == (Settings(theme="dark", caption=False), [])


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
    """In the plugin's own text: pytest shows the names of files unchanged."""
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
