"""`tensh check`: the outputs stored in a document are compared with those of its code."""

import importlib.util
import io
import json
import subprocess
import sys

import pytest

from tensh.cli.checking.check import Request, show
from tensh.cli.checking.report import summary
from tensh.cli.documents import files
from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import Options
from tests.cli.checking.checks import LESSONS, check, found, notebook, printed, statuses, write
from tests.support.command_line import Done
from tests.support.project import plain_environment


@pytest.mark.thorough
@pytest.mark.parametrize("lesson", LESSONS, ids=[each.stem for each in LESSONS])
def test_every_cell_of_a_lesson_is_as_its_metadata_says(lesson):
    status, objects = found(lesson)
    code = [cell for cell in files.load(str(lesson)).cells if cell.kind == "code"]
    assert status == 0
    for cell, verdict in zip(code, objects[:-1], strict=True):
        allowed = ("ok", "skipped") if "requires" in cell.settings else ("ok",)
        assert verdict["status"] in allowed, verdict
        assert verdict["count"] == cell.count
        if "stale" in cell.settings and verdict["status"] == "ok":
            assert cell.settings["stale"] in verdict["note"]


@pytest.mark.skipif(not LESSONS, reason="no lessons beside the project")
def test_one_digit_that_changed_is_caught_at_its_cell_and_element(tmp_path):
    lesson = tmp_path / "lesson.ipynb"
    text = LESSONS[4].read_text(encoding="utf-8")
    before = "[27., 27.]], grad_fn=<MulBackward0>)"
    assert text.count(before) == 1
    lesson.write_text(text.replace(before, before.replace("27.]]", "28.]]")), encoding="utf-8")
    status, objects = found(lesson)
    wrong = [each for each in objects[:-1] if each["status"] != "ok"]
    assert status == 3
    code = [cell for cell in files.load(str(lesson)).cells if cell.kind == "code"]
    changed = [cell.count for cell in code if any("28.]]" in output.text for output in cell.outputs)]
    assert [(each["status"], each["count"]) for each in wrong] == [("differs", *changed)]
    assert wrong[0]["numbers"] == [{"index": [1, 1], "stored": "28.", "now": "27.", "off_by": "1"}]


SCRIPT = """\
x = torch.tensor([[1., 2.]], requires_grad=True)
y = x * 3
y.sum().backward()
x.grad
#> tensor([[3., 4.]])
# %% Next
x.shape
#> torch.Size([1, 2])
x @ x
#> RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 1x2)
x.size(0)
"""
REPORT = """\
a.tsh
  [1]  DIFFERS  x.grad
         stored  tensor([[3., 4.]])
         now     tensor([[3., 3.]])
                              ^^     at [0, 1]: 4 -> 3, off by 1
  [2]  ok
  [3]  ok
  [4]  ran
2 ok, 1 ran, 1 differs            {time}
to accept the new outputs: tensh check --update a.tsh
"""


def test_a_report(tmp_path):
    write(tmp_path / "work", "a.tsh", SCRIPT)
    status, out, err = check("a.tsh")
    assert (status, err) == (3, "")
    assert out == REPORT.format(time=out.splitlines()[-2].partition("            ")[2])


def test_many_differing_files_are_named_as_the_user_named_them(tmp_path):
    work = tmp_path / "work"
    for number in range(4):
        write(work, f"lesson {number}.tsh", "1 + 1\n#> 3\n")
    write(work, "wrong.tsh", "assert 1 == 2\n")
    assert check("lesson 0.tsh", "lesson 1.tsh", "wrong.tsh")[1].endswith("--update 'lesson 0.tsh' 'lesson 1.tsh'\n")
    assert check(".")[1].endswith("tensh check --update .\n")
    assert check("lesson*.tsh")[1].endswith("tensh check --update 'lesson*.tsh'\n")


def test_a_failure_is_not_to_be_accepted(tmp_path):
    write(tmp_path / "work", "wrong.tsh", "assert 1 == 2\n")
    status, out, _err = check("wrong.tsh")
    assert status == 3 and "AssertionError" in out and "--update" not in out


def test_new_outputs_can_be_accepted_in_place(tmp_path):
    script = write(tmp_path, "a.tsh", SCRIPT)
    assert check("--update", script)[0] == 0
    text = script.read_text()
    assert text == SCRIPT.replace("[[3., 4.]]", "[[3., 3.]]").replace("# %% Next", "\n# %% Next") + "#> 1\n"
    assert statuses(script) == ["ok"] * 4
    assert check("--update", script)[0] == 0
    assert script.read_text() == text


def test_results_are_written_behind_the_lines_they_belong_to(tmp_path):
    script = write(tmp_path, "a.tsh", "x = 1\nx\nfor i in range(2):\n    print(i)\nx + 1; x + 2\n# the end\n")
    check("--update", script)
    assert script.read_text() == (
        "x = 1\nx\n#> 1\nfor i in range(2):\n    print(i)\n#> 0\n#> 1\nx + 1; x + 2\n#> 3\n# the end\n"
    )
    assert statuses(script) == ["ok", "ok", "ok", "ran"]


def test_the_executed_file_can_be_kept_as_another_kind(tmp_path):
    script, notebook = write(tmp_path, "a.tsh", SCRIPT), tmp_path / "a.ipynb"
    assert check("--write", notebook, script)[0] == 3
    assert statuses(notebook) == ["ok"] * 5  # with the imports
    assert script.read_text() == SCRIPT
    cell = json.loads(notebook.read_text())["cells"][3]
    assert cell["outputs"][0]["ename"] == "RuntimeError"
    assert check("--write", notebook, script, script)[0] == 2


MARKDOWN = """\
# Sums

```python
x = torch.ones(2)
print(x)
```

```
tensor([1., 1.])
```

```pycon
>>> x + 1
# [2] float32
tensor([2., 2.])
>>> 1 / 0
Traceback (most recent call last):
  ...
ZeroDivisionError: division by zero
>>> print("a\\n\\nb")
a
<BLANKLINE>
b
>>> x.sum().item()
3.0
>>> input()  # doctest: +SKIP
```
"""


def test_blocks_of_markdown_are_checked_and_updated(tmp_path):
    path = write(tmp_path, "a.md", MARKDOWN)
    assert statuses(path) == ["ok", "ok", "ok", "ok", "differs", "skipped"]
    check("--update", path)
    assert path.read_text() == MARKDOWN.replace("3.0", "2.0")


PYTHON = """\
import torch

print(torch.ones(2))
#> tensor([1., 1.])
torch.ones(3)
"""


def test_python_shows_what_it_prints_and_its_cells_the_last_value(tmp_path):
    path = write(tmp_path, "a.py", PYTHON)
    assert found(path)[1][-1]["ok"] == 1
    check("--update", path)
    assert path.read_text() == PYTHON
    path.write_text("# %%\nimport torch\ntorch.zeros(1)\ntorch.ones(3)\n#> tensor([1., 1., 1.])\n")
    assert statuses(path) == ["ok"]


def test_chance_that_nobody_seeded_is_told(tmp_path):
    path = write(tmp_path, "a.ipynb", notebook(
        ("import torch\nprint(torch.ones(1))", printed("tensor([1.])\n"), {}),
        ("x = torch.randn(2)\nprint(x)", printed("tensor([0., 0.])\n"), {}),
        ("y = x + 1\nprint(y)", printed("tensor([1., 1.])\n"), {}),
        ("print(torch.ones(2))", printed("tensor([1., 2.])\n"), {}),
        ("torch.manual_seed(0)\nx = torch.rand(1)\nprint(x)", printed("tensor([0.5])\n"), {}),
        ("print(x)", printed("tensor([0.4963])\n"), {}),
    ))  # fmt: skip
    _, objects = found(path)
    assert [each["status"] for each in objects[:-1]] == ["ok", "not checked", "not checked", "differs", "differs", "ok"]
    assert objects[1]["note"] == objects[2]["note"] == "torch.randn without torch.manual_seed in [1..2]"
    assert statuses("--seed", 0, path)[1:3] == ["differs", "differs"]


def test_an_error_that_is_not_stored_fails_and_the_rest_goes_on(tmp_path):
    path = write(tmp_path, "a.ipynb", notebook(
        ("x = 1 / 0", [], {}), ("print(1)", printed("1\n"), {}), ("1 / 0", [], {"tensh": {"raises": "ZeroDivisionError"}}),
    ))  # fmt: skip
    status, out, _ = check(path)
    assert status == 3
    assert "[1]  FAILS    x = 1 / 0\n" in out and "ZeroDivisionError: division by zero" in out
    assert statuses("--lax", path) == ["fails", "ran", "ran"]


def test_a_failure_is_written_down_but_not_passed_over(tmp_path):
    script = write(tmp_path, "a.tsh", "1 / 0\n#> 1.0\n2\n#> 3\n")
    assert check("--update", script)[0] == 3
    assert script.read_text() == "1 / 0\n#> ZeroDivisionError: division by zero\n2\n#> 2\n"
    assert check("--update", script)[0] == 0


def test_pytorch_that_is_not_installed_is_a_matter_of_usage(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None)
    status, _, err = check("--engine", "torch", write(tmp_path, "a.tsh", "1"))
    assert status == 2 and err == "--engine torch: PyTorch is not installed here\n"


def test_lax_counts_only_errors(tmp_path):
    path = write(tmp_path, "a.ipynb", notebook(("print(1)", printed("2\n"), {})))
    assert check("--lax", path)[0] == 0
    lax = json.loads(path.read_text()) | {"metadata": {"tensh": {"check": "lax"}}}
    path.write_text(json.dumps(lax))
    assert check(path)[0] == 0


def test_every_file_has_a_session_and_a_world_of_its_own(tmp_path):
    one = write(
        tmp_path, "one.tsh", "torch.set_printoptions(precision=1); torch.set_default_dtype(torch.float64)\nx = 1\n"
    )
    two = write(tmp_path, "two.tsh", "'x' in globals()\n#> False\ntorch.ones(1) / 3\n#> tensor([0.3333])\n")
    assert statuses(one, two) == ["ran", "ok", "ok"]


@pytest.mark.parametrize("shown", ["leaf", "叶张量"])  # outputs in Chinese are checked in Chinese
def test_what_comes_after_the_end_is_not_checked(shown, tmp_path):
    path = write(tmp_path, "a.tsh", f"print('{shown}')\n#> {shown}\nexit()\n#> 2\n3\n#> 3\n")
    assert statuses(path)[-1] == "not checked"


@pytest.mark.parametrize("end", ["exit()", "import sys; sys.exit(0)", "import os; os._exit(0)", "raise SystemExit"])
def test_the_check_fails_if_the_code_ends_before_a_stored_output(end, tmp_path):
    path = write(tmp_path, "a.md", f"```python\n{end}\n```\n\n```python\nprint(1)\n```\n\n```\n2\n```\n")
    other = write(tmp_path, "b.tsh", "1\n#> 1\n")
    status, reports = found(path, other)
    assert status == 3
    assert [each["status"] for each in reports[:-1]] == ["ran", "not checked", "ok"]


def test_the_check_passes_if_nothing_is_stored_after_the_end(tmp_path):
    assert check(write(tmp_path, "a.md", "```python\nexit()\n```\n\n```python\nprint(1)\n```\n"))[0] == 0


def test_the_code_that_was_stopped_is_named(tmp_path):
    path = write(tmp_path, "a.tsh", "1\n#> 1\n# %%\nwhile True: pass\n#> 2\n# %%\n3\n#> 3\n")
    status, reports = found("--timeout", "0.3", path)
    assert status == 124
    assert [(each["status"], each["note"]) for each in reports[1:-1]] == [("skipped", "stopped after 0.3 s")] * 2


def test_a_cell_can_be_skipped_with_a_reason(tmp_path):
    path = write(tmp_path, "a.tsh", '# %% {"metadata": {"tensh": {"skip": "needs a network"}}}\n1 / 0\n#> 1\n')
    assert found(path)[1][0]["note"] == "needs a network"


def test_folders_and_patterns(tmp_path):
    tmp_path = tmp_path / "lessons"
    tmp_path.mkdir()
    for name in ("b.tsh", "a.tsh"):
        write(tmp_path, name, "1\n#> 1\n")
    write(tmp_path, "setup.py", "raise SystemExit(7)\n")
    write(tmp_path, "README.md", "no code\n")
    assert [each["file"] for each in found(tmp_path)[1][:-1]] == [str(tmp_path / name) for name in ("a.tsh", "b.tsh")]
    assert len(found(tmp_path / "*.tsh")[1]) == 3
    status, _, err = check(tmp_path / "*.ipynb")
    assert status == 2 and "nothing to check" in err


BOTH = """\
torch.manual_seed(0);
x = torch.randn(3, requires_grad=True)
x
# %%
(x * 2).sum().backward()
# %%
torch.ones(2) @ torch.ones(3)
# %%
y = torch.ones(2) * (2 if "tensh" in torch.__version__ else 3)
# %%
torch.rand(2)
"""


@pytest.mark.oracle
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_against_pytorch(tmp_path):
    path = write(tmp_path, "a.tsh", BOTH)
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    assert show(env, Options(), [str(path)], Request(json=True, against="torch")) == 3
    objects = [json.loads(line) for line in env.stdout.getvalue().splitlines()]
    assert [each["status"] for each in objects[:-1]] == ["ok", "ok", "ok", "differs", "ok"]
    assert (objects[3]["torch"], objects[3]["tensh"]) == ("y = tensor([3., 3.])", "y = tensor([2., 2.])")


def test_against_what_is_not_there(tmp_path):
    path = write(tmp_path, "a.tsh", "1")
    status, out, err = check("--against", tmp_path / "python", path)
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert check("--against", "torch", "--update", path)[0] == 2


def run_pytest(folder, *words):
    """The output of pytest with the plugin in a folder."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tensh.cli.checking.plugin",
        "-p",
        "no:cacheprovider",
        "-rs",
        *words,
    ]
    environment = plain_environment() | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8").stdout


@pytest.mark.thorough
def test_a_project_can_check_its_documents_in_pytest(tmp_path):
    folder = tmp_path / "work"
    write(folder, "pytest.ini", "[pytest]\n")
    write(folder, "a.tsh", SCRIPT + "torch.rand(2)\n#> tensor([0., 0.])\n")
    write(folder, "bad.ipynb", "[]")
    write(folder, "test_plain.py", "def test_plain(): pass\n")
    assert "1 passed" in run_pytest(folder)
    said = run_pytest(folder, "--tensh-check", "--continue-on-collection-errors")
    assert "1 failed" in said and "at [0, 1]: 4 -> 3, off by 1" in said and "a.tsh [1]" in said
    assert "torch.rand without torch.manual_seed" in said
    assert "bad.ipynb: this is not a notebook: expected an object, but it is a list" in said
    write(folder, "pytest.ini", "[pytest]\ntensh_check = true\n")
    assert "1 failed" in run_pytest(folder, "a.tsh")
    assert "4 passed" in run_pytest(folder, "--tensh-lax", "a.tsh")


def test_a_report_is_broken_between_words_in_a_narrow_window(tmp_path):
    path = tmp_path / "d.md"
    path.write_text("```python\ntorch.randn(2)\n```\n\n```text\ntensor([1., 2.])\n```\n", encoding="utf-8")
    done = Done("check", path, terminal=True, COLUMNS="40", NO_COLOR="1")
    assert "\n  [1]  not checked: torch.randn without\n  torch.manual_seed in [1]\n" in done.output


@pytest.mark.parametrize("columns", [40, 50, 60, 100])
def test_marks_stay_below_what_they_mark_in_a_narrow_window(columns, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = "torch.arange(8.)\n#> tensor([0., 1., 2., 3., 4., 5., 6., 9.])\n'a ' * 40\n#> " + repr("a " * 39 + "b ")
    write(tmp_path, "d.tsh", cells + "\ntorch.ones(2, 3) @ torch.ones(2, 3)\n#> 1\n")
    done = Done("check", "d.tsh", terminal=True, COLUMNS=str(columns), NO_COLOR="1")
    lines = done.output.split("to accept")[0].split("\n")
    assert [line for line in lines if len(line) > columns] == []
    assert "2 differ, 1 failed" in done.output
    for number, line in enumerate(lines):
        if set(line) == {" ", "^"}:
            marked = {each[line.index("^") : len(line)] for each in lines[number - 2 : number]}
            assert marked in ({"9.", "7."}, {"b", "a"})


@pytest.mark.parametrize(
    ("width", "expected"),
    [(None, "nothing to check            1.00 s\n"), (40, "nothing to check            1.00 s\n"),
     (30, "nothing to check        1.00 s\n"), (22, "nothing to check\n1.00 s\n")],
)  # fmt: skip
def test_the_time_is_shown_beside_the_verdicts_or_below_them(width, expected):
    assert "".join(text for _, text in summary([], 1.0, width)) == expected
