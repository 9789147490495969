"""`tensh graph` prints the recorded output for the scripts in tests/recorded/graphs.

Every script says in its first comments how it is looked at.
"""

import io
import runpy
import shutil

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tests.recorded.graphs.cases import SCRIPTS, expected, output, transcript
from tests.support.project import SHARED


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_graph_is_drawn_as_recorded(script):
    assert transcript(script) == expected(script).read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_graphviz_draws_what_is_written_for_it(script, tmp_path):
    picture = tmp_path / "graph.png"
    output(script, f"graph FILE --values -o {picture}")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_without_graphviz_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    status = main(["graph", str(SCRIPTS[0]), "--format", "png", "-o", str(tmp_path / "graph.png")], env)
    assert status == 2 and "`dot` of Graphviz, which is not installed" in env.stderr.getvalue()


LESSONS = sorted(SHARED.glob("lessons/*.ipynb"))


@pytest.mark.thorough
@pytest.mark.parametrize("lesson", LESSONS, ids=[each.stem for each in LESSONS])
def test_the_graph_of_a_lesson(lesson, tmp_path, monkeypatch):
    """The tensor that a lesson computed last has a graph with names; a lesson that computes none says so."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")  # lessons write into the folder beside the one where they run
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    status = main(["graph", str(lesson), "--keep-going"], env)
    if status == 2:
        assert "was computed from one that requires grad" in env.stderr.getvalue()
    else:
        first = env.stdout.getvalue().splitlines()[0]
        assert " = " in first and "Backward" in first


OWN = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(context, x, y):
        context.factor = 3
        context.save_for_backward(x, y)
        return {outputs}
    @staticmethod
    def backward(context, g, h=0):
        x, y = context.saved_tensors
        return g * y * context.factor + h, g * x * context.factor + h
"""


@pytest.mark.parametrize("outputs, tail", [("x * y * 3", "a"), ("(x * y * 3, x + y)", "(a[0] + a[1])")])
def test_forward_accumulation_through_a_function_of_the_users(outputs, tail, capsys):
    code = (
        OWN.format(outputs=outputs)
        + f"w = torch.tensor([1., 2.], requires_grad=True)\na = Own.apply(w, w * 2)\ny = {tail}.sum()"
    )
    assert main(["graph", "-c", code, "y", "--mode", "forward"]) == 0
    more = 3 if tail != "a" else 0
    assert f"= [{12 + more}, {24 + more}]" in capsys.readouterr().out


CUT = {  # the lines that compute z from w -> the explanation of z.grad
    "with torch.no_grad():\n    z = w * 3": "z was computed within torch.no_grad() (line 2)",
    "z = (w * 2).detach()": "z has no history: `(w * 2).detach()` on line 2: detach() cuts the history",
    "z = w.data * 2": "z has no history: `w.data` on line 2: .data has no history",
    "z = torch.tensor(w.tolist())": "z has no history: `w.tolist()` on line 2 is Python numbers",
    "z = w.argmax()": "z has no history: `w.argmax()` on line 2 returns int64, which has no derivative",
    "z = w > 1": "z has no history: `w > 1` on line 2 returns bool, which has no derivative",
    "def f(t):\n    return t.detach() * 2\nz = f(w)": "z has no history: `t.detach()` on line 3: detach() cuts the history",
    "a = w.detach()\nb = a + 1\nz = b * 2": "a has no history: `w.detach()` on line 2: detach() cuts the history",
    "z = torch.ones(2)": "z does not require grad: z = torch.ones(2) on line 2",
    "z = torch.tensor([1, 2])": "z holds int64: only floating point and complex tensors have gradients",
}


@pytest.mark.parametrize("code, expected", CUT.items())
@pytest.mark.parametrize("ask", ["%why z", "%why z.grad", "print(tensh.show.why(z))"])
def test_the_cut_in_a_history_is_named(code, expected, ask, tmp_path, capsys):
    path = tmp_path / "a.tsh"
    path.write_text(f"w = torch.ones(2, requires_grad=True)\n{code}\nimport tensh\n{ask}\n")
    assert main(["run", str(path)]) == 0
    assert f"z.grad is None: {expected}\n" in capsys.readouterr().out


def test_what_was_computed_without_a_history_is_named(capsys):
    code = "w = torch.ones(2, requires_grad=True)\nwith torch.no_grad():\n    y = w * 3\nloss = y.sum()\n%why w"
    assert main(["-c", code]) == 0
    expected = "no named tensor with a history was computed from w; y was computed within torch.no_grad() (line 2)"
    assert expected in capsys.readouterr().out


GONE = {
    "loss = (w ** 2).sum()\nloss.backward()": (
        "that pass freed the values that its derivatives need; ask before loss.backward(), or keep them: "
        "loss.backward(retain_graph=True)"
    ),
    "(w ** 2).sum().backward()": "the loss has no name, and its graph was freed; write loss = ..., then loss.backward()",
}


@pytest.mark.parametrize("code, expected", GONE.items())
@pytest.mark.parametrize("within", ["", "def main():\n"])
def test_a_plain_program_is_told_what_is_missing(code, expected, within, tmp_path, capsys):
    lines = f"w = torch.ones(2, requires_grad=True)\n{code}\nprint(tensh.show.why(w))"
    body = within + "\n".join(("    " if within else "") + line for line in lines.split("\n"))
    path = tmp_path / "a.py"
    path.write_text(f"import tensh\nimport tensh as torch\n{body}\n" + "main()\n" * bool(within))
    runpy.run_path(str(path), run_name="__main__")  # as Python runs it; `tensh run` takes note of what is asked later
    assert f"w.grad = [2, 2], but its origin is not known: {expected}\n" in capsys.readouterr().out
    assert main(["run", str(path)]) == 0
    assert "w.grad = [2, 2]    because" in capsys.readouterr().out


@pytest.mark.parametrize("more, expected", [
    ("", "w.grad = [2, 2]    because (w * 2).sum(), and w reaches (w * 2).sum() along 1 path"),
    ("", "not checked: the loss has no name"),
    ("w.grad = None", "w.grad was set to None since"),
    ("w.requires_grad_(False)", "w.grad = [2, 2], but its origin is not known: w does not require grad"),
])  # fmt: skip
def test_a_gradient_of_a_loss_without_a_name_is_explained(more, expected, capsys):
    code = f"w = torch.ones(2, requires_grad=True)\n(w * 2).sum().backward()\n{more}\n%why w.grad"
    assert main(["-c", code]) == 0
    assert expected in capsys.readouterr().out
