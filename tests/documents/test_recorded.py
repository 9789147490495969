"""The recorder of answers finds every family, compares, writes, and refuses unknown names."""

import importlib
import json
import sys

import pytest

from tests.recorded import __main__ as recorder
from tests.recorded.answers import format_answers

ANSWERS = {"add": {"calls": [[1, [2.5, None]], []], "kind": {}}, "two": ["x\ny"]}
LINES = r"""
{
"add": {
 "calls": [[1, [2.5, null]], []],
 "kind": {}
},
"two": [
 "x\ny"
]
}
""".lstrip()


def test_a_case_is_a_line():
    assert format_answers(ANSWERS, depth=2) == LINES


@pytest.mark.parametrize("depth", range(5))
def test_answers_are_the_same_whatever_their_lines(depth):
    assert json.loads(format_answers(ANSWERS, depth)) == ANSWERS


def test_every_answer_in_the_folder_has_a_family():
    folders = {path.parent.name for path in recorder.FOLDER.glob("*/*.json")}
    assert folders <= set(recorder.FAMILIES)


def test_families_are_listed(capsys):
    assert recorder.main([]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == recorder.FAMILIES


@pytest.mark.parametrize("name, expected", [("torch", SystemExit), ("mpmath", ModuleNotFoundError)])
def test_absent_pytorch_is_one_line(name, expected, monkeypatch):
    class Family:
        @staticmethod
        def record(wanted):
            importlib.import_module(name)

    monkeypatch.setattr(recorder, "load_family", lambda family: Family)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(expected, match="pip install torch" if name == "torch" else name):
        recorder.main(["optim"])


def test_a_file_is_compared_and_written(capsys, tmp_path, monkeypatch):
    path = tmp_path / "one.json"
    path.write_text("{}\n")

    class Family:
        @staticmethod
        def record(wanted):
            if wanted("one"):
                yield path, format_answers({"case": 1})

    monkeypatch.setattr(recorder, "FOLDER", tmp_path)
    monkeypatch.setattr(recorder, "load_family", lambda family: Family)
    assert recorder.main(["--check", "optim/one"]) == 1 and path.read_text() == "{}\n"
    assert recorder.main(["optim/one"]) == 0 and path.read_text() == '{\n"case": 1\n}\n'
    assert recorder.main(["--check", "optim"]) == 0
    assert capsys.readouterr().out.split("\n")[:3] == [
        "one.json: differs",
        "one.json: recorded anew",
        "one.json: as before",
    ]


@pytest.mark.parametrize("asked", ["nothing", "optim/nothing"])
def test_unknown_names_are_refused(asked, oracle):
    with pytest.raises(SystemExit) as ended:
        recorder.main([asked])
    assert ended.value.code not in (0, None)
