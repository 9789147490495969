"""Commands that run something: `%run`, `!`, `%timeit`, `%prun`; `await`; what was shown, by number."""

from pathlib import Path

import pytest

from tensh.cli.programs.program import from_file
from tensh.cli.session.events import Failed, Value
from tensh.cli.session.results import KEPT, Outputs
from tensh.support.command_lines import command_on
from tests.support.command_line import Done

PROGRAM = """import sys
import tensh as torch
arguments, name = sys.argv[1:], __name__
sees = "mine" in globals()
def double(n):
    return torch.ones(n) * 2
def fail(n):
    return n / 0
"""


@pytest.fixture
def shell(prompt, tmp_path):
    prompt.session.read_program = from_file
    (tmp_path / "program.py").write_text(PROGRAM)
    return prompt


# ── %run ─────────────────────────────────────────────────────────────────────


def test_the_names_of_a_file_are_the_users_afterwards(shell):
    shell("mine = 1", "%run program.py 'a b' c")
    assert shell["arguments"] == ["a b", "c"] and shell["name"] == "__main__" and shell["sees"] is False
    assert shell.text("double(2)") == "tensor([2., 2.])" and shell["mine"] == 1
    assert "fail" in shell.text("%who") and "torch " not in shell.text("%who")


def test_with_i_a_file_sees_the_names_of_the_prompt(shell):
    shell("mine = 1", "%run -i program.py")
    assert shell["sees"] is True


def test_a_script_shows_its_values_and_python_does_not(shell, tmp_path):
    (tmp_path / "a.tsh").write_text("x = torch.arange(2)\nx + 1\n%who")
    (tmp_path / "b.py").write_text("1 + 1\n")
    assert shell.text("%run a.tsh").startswith("tensor([1, 2])\nname") and shell.text("%run b.py") == ""


def test_a_failure_in_a_file_is_at_its_place_and_leaves_what_was_made(shell, tmp_path):
    (tmp_path / "wrong.py").write_text("before = 1\nbefore / 0\nafter = 2\n")
    (failed,) = [event for event in shell("%run wrong.py") if isinstance(event, Failed)]
    assert failed.failure.kind == "ZeroDivisionError" and failed.failure.places[0].line == 2
    assert shell["before"] == 1 and "after" not in shell.session.namespace
    (failed,) = [event for event in shell("%run program.py", "fail(1)") if isinstance(event, Failed)]
    assert [place.function for place in failed.failure.places] == ["fail", None]


@pytest.mark.parametrize(
    "code, said", [("sys.exit()", []), ("sys.exit(3)", ["e.py: exit status 3"]), ("sys.exit('no')", ["e.py: no"])]
)
def test_a_file_that_exits_ends_alone(shell, tmp_path, code, said):
    (tmp_path / "e.py").write_text(f"import sys\nx = 1\n{code}\n")
    assert shell.notices("%run e.py") == said and shell["x"] == 1


WRONG = {
    "%run": "%run: expected a file: %run train.py",
    "%run nowhere.py": "nowhere.py",
    "%run 'a": "%run: No closing quotation",
    "%run x.txt": "tensh runs .tsh, .py, .ipynb and .md files",
}


@pytest.mark.parametrize("line, message", WRONG.items(), ids=WRONG)
def test_run_says_what_it_needs(shell, line, message):
    assert message in shell.message(line)


def test_a_run_is_taken_back_and_exported(shell, tmp_path):
    shell("x = 1", "%run program.py")
    assert "%run program.py" in shell.notices("%undo")[0] and "double" not in shell.session.namespace
    shell("%run program.py", "double(1)", "%export all.py", "%export all.tsh")
    assert "runpy.run_path('program.py', run_name='__main__')" in (tmp_path / "all.py").read_text()
    assert (tmp_path / "all.tsh").read_text() == "x = 1\n%run program.py\ndouble(1)\n#> tensor([2.])\n"
    compile((tmp_path / "all.py").read_text(), "all.py", "exec")


# ── ! ────────────────────────────────────────────────────────────────────────


def test_a_line_of_the_shell_writes_where_print_does():
    done = Done("-c", "!echo a b; exit 3", "-c", "!cd /", "-c", "print(1)")
    assert done.output == "a b\n1\n" and "exit status 3\n" in done.errors and "only in that shell" in done.errors


def test_a_session_without_a_terminal_has_no_shell(prompt):
    assert "no shell here" in prompt.message("!ls") and "expected a command" in prompt.message("!")


@pytest.mark.parametrize("line", ["x != y", " !ls", "'!ls'"])
def test_other_lines_with_an_exclamation_mark_are_python(line):
    assert command_on(line) is None


# ── times ────────────────────────────────────────────────────────────────────


def test_timeit_takes_the_number_of_loops_and_repetitions(prompt):
    prompt("n = 0", "def f():\n    global n\n    n += 1")
    (said,) = prompt.notices("%timeit -n 3 -r 2 f()")
    assert said.startswith("3 loops, best of 2: ") and prompt["n"] == 1 + 3 * 2
    assert prompt.notices("%timeit -n3 f()")[0].startswith("3 loops, best of 5")
    assert "expected a statement" in prompt.message("%timeit -n 3")
    assert "a number of at least 1" in prompt.message("%timeit -n 0 f()")


def test_prun_tells_the_functions_of_a_statement_and_shows_its_value(prompt):
    prompt("def inner():\n    return sum(range(10))\ndef outer():\n    return [inner() for _ in range(7)]")
    value, table = prompt.values("%prun outer()")
    assert value == [45] * 7
    calls = {row[0]: row[2] for row in table.rows}
    assert calls["inner"] == "7" and calls["outer"] == "1" and "builtins.eval" not in calls
    assert not any("session" in row[1] for row in table.rows)


# ── await ────────────────────────────────────────────────────────────────────


def test_await_needs_no_function(prompt):
    prompt("import asyncio", "async def f(n):\n    await asyncio.sleep(0)\n    return n + 1")
    assert prompt.values("await f(1)", "x = [await f(n) for n in range(2)]", "x") == [2, [1, 2]]
    assert prompt.values("%time await f(3)") == [4]


def test_a_task_goes_on_while_the_next_line_is_awaited(prompt):
    prompt("import asyncio", "done = asyncio.Event()", "async def f():\n    done.set()")
    prompt("async def begin():\n    return asyncio.ensure_future(f())", "task = await begin()", "await task")
    assert prompt["done"].is_set()


def test_an_interrupted_await_leaves_nothing_behind(prompt):
    prompt("import asyncio", "async def f():\n    raise KeyboardInterrupt")
    events = prompt("await f()")
    assert any(isinstance(event, Failed) for event in events)
    assert prompt.values("await asyncio.sleep(0, 7)") == [7]


def test_python_files_await_in_functions_alone(shell, tmp_path):
    (tmp_path / "a.py").write_text("import asyncio\nawait asyncio.sleep(0)\n")
    assert "outside function" in shell.message("%run a.py")


# ── In, Out ──────────────────────────────────────────────────────────────────


def test_values_are_found_by_the_number_of_their_line(prompt):
    prompt("x = torch.ones(2)", "x + 1", "'text'")
    assert prompt.values("Out[3]") == ["text"] and prompt.session.namespace["Out"][2].tolist() == [2.0, 2.0]
    assert prompt.values("In[1]", "In[-1]", "In[1:3]") == [
        "x = torch.ones(2)",
        "In[-1]",
        ["x = torch.ones(2)", "x + 1"],
    ]
    assert "this line has no value" in prompt.message("Out[1]") and "no such line" in prompt.message("In[99]")
    assert "2  x + 1" in prompt.text("%history") and "In" not in prompt.text("%who")
    assert prompt.text("Out").startswith("{2: [2] float32, 3: str")


def test_numbers_stay_when_a_line_is_taken_back(prompt):
    prompt("x = 1", "y = 2", "%undo", "z = 3")
    assert [line.split()[0] for line in prompt.text("%history").split("\n")] == ["1", "3", "4"]
    assert prompt.values("In[4]", "In[2]") == ["z = 3", ""]


def test_outputs_keep_some_memory_alive_and_no_more():
    import tensh

    outputs, large = Outputs(), tensh.zeros(KEPT // 8)  # of float32: half of the room
    for number in range(4):
        outputs.put(number, large)
    assert [*outputs] == [2, 3]


def test_names_of_the_user_are_not_replaced(prompt):
    from tensh.cli.session.session import Session

    session = Session()
    session.namespace["Out"] = 5
    session.remember()
    assert session.namespace["Out"] == 5


# ── %undo ────────────────────────────────────────────────────────────────────


def test_undo_goes_back_line_by_line(prompt):
    prompt("w = torch.zeros(2)", "w += 1", "w *= 5", "v = w", "w.fill_(7);")
    assert prompt.notices("%undo")[0].startswith("undone: w.fill_(7);")
    assert prompt["w"].tolist() == [5.0, 5.0] and "v" in prompt.session.namespace
    assert [said.partition("  ")[0] for said in prompt.notices("%undo 2")] == [
        "undone: v = w",
        "undone: w *= 5",
    ]
    assert prompt["w"].tolist() == [1.0, 1.0] and "v" not in prompt.session.namespace
    assert prompt.message("%undo 3") == "%undo 3: 2 lines can be undone"
    prompt("%undo 2")
    assert "w" not in prompt.session.namespace
    assert "nothing to undo" in prompt.message("%undo")


def test_undo_tells_of_the_lines_that_changed_nothing(prompt):
    prompt("w = torch.zeros(2)", "w += 1", "w.shape")
    assert prompt.notices("%undo")[0].startswith("undone: w += 1 and 1 line after it")
    prompt("w += 2", "w.shape", "w.dtype")
    assert prompt.notices("%undo")[0].startswith("undone: w += 2 and 2 lines after it")


def test_undo_after_a_new_line_takes_that_back_first(prompt):
    prompt("x = 1", "x = 2", "%undo", "x = 3", "%undo")
    assert prompt["x"] == 1


def test_lines_that_read_what_was_taken_back_go_with_it(prompt):
    prompt("x = 1", "x = 2", "print(x)", "y = 3", "print(y)", "%undo 2")
    assert [entry.text for entry in prompt.session.journal.entries] == ["x = 1", "%undo 2"]


def test_what_undo_keeps_is_limited(prompt):
    prompt(*(f"x = {n}" for n in range(120)))
    assert len(prompt.session.journal.snapshots) <= 101
    prompt("%undo 50")
    assert prompt["x"] == 69


# ── %debug ───────────────────────────────────────────────────────────────────

NESTED = "def outer(x, k):\n    w = x * 2\n    return inner(w, k)\ndef inner(h, k):\n    scale = k / 0\n    return h"


def frames(prompt, line):
    """The functions of the frames that a line shows, and the one that is marked."""
    table = next(event.value for event in prompt(line) if isinstance(event, Value))
    return [row[1] for row in table.rows], next(row[1] for row in table.rows if row[0].startswith(">"))


def test_debug_gives_the_names_of_the_frame_that_failed(prompt):
    prompt(NESTED, "outer(torch.ones(2), 4)")
    assert frames(prompt, "%debug") == (["the program", "outer", "inner"], "inner")
    assert prompt.values("k", "h") == [4, prompt["h"]] and "w" not in prompt.session.namespace
    assert frames(prompt, "%up")[1] == "outer" and prompt["w"].tolist() == [2.0, 2.0]
    assert "NameError" in [event.failure.kind for event in prompt("nowhere") if isinstance(event, Failed)]
    assert frames(prompt, "%down")[1] == "inner" and frames(prompt, "%debug 1")[1] == "the program"
    assert frames(prompt, "%debug 2")[1] == "outer"
    assert "the frames are 1 to 3" in prompt.message("%up 2")
    prompt("%debug off")
    assert "w" not in prompt.session.namespace and prompt.session.inside is None
    assert "no failure is being inspected" in prompt.message("%up")


def test_what_is_assigned_in_a_frame_stays_there(prompt):
    prompt(NESTED, "mine = 1", "outer(torch.ones(2), 4)", "%debug", "k = 5", "mine = 2", "%debug off")
    assert prompt["mine"] == 2 and "k" not in prompt.session.namespace
    prompt("%export all.tsh")
    assert "k = 5" not in Path("all.tsh").read_text()


def test_a_new_failure_is_looked_at_from_its_beginning(prompt):
    prompt(NESTED, "outer(torch.ones(2), 4)", "%debug", "outer(torch.ones(2), 'a')")
    assert "TypeError" in prompt.text("%debug").split("\n")[0] or "TypeError" in str(prompt.session.debugging.title())


def test_a_failure_of_the_line_itself_leaves_nothing_to_look_around_in(prompt):
    prompt("1 / 0")
    assert "all its names are already here" in prompt.notices("%debug")[0] and prompt.session.debugging is None
    prompt("int('x')")
    assert "ValueError" in prompt.text("%debug")


def test_the_folder_is_changed(prompt, tmp_path):
    (tmp_path / "a b").mkdir()
    before = Path.cwd()
    assert prompt.notices("%cd 'a b'") == [str(tmp_path / "a b")] and Path.cwd() == tmp_path / "a b"
    assert "No such file" in prompt.message("%cd nowhere")
    prompt("%cd ..")
    assert Path.cwd() == before


def test_debug_says_when_nothing_has_failed(prompt):
    assert prompt.message("%debug") == "%debug: nothing has failed yet"


def test_undo_after_debugging_is_of_the_names_where_it_was_done(prompt):
    prompt(NESTED, "x = 1", "outer(torch.ones(2), 4)", "%debug", "k = 5", "%debug off", "x = 2", "%undo", "%undo")
    assert prompt["x"] == 1 and "k" not in prompt.session.namespace
