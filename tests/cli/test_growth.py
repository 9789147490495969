"""What reads a file or a session takes time in proportion to its length: four times as much, less than eight times the time.

Processor time is compared with processor time of the same process a moment before, and a case may try again: a square,
which takes sixteen times as long, fails whatever else the machine does.
"""

import io
import json
import time

import numpy as np
import pytest

from tensh.cli.app import main
from tensh.cli.documents import files
from tensh.cli.process.environment import Environment
from tensh.cli.records.printed import OutputReporter
from tensh.cli.repl import history
from tensh.cli.repl.plain import PlainReader
from tensh.cli.session.completion import complete
from tensh.cli.session.files.opening import define_names
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source

pytestmark = pytest.mark.thorough

ATTEMPTS, MOST = 4, 8


def growth(work, size):
    """How many times as long it takes at four times the size."""
    seconds = []
    for each in (size, 4 * size):
        begin = time.process_time()
        work(each)
        seconds.append(time.process_time() - begin)
    return seconds[1] / seconds[0]


def assert_linear(work, size):
    work(size // 10)  # imports at first use
    found = []
    while not found or (found[-1] >= MOST and len(found) < ATTEMPTS):
        found.append(growth(work, size))
    assert found[-1] < MOST, found


# ── documents ────────────────────────────────────────────────────────────────


def notebook(sources, output=""):
    outputs = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": outputs}
    return json.dumps(
        {"cells": [cell | {"source": each} for each in sources], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    )


# A file of more than 5,000 lines is parsed in pieces, and statements before a broken one are compiled: both sizes lie below that.
DOCUMENTS = {  # name of the file: (its size, its text at a size)
    "assignments.tsh": (400, lambda n: "x = 1\n" * n),
    "assignments.py": (400, lambda n: "x = 1\n" * n),
    "names.tsh": (600, lambda n: "".join(f"x{i} = 1\n" for i in range(n)) + "%history 1\n"),
    "values.tsh": (300, lambda n: "1\n" * n),
    "functions.tsh": (400, lambda n: "def f(x):\n    return x\n" * n),
    "cells.tsh": (150, lambda n: "# %%\nx = 1\n" * n),
    "cells.py": (150, lambda n: "# %%\nx = 1\n" * n),
    "string.tsh": (5000, lambda n: 's = """\n' + "line\n" * n + '"""\n'),
    "branch.tsh": (1000, lambda n: "if 1:\n" + "    x = 1\n" * n),
    "comments.tsh": (5000, lambda n: "# comment\n" * n),
    "blank.tsh": (10000, lambda n: "\n" * n + "x = 1\n"),
    "long_line.tsh": (5000, lambda n: "x = [" + "1, " * n + "]\n"),
    "many_on_a_line.tsh": (400, lambda n: "x = 1; " * n + "\n"),
    "values_on_a_line.tsh": (300, lambda n: "1\n" + "2; " * n + "3\n"),
    "commands.tsh": (400, lambda n: "x = 1\n%reset\n" * n),
    "command_behind_blank.tsh": (5000, lambda n: "\n" * n + "%reset\n" + "\n" * n + "%reset\n"),
    "windows.tsh": (400, lambda n: "x = 1\r\n" * n),
    "fails_at_the_end.tsh": (600, lambda n: "x = 1\n" * n + "1 / 0\n"),
    "ends_in_the_middle.tsh": (1200, lambda n: "x = 1\n" * n + "y = (\n"),
    "broken_at_the_end.tsh": (1200, lambda n: "x = 1\n" * n + "y = = 2\n"),
    "bracket_stays_open.tsh": (5000, lambda n: "%reset\nx = (\n" + "1\n" * n),
    "string_stays_open.tsh": (5000, lambda n: '%reset\nx = """\n' + "1\n" * n),
    "results.tsh": (100, lambda n: "1\n#> 1\n" * n),
    "different_results.tsh": (200, lambda n: "1\n2\n" * n + "#> 1\n"),
    "blocks.md": (100, lambda n: "```python\nx = 1\n```\n\n" * n),
    "fences.md": (5000, lambda n: "```\n" * n),
    "open_fences.md": (5000, lambda n: "````text\n```python\n" * n),
    "sessions.md": (100, lambda n: "```pycon\n" + ">>> 1\n1\n" * n + "```\n"),
    "prose.md": (5000, lambda n: "text\n\n" * n),
    "heads.md": (2000, lambda n: "<!-- cell -->\n" * n),
    "cells.ipynb": (100, lambda n: notebook(["x = 1"] * n)),
    "printing.ipynb": (100, lambda n: notebook(["print(1)"] * n, "1\n")),
    "few_words.ipynb": (300, lambda n: notebook([f"for i in range({n}): print('w' * (i % 7))"],
                                                "".join(f"{'w' * (i % 5)}\n" for i in range(n)))),
    "random.ipynb": (5000, lambda n: notebook(["# " + "a." * n + "\nimport torch\ntorch.rand(1)"], "1\n")),
}  # fmt: skip


def tensh(*arguments):
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    main([str(each) for each in arguments], env)
    return env.stdout.getvalue()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_run_and_checked_in_proportion_to_its_length(name, tmp_path):
    size, text = DOCUMENTS[name]

    def work(size):
        path = tmp_path / name
        path.write_text(text(size), newline="")
        tensh("run", path)
        tensh("check", path, "--update")

    assert_linear(work, size)


@pytest.mark.parametrize("kind", files.KINDS)
def test_a_document_is_converted_in_proportion_to_its_length(kind, tmp_path):
    def work(size):
        document = files.loads("# %% title\nx = 1\n1\n#> 1\n# %% [markdown]\n# text\n" * size, ".tsh")
        files.loads(files.dumps(document, kind), kind)

    assert_linear(work, 300)


def test_the_code_of_a_file_is_split_into_its_units_at_once():
    source = Source("x = 1\n" * 10_000, "<long>")
    assert len(source.units()) == 10_000 and source.lines is source.lines


CODE = "\n\n```python\n1  #? value\n```\n"
LESSONS = {  # name of the file: (its size, its text at a size)
    "questions.tsh": (300, lambda n: "1  #? value\n" * n),
    "hints.tsh": (1000, lambda n: "1  #? value\n" + "#! a hint\n" * n),
    "blanks.tsh": (10_000, lambda n: "1  #? value" + " " * n + "1" + " " * n + "\n"),
    "lines.tsh": (1000, lambda n: "x = 1\n" * n + "1  #? value\n"),
    "comments.md": (10_000, lambda n: "<!-- " * n + CODE),
    "headings.md": (2000, lambda n: "## T\n" * n + CODE),
    "paragraph.md": (2000, lambda n: "a word\n" * n + CODE),
    "signs.md": (5000, lambda n: "。" * n + CODE),
    "blocks.md": (200, lambda n: "```python\nx = 1\n```\n\n" * n + CODE),
    "cells.ipynb": (300, lambda n: notebook([*(f"x{i} = 1" for i in range(n)), "1  #? value"])),
}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_played_in_proportion_to_its_length(name, tmp_path):
    size, text = LESSONS[name]

    def work(size):
        path = tmp_path / name
        path.write_text(text(size), encoding="utf-8")
        env = Environment(io.StringIO("skip\n" * size), io.StringIO(), io.StringIO(), variables={})
        assert main(["learn", str(path)], env) == 0

    assert_linear(work, size)


@pytest.mark.parametrize("text", ["1{} x", " {}1: 2", "1: {}x", "lesson: {}x", "1:" + "(" * 100 + "{}"])
def test_a_file_of_answers_is_read_in_proportion_to_its_length(text, tmp_path):
    def work(size):
        path = tmp_path / "answers.txt"
        path.write_text("lesson: tensors\n" + text.format(" " * size) + "\n")
        tensh("learn", "--answers", path)

    assert_linear(work, 50_000)


# ── sessions ─────────────────────────────────────────────────────────────────


def test_names_that_become_one_are_told_apart_in_proportion_to_their_number(tmp_path):
    def work(size):
        path = tmp_path / "a.npz"
        np.savez(path, **{"w" + chr(0x2190 + i % 400) + chr(0x2190 + i // 400): np.zeros(1) for i in range(size)})
        session = Session()
        assert len(define_names(session, str(path))) == size
        assert len(session.own_names()) == size

    assert_linear(work, 200)


def commands(size, *last):
    """Run lines that each make a name, as at a prompt that remembers them, and then commands."""
    session = Session()
    session.remember(undoing=False)
    text = "".join(f"x{i} = {i}; x{i}\n" for i in range(size)) + "\n".join(last)
    return [*session.run(Source(text, "<lines>"))]


@pytest.mark.parametrize("command", ["%history", "%history x1", "%who", "%export {}.py", "%export {}.ipynb",
                                     "%export {}.md", "%save {}"])  # fmt: skip
def test_a_command_looks_back_in_proportion_to_what_was_done(command, tmp_path):
    assert_linear(
        lambda size: commands(size, command.format(tmp_path / f"a{size}") + " --over" * ("{}" in command)), 200
    )


def test_values_that_were_shown_on_one_line_are_exported_in_proportion_to_their_number(tmp_path):
    def work(size):
        session = Session()
        session.remember()
        [*session.run(Source("1\n" + "2; " * size + "3", "<line>"))]
        [*session.run(Source(f"%export {tmp_path / 'a.py'} --over", "<export>"))]

    assert_linear(work, 300)


@pytest.mark.parametrize("text", ["x", "f(", "f([1, ", "a.", "a[", "'", "%hist x"])
def test_completion_looks_at_what_was_typed_in_proportion_to_its_length(text):
    parts = {"f([1, ": "1, ", "f(": "f(", "a.": "a.", "a[": "a["}

    def work(size):
        names = {f"x{i}": i for i in range(size)}
        for begin in (text * size, text + parts.get(text, "x") * size, "x" * size + text):
            complete(begin, names, time=60)

    assert_linear(work, 500)


def test_an_entry_of_the_history_is_read_in_proportion_to_its_length():
    def work(size):
        entries, wrong = history.read(b">>> x\n" + b"... y\n" * size)
        assert len(entries) == 1 and not wrong

    assert_linear(work, 20_000)


@pytest.mark.parametrize("begin, line", [("def f():", "    x = 1"), ("x = [", "1,"), ('x = """', "text")])
def test_a_block_is_read_from_plain_lines_in_proportion_to_its_length(begin, line):
    ends = {"x = [": "]", 'x = """': '"""'}

    class Quiet:
        def __enter__(self):
            pass

        def __exit__(self, *error):
            pass

    def work(size):
        text = "\n".join([begin, *[line] * size, ends.get(begin, ""), ""])
        env = Environment(io.StringIO(text), io.StringIO(), io.StringIO(), variables={})
        block = PlainReader(env, history.History(), Quiet(), {}).read()
        assert block.count(line) == size

    assert_linear(work, 500)


def test_text_without_an_end_of_line_is_taken_in_proportion_to_its_length():
    def work(size):
        told = []
        printed = OutputReporter(told.append, None)
        for _ in range(size):
            printed.write(b"abcdefgh")
        printed.flush()
        assert "".join(told) == "abcdefgh" * size

    assert_linear(work, 20_000)
