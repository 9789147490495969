"""`tensh graph` on the scripts in tests/recorded/graphs: what it prints is what stands beside them.

Every script says in its first comments how it is looked at.
"""

import io
import shutil

import pytest

from tensh.cli.app import main
from tensh.cli.environment import Environment
from tests.recorded.graphs.cases import SCRIPTS, expected, output, transcript
from tests.support.project import SHARED


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_graph_is_drawn_as_recorded(script):
    assert transcript(script) == expected(script).read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_graphviz_draws_what_is_written_for_it(script, tmp_path):
    picture = tmp_path / "graph.svg"
    output(script, f"graph FILE --values --format svg -o {picture}")
    assert "</svg>" in picture.read_text(encoding="utf-8")


def test_a_picture_without_graphviz_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    status = main(["graph", str(SCRIPTS[0]), "--format", "png", "-o", str(tmp_path / "graph.png")], env)
    assert status == 2 and "`dot` is not installed" in env.stderr.getvalue()


LESSONS = sorted(SHARED.glob("lessons/*.ipynb"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
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


@pytest.mark.parametrize("more, said", [
    ("", "w.grad = [2, 2], and where it came from is not known: nothing that has a name was computed from w"),
    ("w.grad = None", "w.grad is None: nothing that has a name was computed from w"),
    ("w.requires_grad_(False)", "w.grad = [2, 2], and where it came from is not known: w does not require grad"),
])  # fmt: skip
def test_a_gradient_that_nothing_explains_is_told(more, said, capsys):
    code = f"w = torch.ones(2, requires_grad=True)\n(w * 2).sum().backward()\n{more}\n%why w.grad"
    assert main(["-c", code]) == 0
    assert said in capsys.readouterr().out
