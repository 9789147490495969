"""The format of lessons, and messages for errors in it."""

import json

import pytest

from tests.cli.lessons.playing import kinds, played
from tests.support.command_line import Done

GOOD = """# Mine

Some text.

```python
x = torch.ones(2, 3, requires_grad=True)
x * 2           #? shape
```

More text.

```python
y = x.sum()     #? dtype y | Which dtype?
y.backward()    #? grad x.grad
#! each element counts once
#! look at the shape of x
x + torch.ones(4)  #? fails size
x.____(0)       #? complete sum
"#? shape"      #? value
```
"""
ANSWERS = ["2 x 3", "float", "[[1,1,1],[1,1,1]]", "size", "sum", "'#? shape'"]

WRONG = {
    "x.sum()  #? shap": (5, "did you mean shape"),
    "x.sum()  #?": (5, "there are shape, dtype"),
    "for i in x:  #? shape\n    pass": (5, "last line"),
    "for i in x:\n    pass  #? shape": (5, "has no value"),
    "x.____(0)  #? shape": (5, "a blank"),
    "x.sum(0)  #? complete sum": (5, "no blank"),
    "x.____(0)  #? complete": (5, "the contents of the blank"),
    "for i in ____: pass  #? complete x": (5, "one expression"),
    "x.sum(  #? shape": (5, "not Python"),
    "x.sum()\n#! a hint\nx  #? shape": (6, "this statement has none"),
    "#! a hint\nx.sum()  #? shape": (5, "must follow a question"),
    "x.sum()  #? shape which one": (5, "not an expression"),
    "x = 1": (None, "no question"),
}


def write(folder, code, name="lesson.md"):
    path = folder / name
    path.write_text(f"# Title\n\ntext\n```python\n{code}\n```\n" if name.endswith(".md") else code, encoding="utf-8")
    return path


def test_a_teachers_lesson_runs_and_is_proved(tmp_path):
    path = tmp_path / "lesson.md"
    path.write_text(GOOD, encoding="utf-8")
    objects = played(path, ANSWERS)
    assert objects[-1]["is_done"] and objects[-1]["right"] == 6
    assert [each["text"] for each in kinds(objects, "question")][1] == "Which dtype?"
    done = Done("check", path)
    assert done.status == 0 and "6 ok" in done.output


def test_a_question_may_stand_below_its_statement(tmp_path):
    code = "x = torch.ones(\n    2, 3\n)\n#? shape\n#! rows first\n\nx.sum()\n# a remark\n#? value | How much?\nx @ x\n#? fails"
    path = write(tmp_path, code)
    objects = played(path, ["2, 3", "6", "size"])
    assert objects[-1]["is_done"] and objects[-1]["right"] == 3
    done = Done("check", path)
    assert done.status == 0 and "3 ok" in done.output


def test_a_script_is_a_lesson_too(tmp_path):
    path = write(
        tmp_path,
        "# %% [markdown]\n# # Script\n#\n# Text.\n\n# %%\nx = torch.ones(2)\nx.sum()  #? value\n",
        "lesson.tsh",
    )
    objects = played(path, ["2"])
    assert objects[0]["title"] == "Script" and objects[-1]["right"] == 1


@pytest.mark.parametrize("code", WRONG)
def test_what_is_wrong_is_said_with_its_line(tmp_path, code):
    line, words = WRONG[code]
    for command in (["learn"], ["check"])[: 1 if line is None else 2]:
        done = Done(*command, write(tmp_path, code))
        assert done.status == 2 and words in done.errors
        assert line is None or f"lesson.md:{line}: " in done.errors


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("torch.ones(2) + torch.ones(3)  #? shape", "it fails"),
        ("undefined\ntorch.ones(2)  #? shape", "NameError"),
        ("'text'  #? shape", "no shape"),
        ("torch.ones(2)  #? fails size", "does not fail"),
        ("torch.ones(2)  #? value nosuch", "NameError"),
        ("torch.ones(2).____()  #? complete nosuch", "it fails"),
    ],
)
def test_the_check_names_questions_that_cannot_be_answered(tmp_path, code, words):
    done = Done("check", write(tmp_path, code))
    assert done.status == 3 and words in done.output and "WRONG" in done.output


UNASKABLE = {
    "type('X', (), {'name': lambda self: 1 / 0})()  #? value": "one.tsh:1: its value: ZeroDivisionError",
    "1  #? shape": "one.tsh:1: its result has no shape",
    "None  #? dtype": "one.tsh:1: its result has no dtype",
    "1  #? value nosuch": "one.tsh:1: nosuch: NameError",
    "10**400  #? value": "one.tsh:1: its value: OverflowError",
}


@pytest.mark.parametrize("code", UNASKABLE)
def test_a_question_that_cannot_be_asked_ends_the_lesson_with_one_line(tmp_path, code, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, code, "one.tsh")
    write(tmp_path, "lesson: one.tsh\n1: 5\n", "answers.tsh")
    for command in (["learn", "one.tsh"], ["learn", "--answers", "answers.tsh"]):
        done = Done(*command, stdin="5\n")
        assert done.status == 2 and done.errors.startswith(UNASKABLE[code]) and done.errors.count("\n") == 1


NO_ELEMENTS = ["torch.empty(2, 3, device='meta')", "torch.eye(2, 3).to_sparse()", "2**100", "[2**70, 1]"]


@pytest.mark.parametrize("code", NO_ELEMENTS)
@pytest.mark.parametrize("answer", ["10**50", "[1, 2]", "9**9**9", "nothing"])
def test_values_without_elements_or_without_a_dtype_can_be_asked_about(tmp_path, code, answer):
    done = Done("learn", write(tmp_path, f"{code}  #? value", "one.tsh"), stdin=f"{answer}\nskip\n")
    assert (done.status, done.errors) == (0, "")


CONTROL = "\x1b[2J\u202e\x9b"
SHOWN = "\\x1b[2J\\u202e\\x9b"


@pytest.mark.parametrize("screen", ["--plain", "--json"])
def test_the_text_of_a_lesson_is_shown_with_escapes(tmp_path, screen):
    prose = f"# T{CONTROL}\n\ntext{CONTROL}\n\n| {CONTROL} |\n\n    {CONTROL}\n\n## {CONTROL}\n\n"
    code = f"x = '{CONTROL}'\nlen('{CONTROL}')  #? value | {CONTROL}?\n#! {CONTROL}\n"
    path = tmp_path / "one.md"
    path.write_text(f"{prose}```python\n{code}```\n", encoding="utf-8")
    done = Done("learn", path, screen, stdin=f"hint\n{SHOWN}\n9\n9\n9\n")
    assert not set(CONTROL) & set(done.output + done.errors) - set("[2J") and (done.status, done.errors) == (0, "")
    assert done.output.count(SHOWN) >= 8 or screen == "--json"
    answers = tmp_path / f"a{CONTROL}.txt"
    for text in (f"lesson: {path}\n1: {CONTROL}\n", f"lesson: {CONTROL}\n1: 2\n", f"{CONTROL}\n"):
        answers.write_text(text, encoding="utf-8")
        done = Done("learn", "--answers", answers, screen)
        assert not set("\x1b\u202e\x9b") & set(done.output + done.errors)


def test_a_cell_of_a_notebook_may_end_its_lines_in_any_way(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [cell | {"source": "x = 1\rx + 1  #? value\r\ny = 3\r"}, cell | {"source": "x + y  #? value"}]
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert played(path, ["2", "4"])[-1]["right"] == 2


def test_reading_a_lesson_runs_nothing(tmp_path):
    path = write(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\n1 + 1  #? shap")
    assert Done("learn", path).status == 2 and not (tmp_path / "ran").exists()


def test_a_wrong_try_at_a_blank_leaves_no_trace(tmp_path):
    path = write(tmp_path, "x = torch.ones(2)\nx.____()  #? complete sum\nx  #? value")
    objects = played(path, ["zero_", "(x := 3)", "sum", "[1, 1]"])
    assert [each["result"] for each in kinds(objects, "answer")] == ["right", "right"]


def test_what_is_printed_and_warned_waits_for_the_answer(tmp_path):
    code = (
        "import warnings\ndef f():\n    print('printed'); warnings.warn('warned'); return torch.ones(2)\nf()  #? shape"
    )
    path = write(tmp_path, code)
    done = Done("learn", path, stdin="3\n2\n")
    assert done.output.index("not yet") < done.output.index("\nprinted")
    assert "warned" in done.errors


def test_answers_are_written_and_graded(tmp_path):
    path = tmp_path / "lesson.md"
    path.write_text(GOOD, encoding="utf-8")
    record = tmp_path / "answers.txt"
    played(path, ["3 x 2", *ANSWERS], "--record", record)
    empty = tmp_path / "empty.txt"
    empty.write_text(f"# nobody\nlesson: {path}\n1: (9,)\n", encoding="utf-8")
    done = Done("learn", "--answers", record, "--answers", empty, "--json")
    graded = kinds([json.loads(line) for line in done.output.splitlines()], "grades")
    assert [(each["right"], each["at_once"], each["questions"]) for each in graded] == [(6, 5, 6), (0, 0, 6)]
    typed = tmp_path / "typed.txt"  # as a Chinese keyboard writes it
    typed.write_text(f"lesson\uff1a{path}\n1\uff1a2 x 3\n2\uff09float\n", encoding="utf-8")
    assert "2 of 6 right" in Done("learn", "--answers", typed).output
    text = Done("learn", path, "--answers", empty)
    assert "0 of 6 right" in text.output and "no answer" in text.output


def test_tries_of_a_learner_who_leaves_are_written(tmp_path):
    path, record = tmp_path / "lesson.md", tmp_path / "answers.txt"
    path.write_text(GOOD, encoding="utf-8")
    played(path, ["9 9 9"], "--record", record)
    assert "1: 9 9 9\n" in record.read_text(encoding="utf-8")


def test_a_python_file_is_no_lesson(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.py").write_text("x = 1  #? value\n", encoding="utf-8")
    assert "tensh convert lesson.py" in Done("learn", "lesson.py").errors


@pytest.mark.parametrize("content", ["gibberish", "lesson: nosuch\n1: 2", "1: 2", "lesson: tensors\n99: 1"])
def test_a_file_that_is_not_one_of_answers_is_refused(tmp_path, content):
    path = tmp_path / "answers.txt"
    path.write_text(content, encoding="utf-8")
    done = Done("learn", "--answers", path)
    assert done.status == 2
    assert any(words in done.errors for words in (str(path), "lesson nosuch", "99"))


@pytest.mark.parametrize("wanted", ["nosuch", "0", "99", "", "missing.md"])
def test_a_lesson_that_is_not_there(wanted):
    assert Done("learn", wanted).status == 2


def test_code_that_leaves_the_program_does_not_leave_the_lesson(tmp_path):
    path = write(tmp_path, "import sys\nx = torch.ones(2)\nsys.exit(3)\nx.____()  #? complete sum\nx  #? shape")
    objects = played(path, ["sum(sys.exit(3))", "sum", "2"])
    assert objects[-1]["is_done"] and "SystemExit" in kinds(objects, "wrong")[0]["hint"]
    done = Done("check", path)
    assert done.status == 3 and "SystemExit" in done.output


def test_an_answer_that_does_not_end_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr("tensh.cli.lessons.grading.SECONDS", 0.2)
    path = write(tmp_path, "x = torch.ones(2)\nx.____()  #? complete sum\nx  #? shape")
    answers = tmp_path / "answers.txt"
    answers.write_text("1: next(i for i in iter(int, 1) if i)\n2: 2\n", encoding="utf-8")
    done = Done("learn", path, "--answers", answers)
    assert "1 of 2 right" in done.output and "does not end" in done.output


@pytest.mark.parametrize(("lines", "words"), [("2\n", "  right\n"), ("3\n2\n", "  right this time\n")])
def test_a_right_answer_is_praised_by_the_number_of_attempts(lines, words, tmp_path):
    assert words in Done("learn", write(tmp_path, "torch.ones(2)  #? shape"), stdin=lines).output
