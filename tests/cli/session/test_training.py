"""Notes on trainings: programs that are wrong in a known way, and many kinds of programs that are right."""

import importlib
import io
import json
import re
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.cli.session.notes.teaching import WhenLoaded
from tests.support.sampling import few_of

FOLDER = Path(__file__).with_name("notes")
BEGIN = """import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y, v, t = torch.randn(20, 3), torch.randn(20, 1), torch.randn(20), torch.randint(0, 2, (20,))
"""
PROGRAM = re.compile(r"^### (.*)\n((?:(?!### ).*\n?)*)", re.MULTILINE)


def programs(name):
    """Return (title, code) of each program in a file."""
    return PROGRAM.findall((FOLDER / name).read_text(encoding="utf-8"))


RIGHT, WRONG = programs("right.txt"), programs("wrong.txt")


def notes(path, code):
    """The records of notes of a program."""
    path.write_text(code, encoding="utf-8")
    streams = [io.StringIO() for _ in range(3)]
    assert main(["run", "--json", str(path)], Environment(*streams, variables={})) == 0, streams[1].getvalue()
    records = [json.loads(line) for line in streams[1].getvalue().splitlines()]
    return [each for each in records if each["kind"] == "note"]


@pytest.mark.thorough
@pytest.mark.parametrize("code", [code for _, code in RIGHT], ids=[title for title, _ in RIGHT])
def test_a_right_program_gets_no_note(tmp_path, code):
    assert notes(tmp_path / "right.py", BEGIN + code) == []


def test_passes_are_called_with_every_argument_while_they_are_observed(tmp_path):
    assert notes(tmp_path / "right.py", BEGIN + dict(RIGHT)["passes for some inputs only"]) == []


@pytest.mark.parametrize(("title", "code"), few_of(WRONG), ids=[title for title, _ in WRONG])
def test_a_wrong_program_gets_its_note_once(tmp_path, title, code):
    about, words, _ = title.split(" | ")
    before = BEGIN.count("\n")
    words = re.sub(r"line (\d+)", lambda m: f"line {int(m[1]) + before}", words)
    (note,) = notes(tmp_path / "wrong.py", BEGIN + code)
    assert note["about"] == about
    assert words in f"{note['message']}\n{note['advice']}"


WATCHED = ("other parameters", "zeroed", "unregistered", "training mode", "nan", "one-hot", "twice")
"""Notes of all observers, which begin when the modules that they watch are imported."""


@pytest.mark.parametrize("about", WATCHED)
def test_observers_begin_in_a_new_process(tmp_path, about):
    """Where no module has been imported yet, and modules are imported under PyTorch's names."""
    code = next(code for title, code in WRONG if title.startswith(f"{about} |"))
    (tmp_path / "wrong.py").write_text(BEGIN + code, encoding="utf-8")
    command = [sys.executable, "-m", "tensh", "run", "--json", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert about in [each.get("about") for each in map(json.loads, done.stdout.splitlines())]


def test_there_are_programs_of_many_kinds():
    assert len(RIGHT) >= 60 and len(WRONG) >= 60


def test_modules_that_share_a_loader_are_told_apart(monkeypatch):
    """pytest, among others, loads all modules with the same object."""

    class Shared:
        def find_spec(self, name, path=None, target=None):
            return ModuleSpec(name, self) if name in ("outer", "inner") else None

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            if module.__name__ == "outer":
                importlib.import_module("inner")

    seen, shared = [], Shared()
    monkeypatch.setattr(sys, "meta_path", [shared, *sys.meta_path])
    sys.meta_path.insert(0, WhenLoaded("outer", lambda: seen.append("outer" in sys.modules)))
    for name in ("outer", "inner"):
        importlib.import_module(name)
        monkeypatch.delitem(sys.modules, name)
    assert seen == [True]
