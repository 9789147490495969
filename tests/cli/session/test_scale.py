"""Many lines, many cells: the work for a line does not grow with those before it, and little is kept of each."""

import gc
import json
import sys
import tracemalloc

import pytest

from tensh.cli.process import status
from tensh.cli.repl.loop import TypedSource
from tensh.cli.session.failures import failure
from tensh.cli.session.session import Session
from tests.support.command_line import Done

pytestmark = pytest.mark.thorough

LINES = "x = torch.ones(3) * {0}", "x + {0}", "def f(a): return a + {0}\n", "y = ('line', {0})"


def count_calls(work):
    """How many functions of Python's are called."""
    calls = 0

    def seen(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def type_lines(session, begin, end):
    for number in range(begin, end):
        source = TypedSource(LINES[number % 4].format(number), f"<input {number}>")
        assert not any(hasattr(event, "failure") for event in session.run(source))


def test_a_line_costs_what_the_first_ones_did():
    session = Session("tensh")
    session.preload()
    session.remember()
    type_lines(session, 0, 100)
    first = count_calls(lambda: type_lines(session, 100, 140))
    gc.collect()
    tracemalloc.start()
    type_lines(session, 140, 440)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] / 300
    tracemalloc.stop()
    last = count_calls(lambda: type_lines(session, 440, 480))
    session.close()
    assert last < 1.2 * first
    assert kept < 2500  # bytes: the text, its output, and its location


def test_names_are_not_noted_before_each_of_many_lines():
    def calls(count):
        session = Session("tensh")
        session.remember()
        source = TypedSource("\n".join(f"x{number} = {number}" for number in range(count)), "<input 1>")
        return count_calls(lambda: [*session.run(source)])

    assert calls(600) < 3 * calls(300)


def test_the_last_of_many_lines_is_taken_back_alone():
    session = Session("tensh")
    session.remember()
    for text in ["\n".join(f"x{number} = {number}" for number in range(300)), "%undo"]:
        assert not any(hasattr(event, "failure") for event in session.run(TypedSource(text, f"<{text[:5]}>")))
    assert "x298" in session.namespace and "x299" not in session.namespace


def test_a_long_paste_that_is_taken_back_leaves_the_journal_too():
    session = Session("tensh")
    session.remember()
    paste = "\n".join([*(f"x{number} = {number}" for number in range(100)), *["x0"] * 70])
    for text in ["y = 1", paste, "%undo"]:
        assert not any(hasattr(event, "failure") for event in session.run(TypedSource(text, f"<{text[:5]}>")))
    assert session.own_names() == {"y": 1}
    assert [each.text for each in session.journal.entries] == ["y = 1", "%undo"]


def test_notebooks_of_many_cells(tmp_path, monkeypatch):
    def notebook(count):
        cells = [
            {"cell_type": "code", "source": f"x = torch.arange({n})\nx.sum()" if n else "import torch", "metadata": {},
             "execution_count": n + 1, "outputs": [] if n == 0 else [
                {"output_type": "execute_result", "metadata": {}, "execution_count": n + 1,
                 "data": {"text/plain": [f"tensor({n * (n - 1) // 2})"]}}]}
            for n in range(count)
        ]  # fmt: skip
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    monkeypatch.chdir(tmp_path)
    for count in (30, 120):
        (tmp_path / f"{count}.ipynb").write_text(notebook(count))
    for arguments in (["run"], ["check"], ["convert", "--force"]):
        target = ["out.md"] if arguments[0] == "convert" else []

        def calls(count, arguments=arguments, target=target):
            return count_calls(lambda: Done(*arguments, f"{count}.ipynb", *target))

        calls(30)  # modules are loaded
        assert calls(120) < 6 * calls(30)
    done = Done("check", "120.ipynb")
    assert done.status == status.OK and "120 ok" in done.output


def test_a_folder_of_many_documents(tmp_path):
    for number in range(60):
        (tmp_path / f"{number}.tsh").write_text(f"{number} + 1\n#> {number + 1}\n")
    done = Done("check", tmp_path)
    assert (done.status, done.errors) == (status.OK, "") and "60 ok" in done.output


def test_the_line_of_an_interruption_before_the_first():
    code = compile("x = 1\ny = 2\n", "<input>", "exec")
    assert failure._line_before(code, -1) == 1
