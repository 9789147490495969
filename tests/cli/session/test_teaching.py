"""Notes that teach: shown once, if certain, and never in a program that runs without tensh's command line."""

import io
import json
import os
import subprocess
import sys

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.cli.programs.options import Options
from tensh.cli.repl import loop
from tensh.engine.core import clock
from tensh.explain.source.assignments import line_that_made
from tensh.explain.source.iterations import find_iteration
from tensh.explain.source.place import Place
from tensh.show.drawing.text import cells
from tests.support.command_line import Done
from tests.support.project import ROOT


def notes(code, *options):
    """Return (the records of notes, those of warnings) of a script."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    assert main(["--json", *options, "-c", code], env) == 0, env.stdout.getvalue()
    records = [json.loads(line) for line in env.stdout.getvalue().splitlines()]
    return [[each for each in records if each["kind"] == kind] for kind in ("note", "warning")]


@pytest.mark.parametrize(
    "code, piece",
    [
        ("预测 = torch.eye(3).max(1); 目标 = torch.arange(3)\nprint((预测 == 目标))", "预测 == 目标"),
        ("x = torch.ones(3)\nn = '日本語'; print(x.item == 3)", "x.item == 3"),
        ("def f(é):\n    é.relu()\n    return é\nf(torch.ones(3))", "é.relu()"),
        ("é, t = torch.ones(3, 1), torch.ones(3)\nn = 'ß'; print((é == t).sum())", "é == t"),
    ],
)
def test_the_piece_of_a_note_is_counted_in_characters(code, piece):
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    assert main(["-c", code], env) == 0
    quoted, marked = (line.partition("| ")[2] for line in env.stderr.getvalue().splitlines()[1:3])
    assert piece in quoted
    assert marked == " " * cells(quoted.partition(piece)[0]) + "^" * cells(piece)


# ── gradients that are never set back ────────────────────────────────────────

BEGIN = "w = torch.tensor(1., requires_grad=True)\n"
MODEL = """torch.manual_seed(0)
x, y = torch.randn(20, 3), torch.randn(20, 1)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
"""
FORGOTTEN = {  # code -> (line, message, advice)
    BEGIN + "for step in range(4):\n    (w * 3).backward()\n    with torch.no_grad():\n        w -= w.grad": (
        3, "w.grad is the sum of 3 backward passes: each adds to it, and it was never reset",
        "w.grad = None before each backward",
    ),
    BEGIN + "for step in range(4):\n    (w * 3).backward()\n    w.data -= w.grad": (3, "sum of 3 backward passes", "w.grad = None"),
    BEGIN + "for step in range(3):\n    (w * 3).backward()\n    (w * 2).backward()\n    w.data -= w.grad": (
        3, "5 backward passes, on lines 3 and 4", "w.grad = None",
    ),
    MODEL + "for step in range(5):\n    ((model(x) - y) ** 2).mean().backward()\n    opt.step()": (
        6, "model.weight.grad (and 1 more) is the sum of 3 backward passes", "opt.zero_grad() before each backward",
    ),
    MODEL + "def train():\n    for step in range(5):\n        ((model(x) - y) ** 2).mean().backward()\n        opt.step()\ntrain()": (
        7, "model.weight.grad (and 1 more)", "opt.zero_grad()",
    ),
}  # fmt: skip
ON_PURPOSE = {
    "one pass": BEGIN + "(w * 3).backward()",
    "set to None": BEGIN + "for i in range(4):\n    (w * 3).backward()\n    w.data -= w.grad\n    w.grad = None",
    "zeroed": BEGIN + "for i in range(4):\n    (w * 3).backward()\n    w.data -= w.grad\n    w.grad.zero_()",
    "put there by the program": BEGIN
    + "for i in range(5):\n    w.grad = torch.ones(())\n    w.data -= w.grad\n    (w * 3).backward()",
    "sums without a step": BEGIN + "for i in range(9):\n    (w * 3).backward()",
    "one step": BEGIN + "for i in range(2):\n    (w * 3).backward()\n    w.data -= w.grad",
    "several passes a step": MODEL
    + """for set_to_none in (True, False):
    for step in range(4):
        for part in (0, 1):
            ((model(x[part::2]) - y[part::2]) ** 2).mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=set_to_none)
""",
    "two models against each other": MODEL
    + """other = nn.Linear(2, 3)
step = torch.optim.SGD(other.parameters(), lr=0.1)
for turn in range(4):
    for is_none in (True, False):
        opt.zero_grad(set_to_none=is_none)
        model(x).mean().backward()
        model(other(torch.randn(4, 2)).detach()).mean().backward()
        opt.step()
        step.zero_grad()
        model(other(torch.randn(4, 2))).mean().backward()
        step.step()
""",
    "autograd.grad": BEGIN + "for i in range(4):\n    w.data -= torch.autograd.grad(w * 3, w)[0]",
}


@pytest.mark.parametrize("code, expected", FORGOTTEN.items())
def test_a_gradient_that_is_never_set_back_is_told_once(code, expected):
    (note,), _ = notes(code)
    line, message, advice = expected
    assert (note["about"], note["file"], note["line"]) == ("accumulated", "-c", line)
    assert message in note["message"] and advice in note["advice"]
    assert notes(code, "--quiet")[0] == []


@pytest.mark.parametrize("code", ON_PURPOSE.values(), ids=ON_PURPOSE)
def test_gradients_that_are_summed_on_purpose_are_not_told_of(code):
    assert notes(code) == [[], []]


def test_a_note_as_text():
    done = Done("-c", next(iter(FORGOTTEN)))
    assert done.errors == (
        "-c:3: note: w.grad is the sum of 3 backward passes: each adds to it, and it was never reset\n"
        "      3 |     (w * 3).backward()\n"
        "        |     ^^^^^^^^^^^^^^^^^^\n"
        "        try:   w.grad = None before each backward\n"
    )


def test_a_zero_grad_that_is_not_called_is_named():
    code = (
        "net = nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for i in range(3):\n    opt.zero_grad\n    net(torch.ones(1, 1)).sum().backward()\n    opt.step()\n"
    )
    (note,), _ = notes(code)
    assert note["advice"] == "on line 4, call opt.zero_grad()"


def test_the_statement_that_rebinds_a_leaf_is_named():
    code = BEGIN + "for i in range(1):\n    (w ** 2).backward()\n    w = w - 0.1 * w.grad\nw.grad"
    (note, *_), _ = notes(code)
    assert note["advice"] == "line 4: with torch.no_grad(): w -= 0.1 * w.grad"


# ── gradients that are not kept ──────────────────────────────────────────────

COMPUTED = BEGIN + "h = w * 2\ny = h ** 2\ny.backward()\n"
NOT_KEPT = {  # the last lines -> (message, advice)
    "h.grad": (
        "h was computed on line 2: backward keeps gradients of leaves only",
        "call h.retain_grad() before backward()",
    ),
    "print(h.grad, y.grad)": ("h was computed on line 2: backward", "call h.retain_grad()"),
    "getattr(h, 'grad')": ("this tensor was computed: backward", "call y.retain_grad()"),
    "def look():\n    return h.grad\nlook()": ("h was computed on line 2: backward", "call h.retain_grad()"),
    "for h in (h, h + 1):\n    h.grad": ("h was computed: backward", "call h.retain_grad()"),
}


@pytest.mark.parametrize("last, expected", NOT_KEPT.items())
def test_a_gradient_that_is_not_kept_is_explained(last, expected):
    (note,), (warning, *_) = notes(COMPUTED + last)
    assert note["about"] == "non-leaf" and warning["message"].endswith("for more information.")
    assert note["message"].startswith(expected[0]) and note["advice"].startswith(expected[1])


def test_only_the_first_is_explained():
    done = Done("-c", COMPUTED + "h.grad\ny.grad")
    assert done.errors == (
        "-c:5: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.\n"
        "      5 | h.grad\n"
        "        | ^^^^^^\n"
        "        h was computed on line 2: backward keeps gradients of leaves only\n"
        "        try:   call h.retain_grad() before backward()\n"
        "-c:6: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.\n"
        "      6 | y.grad\n"
    )


def test_a_program_without_the_command_line_is_told_nothing():
    code = "import tensh as torch\n" + next(iter(FORGOTTEN))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_is_watched_ends_with_the_session():
    from tensh.engine.core import backward

    before = backward.finish
    Done("-c", BEGIN + "(w * 3).backward()")
    assert backward.finish is before
    Done("-c", next(iter(FORGOTTEN)))
    assert backward.finish is before


# ── explaining costs nothing until something fails ───────────────────────────

PROGRAM = """import torch
w = torch.ones(3, requires_grad=True)
for step in range(3):
    (w * 2).sum().backward()
    w.data -= 0.1 * w.grad
    w.grad = None
print(w)
"""


@pytest.mark.parametrize("last, explains", [("", False), ("w @ torch.ones(2)\n", True)])
def test_explanations_are_loaded_by_failures_alone(last, explains, tmp_path):
    path = tmp_path / "a.py"
    path.write_text(PROGRAM + last)
    code = f"""import sys
from tensh.cli.app import main
status = main(["run", {str(path)!r}])
print(status, *(name for name in sys.modules if name.startswith("tensh")))"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    status, *modules = done.stdout.splitlines()[-1].split()
    assert status == str(int(explains))
    assert any(name.startswith("tensh.explain") for name in modules) == explains
    for name in (
        "tensh.cli.session.notes.texts",
        "tensh.graph.provenance",
        "tensh.cli.session.strict",
        "tensh.graph.names",
    ):
        assert name not in modules


MAIN = """import torch
def main():
    w = torch.tensor(1., requires_grad=True)
    for step in range(4):
        (w * 3).backward()
        w.data -= w.grad
main()
"""


@pytest.mark.parametrize(
    "program, loads, told", [("import torch\nprint(2)\n", False, ""), (MAIN, True, "a.py:5: note: w.grad")]
)
def test_the_engine_is_watched_from_the_moment_that_it_is_loaded(program, loads, told, tmp_path):
    (tmp_path / "a.py").write_text(program)
    code = "import sys; from tensh.cli.app import main\nmain(['run', 'a.py'])\nprint('numpy' in sys.modules, len(sys.meta_path))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    alone = subprocess.run(
        [sys.executable, "-c", "import sys; print(len(sys.meta_path))"], capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == f"{loads} {alone.stdout.strip()}"
    assert done.stderr.startswith(told) and bool(done.stderr) == bool(told)


def test_nobody_listens_to_operations_while_places_are_not_asked_for():
    before = f"{clock.listeners}\n"
    assert Done("-c", "from tensh.engine.core import clock\nclock.listeners").output == before


# ── random numbers that nobody has seeded ────────────────────────────────────

UNSEEDED = {  # code -> (line, what would help)
    "x = 1\ntorch.rand(2)": (2, "torch.manual_seed(0)"),
    "def make():\n    return nn.Linear(2, 3)\nm = make()": (2, "torch.manual_seed(0)"),
    "torch.manual_seed(0)\ntorch.rand(1);\ntorch.seed();\ntorch.randn(2)": (4, "torch.manual_seed(0)"),
    "torch.empty(3).normal_()": (1, "torch.manual_seed(0)"),
    "x = np.random.rand(3)": (1, "numpy.random.seed(0)"),
    "import random\nx = 1\ny = random.random()": (3, "random.seed(0)"),
    "x = np.random.default_rng().random(2)": (1, "a seed, as in numpy.random.default_rng(0),"),
    "torch.manual_seed(0)\nimport random\nrandom.seed()\nrandom.random()": (3, "random.seed(0)"),
}
SEEDED = [
    "torch.manual_seed(0);\nx = torch.rand(2), nn.Linear(2, 3)",
    "def seed(n):\n    torch.manual_seed(n); np.random.seed(n); random.seed(n)\nimport random\nseed(1)\nx = torch.rand(2), np.random.rand(3), random.random()",
    "g = torch.Generator()\nx = torch.rand(2, generator=g)",
    "with torch.random.fork_rng():\n    pass",
    "x = torch.get_rng_state()",
    "x = np.random.default_rng(3).random(2)",
    "x = torch.ones(3) + np.ones(3)",
]


@pytest.mark.parametrize("code, expected", UNSEEDED.items())
def test_unseeded_random_numbers_are_an_error_where_it_is_strict(code, expected):
    line, advice = expected
    done = Done("--strict", "-c", code)
    assert done.status == 1
    assert done.errors.startswith(f"-c:{line}: unseeded random numbers differ in every run: {advice} ")
    assert Done("-c", code).status == 0


@pytest.mark.parametrize("code", SEEDED)
def test_seeded_random_numbers_are_not(code):
    assert Done("--strict", "-c", code) == (0, "", "")


def test_lines_of_a_prompt_are_strict_as_well():
    typed = "import random\nx = random.random()\nx = np.random.rand()\nx = torch.rand(1)\nrandom.seed(0)\nx = random.random()\n"
    env = Environment(io.StringIO(typed), io.StringIO(), io.StringIO(), variables={})
    assert loop.start(env, Options(strict=True, quiet=True, plain=True)) == 0
    advice = [f"{name}(0) before" for name in (": random.seed", "numpy.random.seed", "torch.manual_seed")]
    assert [env.stderr.getvalue().count(each) for each in advice] == [1, 1, 1]


def test_a_seed_on_the_command_line_is_a_seed():
    import random

    import numpy

    for code in UNSEEDED:
        if "seed()" not in code and "default_rng" not in code:
            assert Done("--strict", "--seed", "3", "-c", code).status == 0
    assert random.seed.__self__ is random._inst and numpy.random.seed.__module__ != "tensh.cli.session.strict"


def test_a_document_may_be_checked_strictly(tmp_path):
    path = tmp_path / "a.tsh"
    path.write_text("# %%\ntorch.manual_seed(0);\ntorch.ones(2)\n#> tensor([1., 1.])\n\n# %%\nx = np.random.rand(2)\n")
    assert Done("check", str(path)).status == 0
    done = Done("check", "--strict", str(path))
    assert done.status == 3 and "numpy.random.seed(0) before them makes them reproducible" in done.output


# ── where names got their values ─────────────────────────────────────────────

MADE = {  # code, whose last line fails -> the line on which h was made
    "h = 1\n\n\nh": 1,
    "h = 1\nh = 2\n\nh": 2,
    "h = 1\nh += 1\n\nh": 2,
    "h, k = 1, 2\n\n\nh": 1,
    "if k:\n    h = 1\n\nh": None,
    "h = 0\nif k:\n    h = 1\nh": None,
    "h = 0\nfor i in k:\n    pass\nh": 1,
    "h = 0\nfor h in k:\n    pass\nh": None,
    "h = 0\nfor i in k:\n    h": 1,
    "h = 0\nfor i in k:\n    h = 1\n    h": 3,
    "h = 0\nfor i in k:\n    h = h @ h": None,
    "h = 0\nfor i in k:\n    h @ h\n    h = 2": None,
    "h = 0\nwhile k:\n    if i:\n        h": 1,
    "h = 0\ntry:\n    h": None,
    "h = 0\nwith k:\n    h": 1,
    "def f():\n    h = 1\n\n    h": 2,
    "def f(h):\n    k\n\n    h": None,
    "h = 1\ndef f():\n\n    h": 1,
    "h = 1\nh = 2\ndef f():\n    h": None,
    "h = 1\ndef g():\n    global h\n    h = 2\nh": None,
    "import h\n\n\nh": None,
    "h": None,
}


@pytest.mark.parametrize("code, line", MADE.items())
def test_a_name_was_made_where_the_source_leaves_no_doubt(code, line):
    lines = code.split("\n")
    number = next(n for n in range(len(lines), 0, -1) if lines[n - 1].strip().startswith("h"))
    if lines[-1].strip() == "h = 2":
        number -= 1
    column = lines[number - 1].index("h")
    end = len(lines[number - 1])
    assert line_that_made(Place(code, number, column, number, end), "h") == line


X, Y, Z = object(), object(), object()
TURNS = {  # (code, whose second line fails) -> names -> (line, turn)
    "for i in range(9):\n    f": ({"i": 3}, (1, 4)),
    "for i in range(2, 9, 3):\n    f": ({"i": 5}, (1, 2)),
    "for i in range(start, 9):\n    f": ({"i": 5, "start": 2}, None),
    "for i, x in enumerate(xs):\n    f": ({"i": 2, "x": 1}, (1, 3)),
    "for x in xs:\n    f": ({"x": Y, "xs": [X, Y, Z]}, (1, 2)),
    "for x in xs :\n    f": ({"x": X, "xs": [X, X, Z]}, None),
    "for x, y in xs:\n    f": ({"x": Z, "y": X, "xs": [(X, Y), (Y, Z), (Z, X)]}, (1, 3)),
    "for x in make():\n    f": ({"x": X}, None),
    "for i in range(3):\n    f; i = 2": ({"i": 2}, None),
    "while i:\n    f": ({"i": 2}, None),
    "for i in range(9):\n    f ": ({"i": 1.5}, None),
    "for i in range(9) :\n    f": ({}, None),
    "for i in range(9):\n    f  ": ({"i": 1, "range": 3}, None),
}


@pytest.mark.parametrize("code", TURNS)
def test_the_turn_of_a_loop_is_told_where_it_is_certain(code):
    names, expected = TURNS[code]
    assert find_iteration(Place(code, 2, 4, 2, 5), names) == expected
