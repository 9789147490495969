"""Mistakes of learners, a script each in tests/recorded/mistakes: the explanation, and that its fix works."""

import ast
import re
import subprocess
import sys
from functools import partial

import pytest

import tensh.explain
from tests.recorded.mistakes.cases import SCRIPTS, expected, explain
from tests.support.project import ROOT
from tests.support.sampling import few_of

FITS = re.compile(
    r"^ +(?P<word>fits|and): +(?:(?P<side>before |after )?line (?P<line>\d+): )?(?P<code>.*?)(?: {4,}(?:\[|-> ).*)?$",
    re.MULTILINE,
)
THEN = re.compile(r"^ +then:  (?P<code>.*?) would fail too", re.MULTILINE)
MARKED = re.compile(r"^  -> +(?P<line>\d+) \| (?P<text>.*)\n +\| (?P<marks> *[~^]+)$", re.MULTILINE)
LINES = re.compile(r"^  -> +(\d+) \|", re.MULTILINE)  # the marked lines of an expression over several
# Its message, the code, and comprehensions, which are functions of their own until 3.12.
OF_PYTHON = re.compile(
    r"^(\S+:\d+: \w+: .*| *(->)? +\d+ \| .*| +\| *[~^]+|  in <listcomp>, called from .*)\n?", re.MULTILINE
)


def fixed(script, text):
    """The script with the first fix that its failure offers; None if it offers none."""
    fits = [*FITS.finditer(text)]
    if not fits:
        return None
    lines = [{"before ": "", None: line, "after ": ""} for line in script.read_text(encoding="utf-8").split("\n")]
    for fit in fits:
        if fit["line"]:
            line = lines[int(fit["line"]) - 1]
            indent = line[None][: len(line[None]) - len(line[None].lstrip())]
            is_moved = fit["code"].startswith(" ") or fit["code"] == line[None].strip()
            line[fit["side"]] = fit["code"] if is_moved else indent + fit["code"]
        elif (marked := MARKED.search(text)) is None:
            return replace_lines(script, [*map(int, LINES.findall(text))], fit["code"])
        else:
            line = lines[int(marked["line"]) - 1]
            start, end = len(marked["marks"]) - len(marked["marks"].lstrip()), len(marked["marks"])
            line[None] = line[None][:start] + fit["code"] + line[None][end:]
    return "\n".join("\n".join(filter(None, line.values())) for line in lines)


def replace_lines(script, numbers, code):
    """The script with the expression that begins on the first and ends on the last of some lines replaced."""
    text = script.read_text(encoding="utf-8")
    whole = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.expr))
    node = next(each for each in whole if (each.lineno, each.end_lineno) == (numbers[0], numbers[-1]))
    lines = text.split("\n")
    begin, end = lines[node.lineno - 1][: node.col_offset], lines[node.end_lineno - 1][node.end_col_offset :]
    return "\n".join([*lines[: node.lineno - 1], begin + code + end, *lines[node.end_lineno :]])


def keep_faults(function, faults, *arguments):
    """Call a function, and note its exception."""
    try:
        return function(*arguments)
    except Exception as fault:
        faults.append(fault)
        raise


@pytest.mark.parametrize("script", few_of(SCRIPTS, every=8), ids=lambda script: script.stem)
def test_what_is_said_of_a_mistake(script, monkeypatch):
    faults = []
    monkeypatch.setattr(tensh.explain, "explain", partial(keep_faults, tensh.explain.explain, faults))
    status, text = explain(script)
    assert not faults  # which a session hides
    wanted = expected(script).read_text(encoding="utf-8")
    # Recorded with 3.11: later versions know the place within an f-string and what a loop iterates over, and say more.
    if sys.version_info >= (3, 12):
        text, wanted = OF_PYTHON.sub("", text), OF_PYTHON.sub("", wanted)
    assert status == 1
    assert text == wanted


@pytest.mark.thorough
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_fix_that_is_offered_makes_the_script_run(script, tmp_path):
    code = fixed(script, expected(script).read_text(encoding="utf-8"))
    if code is None:
        return
    repaired = tmp_path / script.name
    repaired.write_text(code, encoding="utf-8")
    status, text = explain(repaired)
    foretold = THEN.search(expected(script).read_text(encoding="utf-8"))
    if foretold is None:
        assert (status, text) == (0, "")
    else:
        marked = MARKED.search(text)
        start, end = len(marked["marks"]) - len(marked["marks"].lstrip()), len(marked["marks"])
        assert status == 1
        assert marked["text"][start:end].replace("(", "").replace(")", "") == foretold["code"].replace("(", "").replace(
            ")", ""
        )


def test_most_mistakes_have_a_fix_that_works():
    assert len(SCRIPTS) >= 850
    assert sum(fixed(script, expected(script).read_text(encoding="utf-8")) is not None for script in SCRIPTS) >= 685


BEGINNINGS = {
    "a class has overridden functions": """
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})

torch.ones(2).as_subclass(Own) + 1
""",
    "a mode has seen operators": """
from tensh.utils._python_dispatch import TorchDispatchMode

class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

with Mode():
    torch.ones(2) + 1
""",
    "autocast has cast": """
with torch.autocast("cpu"):
    torch.ones(2, 2) @ torch.ones(2, 2)
""",
}
CHANGED = """
import tensh as torch
from tests.recorded.mistakes.cases import SCRIPTS, expected, explain
{beginning}
print([s.stem for s in SCRIPTS[::7] if explain(s)[1] != expected(s).read_text(encoding="utf-8")])
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="recorded with Python 3.11")
@pytest.mark.thorough
@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
def test_the_same_is_said_afterwards(beginning):
    """In a separate process, since it replaces functions for good."""
    code = CHANGED.format(beginning=beginning)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
