"""Asking about names: the ways to write it, patterns, models, and `%help`."""

import pytest

from tensh.cli.session.completion import complete
from tensh.cli.session.events import Failed
from tensh.cli.session.magics import MAGICS
from tensh.cli.session.magics.tasks import TASKS
from tensh.show.drawing.page import Page
from tensh.support.command_lines import command_on

NET = "net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.ModuleDict({'a': nn.Linear(3, 1)}))"
MODEL = """class Model(nn.Module):
    "Adds nothing."
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(15)])
    def forward(self, x, *, mask=None):
        return x
model = Model()"""

ASKED = {
    "x?": ("?", "x"),
    "x ?": ("?", "x"),
    "?x": ("?", "x"),
    "??x": ("??", "x"),
    "x??  # a remark": ("??", "x"),
    "权重?": ("?", "权重"),
    "net[0].weight?": ("?", "net[0].weight"),
    "torch.*norm?": ("?", "torch.*norm"),
    "?": ("?", ""),
    "?%who": ("?", "%who"),
}


@pytest.mark.parametrize("line, expected", ASKED.items(), ids=ASKED)
def test_a_question_may_be_written_in_front_and_behind(line, expected):
    match = command_on(line)
    assert (match["name"], match["argument"]) == expected


@pytest.mark.parametrize("line", ["'what?'", "# x?", "a?b", "f(x)?", "x = '?'", " x?", "if x?", "?x y"])
def test_other_lines_with_a_question_mark_are_no_questions(line):
    assert command_on(line) is None


SAME = ["net.0.weight?", "?net.0.weight", "%help net[0].weight", "net[0].weight ?"]


@pytest.mark.parametrize("line", SAME)
def test_names_that_are_shown_can_be_asked_about(prompt, line):
    text = prompt.text(NET, line)
    assert text.startswith("net[0].weight  Parameter [3, 2] float32") and "a leaf" in text


FAILING = """class Proxy:
    @property
    def __class__(self): raise RuntimeError("outside of a context")
    def __getattr__(self, name): raise RuntimeError("outside of a context")
    def __repr__(self): return "<unbound>"
class Leaving:
    def __repr__(self): raise SystemExit
    __signature__ = property(lambda self: 1 / 0)
    def __call__(self): pass
class Lists(list):
    def __len__(self): raise KeyError
class Meta(type):
    def __getattr__(cls, name): raise RuntimeError(name)
class Made(metaclass=Meta): pass
class Broken(nn.Module):
    forward = property(lambda self: 1 / 0)
def f(a, *, b=Leaving()) -> Leaving(): "Adds."
proxy, leaving, lists, broken = Proxy(), Leaving(), Lists([1]), Broken()"""
HEADS = {
    "proxy": "proxy  Proxy", "leaving": "leaving(...)", "lists": "lists  Lists", "Made": "Made", "broken": "broken  Broken",
    "f": "f(...)",
}  # fmt: skip


@pytest.mark.parametrize("name", HEADS)
def test_values_whose_code_fails_have_a_page(prompt, name):
    assert prompt.text(FAILING, f"{name}?").startswith(HEADS[name])


def test_values_whose_code_fails_are_shown_and_do_not_disturb_others(prompt):
    blocks = (
        "proxy",
        "[proxy]",
        "x = torch.ones(2, requires_grad=True)",
        "y = (x * 2).sum()",
        "%who",
        "%why y",
        "%graph y",
    )
    for event in prompt(FAILING, *blocks):
        assert not isinstance(event, Failed)
    assert "name 'zz' is not defined" in prompt.message("zz")


COUNTING = """class Counting(torch.Tensor):
    called = []
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.called.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
s = torch.ones(2, requires_grad=True).as_subclass(Counting)
Counting.called.clear()"""


@pytest.mark.parametrize("line", ["1", "%who", "s?", "%memory", "%graph s"])
def test_facts_about_tensors_of_a_class_do_not_call_its_functions(prompt, line):
    prompt(COUNTING, line)
    assert prompt.values("Counting.called") == [[]]


OWN = """class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.scale = nn.Linear(2, 3), nn.Parameter(torch.ones(2))
        self.register_buffer("count", torch.zeros(1))
own = Own()"""
PARTS = {"own.layer?": "own.layer  Linear", "own.layer.weight?": "own.layer.weight  Parameter [3, 2]",
         "own.scale?": "own.scale  Parameter [2]", "own.count?": "own.count  Tensor [1]"}  # fmt: skip


@pytest.mark.parametrize("line, head", PARTS.items(), ids=PARTS)
def test_parts_of_a_model_of_your_own_can_be_asked_about(prompt, line, head):
    assert prompt.text(OWN, line).startswith(head)


def test_a_part_that_is_misspelt_is_suggested(prompt):
    assert "did you mean layer?" in prompt.message(OWN, "own.layr?")


def test_a_module_of_names_has_no_method_beside_it(prompt):
    assert "see also" not in prompt.text("torch.utils.data?")


def test_an_element_that_is_not_there_is_refused(prompt):
    assert "not known until it runs" in prompt.message(NET, "net[7]?")
    assert "not known until it runs" in prompt.message("net[0:1]?")
    assert "'nowhere' is not defined" in prompt.message("nowhere[0]?")


def test_the_page_of_a_model_shows_this_model(prompt):
    text = prompt.text(NET, "net?")
    assert text.startswith("net  Sequential\n") and "(input)" in text and "nn.Sequential? explains it" in text
    assert "13 parameters, 52 B" in text and "0.weight    [3, 2]  float32  6" in text and "2.a.bias" in text
    text = prompt.text("net.eval(); net[0].weight.requires_grad_(False);", "net?")
    assert "evaluation" in text and "frozen" in text


def test_the_page_of_a_users_model_has_its_documentation_and_its_forward(prompt):
    text = prompt.text(MODEL, "?model")
    assert "Adds nothing." in text and "(x, *, mask=None)" in text and "layers ModuleList" in text
    assert "# 10 more: %summary model" in text and "layers.9.weight" in text and "layers.10.weight" not in text


def test_a_pattern_lists_the_names_that_match(prompt):
    text = prompt.text("torch.*_norm?")
    assert [line.split()[0] for line in text.split("\n")][:2] == ["torch.batch_norm", "torch.group_norm"]
    assert "function" in text and "torch.norm" not in text.replace("torch.norm_", "")
    names = [line.split()[0] for line in prompt.text("weight, other, w2 = 1, 2, 3", "w*?").split("\n")]
    assert names == ["w2", "weight"]
    assert prompt.text("*softmin*?").startswith("torch.softmin") or "softmin" in prompt.text("F.*softmin*?")
    assert prompt.text(NET, "net.*forward?").split()[0] == "net.forward"


def test_a_pattern_that_matches_nothing_is_refused(prompt):
    assert prompt.message("torch.zzz*?") == "torch.zzz*?: no name matches"
    assert prompt.message("nowhere.*?") == "nowhere.*?: the name 'nowhere' is not defined"


def test_nothing_runs_for_a_question(prompt):
    loud = "class Loud:\n    @property\n    def x(self):\n        raise SystemExit\n    def __getitem__(self, i):\n        raise SystemExit"
    prompt(loud, "loud = Loud()")
    assert "loud.x" in prompt.text("loud.*?")
    assert "not known until it runs" in prompt.message("loud[0]?")


def test_the_layers_of_a_container_are_completed(prompt):
    prompt(NET)
    names = [each.text for each in complete("net[0].wei", prompt.session.namespace).candidates]
    assert names == ["weight"]
    assert [each.text for each in complete("net[2]['a'].in_f", prompt.session.namespace).candidates] == ["in_features"]


def test_help_shows_each_command_once_by_its_task():
    named = " ".join(TASKS.values()).split()
    assert sorted(name.removeprefix("%") for name in named if name.startswith("%")) == sorted(
        name for name in MAGICS if name.isidentifier()
    )


def test_help_fits_a_small_window(prompt):
    (view,) = prompt.values("%help")
    lines = "".join(text for _, text in view.draw(Page(width=80, height=24, is_window=True))).split("\n")
    assert len(lines) <= 22 and max(map(len, lines)) < 80
    assert repr(prompt.values("?")[0]) == repr(view)


def test_all_commands_have_a_line_each(prompt):
    text = prompt.text("%help commands")
    assert all(each.usage.split()[0] in text and each.summary in text for each in MAGICS.values())


def test_keys_are_those_of_a_prompt(prompt):
    assert prompt.message("%help keys") == "%help keys works only at the prompt"
    prompt.session.keys = [("Tab", "completes a name")]
    assert "Tab  completes a name" in prompt.text("%help keys")


def test_the_page_of_an_object_of_torch_shows_this_object(prompt):
    prompt(NET)
    text = prompt.text("opt = torch.optim.SGD(net.parameters(), lr=0.25)", "opt?")
    assert text.startswith("opt  SGD\n") and "lr: 0.25" in text and "torch.optim.SGD? explains the class" in text
    assert "Sutskever" not in text and "Sutskever" in prompt.text("torch.optim.SGD?")
    assert "loc: 0.0" in prompt.text("n = torch.distributions.Normal(0., 1.)", "n?")
    assert prompt.text("d = {'a': 1, 'b': 2}", "d?") == "d  dict of 2"


CUTS = {"(w.detach() * 2).sum()": "w.detach()", "w.argmax()": "w.argmax()", "2 * w.sum().data": "w.sum().data"}


@pytest.mark.parametrize(("code", "cut"), CUTS.items(), ids=CUTS)
def test_a_failure_finds_the_cut_on_a_line_before_and_so_does_why(prompt, code, cut):
    prompt("w = torch.ones(2, requires_grad=True)", f"loss = {code}")
    (failed,) = [event for event in prompt("loss.backward()") if isinstance(event, Failed)]
    rule = failed.failure.explanation.rule
    assert rule.startswith(f"loss has no history: `{cut}` on an earlier line")
    assert f"`{cut}`" in prompt.text("%why loss")


@pytest.mark.parametrize(
    "name", ["torch.export", "torch.jit.trace", "torch.onnx.export", "torch.distributed", "torch.fx"]
)
def test_modules_that_are_loaded_on_demand_are_explained(name, prompt):
    shown = prompt.text(f"{name}?")
    assert shown.startswith(name)
