"""The commands of a session: events out, nothing shown."""

import sys

import pytest

from tensh.cli.session.events import Failed
from tensh.cli.session.magics import MAGICS
from tensh.cli.session.magics.writing import add_commas

# ── what they stand for ──────────────────────────────────────────────────────

SUGAR = {
    "%hist x": "tensh.show.hist(x)",
    "%hist x bins=3": "tensh.show.hist(x, bins=3)",
    "%hist x, bins=3": "tensh.show.hist(x, bins=3)",
    "%heat x[:2] * 2": "tensh.show.heat(x[:2] * 2)",
    "%image x.view(2, 3)": "tensh.show.image(x.view(2, 3))",
    "%full x": "tensh.show.full(x)",
    "%who": "tensh.show.who({'x': x, 'y': y})",
    "%grads": "tensh.show.grads({'x': x, 'y': y})",
}


@pytest.mark.parametrize("line, call", SUGAR.items(), ids=SUGAR)
def test_a_command_is_sugar_for_a_function(prompt, line, call):
    prompt("x = torch.arange(6.).view(3, 2)", "y = torch.ones(2, requires_grad=True) * 2")
    (view,) = prompt.values(line)
    expected = eval(call, prompt.session.namespace | {"tensh": __import__("tensh")})
    view.name = ""
    assert repr(view) == repr(expected) and type(view) is type(expected)


def test_every_command_with_sugar_names_a_public_function():
    for name, magic in MAGICS.items():
        if magic.sugar and magic.sugar.startswith("tensh.show."):
            import tensh

            assert callable(getattr(tensh.show, magic.sugar.removeprefix("tensh.show.").partition("(")[0])), name


COMMAS = {
    "x y": "x,y",
    "x, y": "x, y",
    "f(x, y) z": "f(x, y),z",
    "'a b' c": "'a b',c",
    "x  y": "x, y",
    "x[0 : 1] b=2": "x[0 : 1],b=2",
    "x y -1": "x,y,-1",
    "x y + 1": "x,y + 1",
    "x + 1  y - 1": "x + 1, y - 1",
    "lambda t: (t ** 3).sum() torch.ones(3)": "lambda t: (t ** 3).sum(),torch.ones(3)",
    "f lambda t: t": "f,lambda t: t",
    "x y if a else b": "x,y if a else b",
    "x not in y (z)": "x not in y,(z)",
}


@pytest.mark.parametrize("text, expected", COMMAS.items(), ids=COMMAS)
def test_a_space_does_for_a_comma(text, expected):
    assert add_commas(text) == expected and len(text) == len(expected)


def test_an_expression_that_fails_is_shown_at_its_place(prompt):
    (failed,) = [event for event in prompt("%hist 1 + nowhere") if isinstance(event, Failed)]
    assert failed.failure.kind == "NameError"
    assert [place.segment for place in failed.failure.places] == ["nowhere"]
    (failed,) = [event for event in prompt("%hist 1 +") if isinstance(event, Failed)]
    assert failed.failure.kind == "SyntaxError"


def test_who_knows_the_users_names_alone(prompt):
    assert prompt.text("%who") == "no names yet"
    text = prompt.text("_hidden, x = 1, 2", "import os", "%who")
    assert "x " in text and "os" in text and "_hidden" not in text and "torch" not in text and "print" not in text


def test_full_without_a_name_is_the_last_result(prompt):
    assert prompt.text("x = torch.arange(1005)", "x", "%full").count(",") == repr(prompt["x"]).count(",") + 1004
    assert "999, 1000," in prompt.text("%full x")


# ── times, seeds ─────────────────────────────────────────────────────────────


def test_timeit_runs_a_statement_many_times(prompt):
    (notice,) = prompt.notices("calls = []", "%timeit calls.append(sum(range(20000)))")
    assert "loops, best of 5: " in notice and " per loop" in notice and len(prompt["calls"]) > 10


def test_timeit_shows_where_a_statement_fails(prompt):
    (failed,) = [event for event in prompt("x = 0", "%timeit 1 / x") if isinstance(event, Failed)]
    assert failed.failure.places[0].segment == "1 / x"


def test_seed_of_a_session(prompt):
    first, second = prompt.values("%seed 3", "torch.rand(2)"), prompt.values("%seed 3", "torch.rand(2)")
    assert repr(first) == repr(second) != repr(prompt.values("torch.rand(2)"))
    assert "%seed: expected a whole number" in prompt.message("%seed")


# ── settings ─────────────────────────────────────────────────────────────────


def test_set_holds_for_the_session(prompt):
    prompt("%set theme dark", "%set caption off", "%set keys = vi", "%set precision 2")
    settings = prompt.session.settings
    assert (settings.theme, settings.caption, settings.keys) == ("dark", False, "vi")
    assert prompt.text("torch.tensor(1 / 3)") == "tensor(0.33)"
    assert prompt.notices("%set precision") == ["precision is 2; it can be: a whole number from 0 to 100"]


def test_set_and_set_printoptions_are_one_thing(prompt):
    prompt("%set sci on", "torch.set_printoptions(precision=1, sci_mode=True)", "%set threshold 5")
    assert prompt.text("torch.tensor(1 / 3)", "torch.arange(9)") == "tensor(3.3e-01)\ntensor([0, 1, 2,  ..., 6, 7, 8])"
    assert "precision  1 " in prompt.text("%set")
    prompt("%set sci auto", "%set precision 4", "%set threshold 1000")
    assert prompt.text("torch.tensor(1 / 3)") == "tensor(0.3333)"


# ── history, undo, reset, edit ───────────────────────────────────────────────


def test_the_history_is_listed_found_by_number_and_searched(prompt):
    prompt("x = 1", "def f():\n    return 2\n", "y = 3; x", "1 / 0")
    assert prompt.text("%history") == "1  x = 1\n2  def f():\n       return 2\n3  y = 3; x\n4  1 / 0"
    assert prompt.text("%history 1") == "5  %history"
    assert prompt.text("%history return").startswith("2  def f()")
    assert prompt.text("%history nothing of it") == "no line has nothing of it"


UNDONE = {
    # what was there, the line, how it is seen that it is undone
    "a new name": ("", "x = 1", "'x' in globals()", "False"),
    "another value": ("x = 1", "x = 2", "x", "1"),
    "a name that was deleted": ("x = 1", "del x", "x", "1"),
    "several names": ("x, y = 1, 2", "x = y = z = 3", "x, y, 'z' in globals()", "(1, 2, False)"),
    "two statements on a line": ("x = 1", "x = 2; y = 3", "x, 'y' in globals()", "(1, False)"),
    "an import": ("", "import os", "'os' in globals()", "False"),
    "a write in place": ("x = torch.zeros(2)", "x += 1", "x", "tensor([0., 0.])"),
    "a write through a view": ("x = torch.zeros(2, 2); v = x[0]", "v[1] = 5", "x", "tensor([[0., 0.],\n        [0., 0.]])"),
    "a write through .data": ("x = torch.zeros(2)", "x.data += 1", "x", "tensor([0., 0.])"),
    "a write into an array": ("x = np.zeros(2)", "x[0] = 1", "x", "array([0., 0.])"),
    "a tensor in a list": ("x = [torch.zeros(2)]", "x[0].fill_(1)", "x", "[tensor([0., 0.])]"),
    "nan is what it was": ("x = torch.tensor(float('nan'))", "x.fill_(1)", "x", "tensor(nan)"),
    "a gradient": ("x = torch.ones(2, requires_grad=True)", "(x * 2).sum().backward()", "x.grad", ""),
    "a gradient that grew": (
        "x = torch.ones(1, requires_grad=True); (x * 2).sum().backward()", "(x * 2).sum().backward()", "x.grad",
        "tensor([2.])",
    ),
    "requires_grad": ("x = torch.ones(2)", "x.requires_grad_();", "x", "tensor([1., 1.])"),
    "another shape": ("x = torch.ones(2)", "x.unsqueeze_(0)", "x", "tensor([1., 1.])"),
    "a history": (
        "w = torch.ones(1, requires_grad=True); x = w * 2", "x.mul_(3)", "x", "tensor([2.], grad_fn=<MulBackward0>)",
    ),
    "what a failing line did": ("x = 1", "x = 2; 1 / 0", "x", "1"),
    "reset": ("x = 1", "%reset", "x", "1"),
    "what a timed line did": ("x = 1", "%time x = 2", "x", "1"),
    "lines that only look in between": ("x = 1", "x = 2\nx\n%who", "x", "1"),
}  # fmt: skip


@pytest.mark.parametrize("before, line, look, expected", UNDONE.values(), ids=UNDONE)
def test_undo_takes_back_the_last_line(prompt, before, line, look, expected):
    prompt(before, line)
    (notice,) = prompt.notices("%undo")
    assert notice.startswith("undone: ")
    assert prompt.text(look) == expected


def test_changes_are_taken_back_one_by_one(prompt):
    assert "there is nothing to undo" in prompt.message("%undo")
    prompt("x = 1", "x = 2", "%undo")
    assert prompt["x"] == 1
    assert prompt.text("%history") == "1  %undo\n2  x = 1\n4  %undo"
    prompt("%undo")
    assert "x" not in prompt.session.namespace and "there is nothing to undo" in prompt.message("%undo")


def test_a_tensor_too_large_to_copy_is_not_taken_back_and_nothing_else_is(prompt, monkeypatch):
    monkeypatch.setattr("tensh.cli.session.undo.MOST_COPIED", 100)
    prompt("x = torch.zeros(1000)", "y = 1", "y = 2; x += 1")
    message = prompt.message("%undo")
    assert "x was changed in place, and is too large for a copy (3.9 KiB)" in message
    assert prompt["y"] == 2
    prompt("x = 3")
    assert prompt.notices("%undo") and prompt["x"].sum() == 1000


def test_what_is_large_is_let_go(prompt, monkeypatch):
    monkeypatch.setattr("tensh.cli.session.undo.MOST_KEPT", 100)
    prompt("x = torch.zeros(1000)", "import weakref; gone = weakref.ref(x)", "del x")
    assert prompt["gone"]() is None
    assert "x was too large to keep" in prompt.message("%undo")


def test_reset_brings_back_what_was_given(prompt):
    prompt("torch = 3; x = 1", "x")
    (notice,) = prompt.notices("%reset")
    assert notice == "deleted: torch, x"
    assert "x" not in prompt.session.namespace and "_" not in prompt.session.namespace
    assert prompt["torch"].__name__ == "torch"
    assert prompt.notices("%reset") == ["there were no names"]


def test_edit_runs_what_comes_back(prompt):
    assert "works only at the prompt" in prompt.message("%edit")
    seen = []
    prompt.session.editor = lambda text: seen.append(text) or text.replace("1", "5")
    prompt("def f():\n    return 1\n", "x = 1", "%who")
    assert prompt.values("%edit", "x") == [5]
    assert prompt.text("%edit f") == ">>> def f():\n...     return 5"
    assert prompt.values("f()") == [5]
    assert prompt.values("%edit 3", "x") == [5]
    assert seen == ["x = 1", "def f():\n    return 1\n", "x = 1"]
    assert "there is no name g" in prompt.message("%edit g")
    assert "%history has" in prompt.message("%edit 99")
    prompt.session.editor = lambda text: " \n"
    assert prompt.notices("%edit") == ["nothing to run"]
    prompt.session.editor = lambda text: None
    assert "failed: nothing was run" in prompt.message("%edit")


@pytest.mark.skipif(sys.platform == "win32", reason="sed")
def test_the_editor_of_the_user():
    from tensh.cli.files.editing import edit_text
    from tensh.cli.process.environment import Environment

    assert edit_text(Environment(variables={"EDITOR": "sed -i s/1/2/"}), "x = 1") == "x = 2\n"
    assert edit_text(Environment(variables={"VISUAL": "false", "EDITOR": "true"}), "x = 1") is None
    with pytest.raises(OSError):
        edit_text(Environment(variables={"EDITOR": "/no/such/editor"}), "x = 1")


# ── load ─────────────────────────────────────────────────────────────────────


def test_code_is_not_loaded_as_tensors(prompt, tmp_path):
    (tmp_path / "a.tsh").write_text("x = 1\n")
    (tmp_path / "a.txt").write_text("x")
    assert "it contains code, not tensors; %run a.tsh runs it" in prompt.message("%load a.tsh")
    assert "tensors can be read from .npy, .npz, .safetensors, .pt, .pth" in prompt.message("%load a.txt")
