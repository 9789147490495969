"""`%export`: the lines of a session as a file that does the same again."""

import json

import pytest

from tensh.cli.session.events import Text, Value
from tensh.cli.session.magics.writing import as_python
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source

BLOCKS = (
    "# A lesson\nx = torch.tensor([1., 2.],\n                 requires_grad=True)",
    "x; x * 2",
    "print('hello')",
    "1 / 0",
    "%hist x.detach() bins=1",
    "%who",
)
SCRIPT = """\
# A lesson
x = torch.tensor([1., 2.],
                 requires_grad=True)
x; x * 2
#> tensor([2., 4.], grad_fn=<MulBackward0>)
print('hello')
#> hello
%hist x.detach() bins=1
#> [1.0, 2.0]  2  ██████████████████████████████████████████████████
#> # x.detach()  [2] float32 · 2 values in [1, 2] · mean 1.5 · std 0.7071
%who
#> name  shape  dtype    is_leaf  requires_grad  grad  bytes
#> x     [2]    float32  yes      yes            None  8 B
"""
SHOWN = [line.removeprefix("#> ") for line in SCRIPT.splitlines() if line.startswith("#> ")]


def lesson(prompt, file):
    """Type the lesson and export it; the text of the file."""
    prompt(*BLOCKS, f"%export {file}")
    with open(file, encoding="utf-8") as exported:
        return exported.read()


def shown_again(tensh_command, folder, file):
    """The lines that an exported file shows when it is run."""
    done = tensh_command("run", file, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_export_a_script(prompt):
    assert lesson(prompt, "lesson.tsh") == SCRIPT


def test_an_exported_script_does_the_same_again(prompt, tensh_command, tmp_path):
    lesson(prompt, "lesson.tsh")
    assert shown_again(tensh_command, tmp_path, "lesson.tsh") == SHOWN


def test_an_exported_python_file_does_the_same_again(prompt, tensh_command, tmp_path):
    text = lesson(prompt, "lesson.py")
    assert text.startswith("import torch\nimport tensh\n\n# A lesson\nx = torch.tensor(")
    assert "\nx; print(x * 2)\n#> tensor(" in text
    assert (
        "\nprint(tensh.show.hist(x.detach(),bins=1, name='x.detach()'))\n" in text
        and "\nprint(tensh.show.who())\n" in text
    )
    assert shown_again(tensh_command, tmp_path, "lesson.py") == SHOWN


def test_only_what_was_shown_is_printed(prompt, tmp_path):
    prompt("x = 1\nprint(x); x; None; [\n x,\n 2]\nif x:\n    x", "'损'; x", "%time x + 1", "%export a.py")
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == (
        "x = 1\nprint(x); x; None; print([\n x,\n 2])\n#> 1\n#> [1, 2]\nif x:\n    x\n"
        "'损'; print(x)\n#> 1\nprint(x + 1)\n#> 2\n"
    )


def test_export_markdown(prompt):
    text = lesson(prompt, "lesson.md")
    assert text.startswith(
        "A lesson\n\n```pycon\n>>> x = torch.tensor([1., 2.],\n...                  requires_grad=True)\n>>> x; x * 2\ntensor([2., 4."
    )
    assert text.endswith("None  8 B\n```\n") and "1 / 0" not in text


def test_export_a_notebook(prompt, tensh_command, tmp_path):
    notebook = json.loads(lesson(prompt, "lesson.ipynb"))
    kinds = [(cell["cell_type"], len(cell.get("outputs", ()))) for cell in notebook["cells"]]
    assert kinds == [("code", 0), ("markdown", 0), ("code", 1), ("code", 1), ("code", 1), ("code", 1)]
    assert "".join(notebook["cells"][0]["source"]) == "import torch\nimport tensh"
    assert notebook["cells"][2]["outputs"][0]["data"]["text/plain"] == ["tensor([2., 4.], grad_fn=<MulBackward0>)"]
    assert notebook["cells"][3]["outputs"][0] == {"name": "stdout", "output_type": "stream", "text": ["hello\n"]}
    assert shown_again(tensh_command, tmp_path, "lesson.ipynb") == SHOWN


def test_export_writes_over_its_own_files_only(prompt, tmp_path):
    (tmp_path / "mine.py").write_text("precious")
    prompt("x = 1")
    assert "the file already exists" in prompt.message("%export mine.py")
    assert (tmp_path / "mine.py").read_text() == "precious"
    assert prompt.notices("%export mine.py --over") == ["mine.py: 1 line; omitted 1 that failed"]
    assert (tmp_path / "mine.py").read_text() == "x = 1\n"
    assert prompt.notices("x = 2", "%export mine.py")
    assert (tmp_path / "mine.py").read_text() == "x = 1\nx = 2\n"
    (tmp_path / "mine.py").write_text("x = 1\nx = 3\n")
    assert "the file has changed since it was written" in prompt.message("%export mine.py")
    assert prompt.notices("%export other")[0].startswith("other.tsh: ")


def test_a_statement_that_failed_after_it_changed_something_is_written_so_that_it_does_the_same(prompt, tmp_path):
    prompt("x = []", "for i in range(3):\n    x.append(1 // (1 - i))", "nosuch", "%export a.tsh")
    assert (tmp_path / "a.tsh").read_text() == (
        "x = []\ntry:\n    for i in range(3):\n        x.append(1 // (1 - i))\nexcept Exception:\n    pass\n"
    )


def test_a_failed_statement_keeps_its_empty_lines_and_the_lines_of_its_strings(prompt, tmp_path):
    prompt("x = []", 'for i in range(3):\n    x.append("""a\n b""")\n\n    1 // (1 - i)', "%export a.tsh")
    assert (tmp_path / "a.tsh").read_text() == (
        'x = []\ntry:\n    for i in range(3):\n        x.append("""a\n b""")\n\n        1 // (1 - i)\nexcept Exception:\n    pass\n'
    )


def test_a_timed_statement_without_a_value_is_exported_as_it_is(prompt, tmp_path):
    prompt("%time y = 2", "%export a.py")
    assert (tmp_path / "a.py").read_text().startswith("y = 2\n")


WRITTEN = {
    "x y": "x,y",
    "net.0.weight": "net[0].weight",
    "net.0.1.weight 'net.0.weight'": "net[0][1].weight,'net.0.weight'",
    "x * 1.5": "x * 1.5",
    "y --view tape": "y, view='tape'",
    "y --values --depth 2": "y, values=True, depth=2",
    "--values y": "y, values=True",
    "x --bins=3": "x, bins=3",
    "x y --logx": "x,y, logx=True",
}


@pytest.mark.parametrize("text, expected", WRITTEN.items(), ids=WRITTEN)
def test_an_argument_as_python(text, expected):
    assert as_python(text, ("values",)) == expected


def test_what_was_saved_is_not_written_down_twice(prompt):
    before = prompt.text("x = 1", "%save work", "%load work", "%history x")
    assert before == "1  x = 1"


def test_what_cannot_be_exported(prompt):
    assert "%export: there is nothing to export yet" in prompt.message("%export a.tsh")
    assert "expected one of .tsh, .py, .md, .ipynb, not .doc" in prompt.message("%export a.doc")
    assert "expected a file" in prompt.message("%export")
    assert "No such file or directory" in prompt.message("x = 1", "%export no/where.py")


def test_commands_that_look_back_work_in_a_script_too():
    session = Session()
    events = [*session.run(Source("x = 1\nx = 2\n%undo\nx\n%history 2", "<test>", "test"))]
    assert [event.value for event in events if isinstance(event, Value)] == [1]
    assert any(isinstance(event, Text) for event in events)


def test_what_is_done_aside_is_not_written_down(prompt):
    with prompt.session.forget():
        prompt("%who", "x = 1")
    assert prompt.text("%history") == "nothing yet"


def test_nothing_is_written_down_where_nobody_looks_back():
    session = Session()
    assert [*session.run(Source("x = 1\n%who", "<test>", "test"))] and session.journal is None
