"""Correct programs, broken by known edits: advice undoes the edit, and is never wrong."""

import io
import re

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tests.explain import breaking
from tests.explain.programs import PROGRAMS, mistakes, write_program
from tests.explain.test_mistakes import fixed

pytestmark = pytest.mark.thorough

MEANT = re.compile(r"^ +did you mean (?P<name>\w+)(?P<keyword>=)?\?", re.MULTILINE)
ASKED = re.compile(r"attribute '(\w+)'|name '(\w+)'|argument '(\w+)'")
ADVICE = re.compile(r"^ +(fits|or|try|did you mean)\b", re.MULTILINE)
OTHERWISE = {
    ("net", ", dtype=torch.float64"): "other random numbers are drawn as float64",
    ("attention", "weights @ q"): "nothing says whose operand it is",
    ("rnn", ""): "a mean would be as good as the sum",
    ("shapes", "2"): "nothing says which dimension it is",
    ("shapes", ""): "the next line needs float, too, and says so",
    ("attention", "v @ weights"): "a transposed operand fits as well as the other order, which is offered second",
    ("line", ".zero"): "the name is right then, and still not called",
}
"""Other results that the advice may lead to, with the reason."""
SILENT = {
    ("module", "Net(x)"),
    ("shapes", "[m, a]"),
    ("data", ".dataset.tensors[0]"),
}
"""Mistakes without an explanation."""


def run(path):
    """Return (status, stdout, stderr) of a script."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    return main(["run", "--quiet", str(path)], env), env.stdout.getvalue(), env.stderr.getvalue()


def advised(path, text):
    """The script with the advice applied; None without advice."""
    code = fixed(path, text)
    meant, asked = MEANT.search(text), ASKED.search(text)
    if code is None and meant and asked:
        wrong = next(filter(None, asked.groups()))
        code = re.sub(rf"\b{wrong}\b", meant["name"], path.read_text(encoding="utf-8"))
    return code


@pytest.fixture(scope="module", params=[0, 1])
def right(request, tmp_path_factory):
    """Return the output of each right program, for sizes drawn from a seed."""
    folder, found = tmp_path_factory.mktemp("right"), {}
    for name in PROGRAMS:
        path = folder / f"{name}.tsh"
        path.write_text(write_program(name, request.param), encoding="utf-8")
        status, found[name], text = run(path)
        assert status == 0, text
    return request.param, found


@pytest.mark.parametrize(("name", "number", "wrong"), [*mistakes()])
def test_advice_undoes_the_mistake(right, tmp_path, name, number, wrong):
    seed, printed = right
    path = tmp_path / f"{name}.tsh"
    path.write_text(write_program(name, seed, number, wrong), encoding="utf-8")
    status, _, text = run(path)
    code = advised(path, text) if status else None
    if code is None:
        return
    path.write_text(code, encoding="utf-8")
    status, shown, after = run(path)
    if (name, wrong) not in OTHERWISE:
        assert (status, shown) == (0, printed[name]), f"{text}\n{after}"


def test_most_mistakes_are_explained(tmp_path):
    silent = set()
    for name, number, wrong in mistakes():
        path = tmp_path / f"{name}.tsh"
        path.write_text(write_program(name, 0, number, wrong), encoding="utf-8")
        status, _, text = run(path)
        if status and advised(path, text) is None and not ADVICE.search(text):
            silent.add((name, wrong))
    assert silent == SILENT


# ── mistakes that are made mechanically ──────────────────────────────────────
SAMPLE = 60
"""One in so many is tested; tools/breaking.py runs all."""


@pytest.fixture(scope="module")
def known_outcomes(tmp_path_factory):
    """Return the output of each right program."""
    path, found = tmp_path_factory.mktemp("shown") / "program.py", {}
    for name, code in breaking.RIGHT.items():
        path.write_text(code, encoding="utf-8")
        status, found[name], text = breaking.run(path)
        assert status == 0, text
    return found


@pytest.mark.parametrize("program", [*breaking.broken()][::SAMPLE], ids=lambda program: program.title)
def test_advice_on_a_known_edit_undoes_it(known_outcomes, tmp_path, program):
    found = breaking.outcome(program, tmp_path / "program.py", known_outcomes[program.name])
    assert found.word != "false", f"{program.code}\n{found.text}\n{found.after}"


def test_there_are_thousands_of_broken_programs():
    assert len(breaking.RIGHT) >= 30
    assert len([*breaking.broken()]) >= 4000
