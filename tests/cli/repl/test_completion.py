"""Completion: what can come next at the cursor, and that nothing of the user's runs for it."""

import math
import subprocess
import sys
from functools import partial

import numpy
import pytest

import tensh
import tensh.cli.session.completion as completion
from tensh.cli.session.completion import complete, context
from tests.support.project import ROOT, plain_environment


class Loud:
    """Every way of asking it fails."""

    __slots__ = ("__dict__", "slot")

    def __init__(self):
        self.field = 1

    @property
    def value(self):
        raise AssertionError("a property was asked")

    @property
    def __class__(self):  # as proxies fail that stand for nothing yet
        raise AssertionError("its class was asked")

    def __getattr__(self, name):
        raise AssertionError("__getattr__ was asked")

    def __dir__(self):
        raise AssertionError("__dir__ was asked")

    def __repr__(self):
        raise AssertionError("the repr was asked")

    __len__ = __bool__ = __iter__ = __eq__ = __str__ = __repr__
    __hash__ = object.__hash__


class LoudClass(type):
    def __dir__(cls):
        raise AssertionError("__dir__ of the metaclass was asked")

    def __getattribute__(cls, name):
        if name == "__mro__":
            raise AssertionError("the metaclass was asked")
        return super().__getattribute__(name)


class WithLoudClass(metaclass=LoudClass):
    member = 1


def scale(first, second=2, *, dim=0):
    """Nothing."""


def annotated() -> dict:
    return {}


X = tensh.ones(2, 3)
MODEL = tensh.nn.Sequential(tensh.nn.Linear(3, 2))
MODEL.first = MODEL[0]
NAMES = {
    "torch": tensh, "nn": tensh.nn, "F": tensh.nn.functional, "np": numpy, "math": math,
    "x": X, "w": tensh.zeros(3, requires_grad=True), "array": numpy.zeros(4), "number": 3,
    "d": {"alpha": X, "beta": 2, 7: "seven"}, "several": [X, 2], "model": MODEL, "loud": Loud(), "WithLoudClass": WithLoudClass,
    "scale": scale, "annotated": annotated, "_hidden": 1,
}  # fmt: skip


def offered(text, names=NAMES):
    """The texts that are offered."""
    return [each.text for each in complete(text, names).candidates]


def about(text, name, names=NAMES):
    """Return (kind, detail) of one that is offered."""
    return next((each.kind, each.detail) for each in complete(text, names, time=60).candidates if each.text == name)


OFFERED = {
    # names
    "nu": ["number"], "pri": ["print"], "whi": ["while"], "_h": ["_hidden"], "y = sca": ["scale"], "if num": ["number"],
    # attributes
    "x.sum_": ["sum_to_size"], "x.clamp_mi": ["clamp_min", "clamp_min_"], "math.sq": ["sqrt"], "torch.linalg.inv": ["inv", "inv_ex"],
    "torch.arang": ["arange"], "torch.fft.rfftf": ["rfftfreq"], "nn.functional.cross": ["cross_entropy"], "np.linsp": ["linspace"],
    "loud.": ["field", "slot", "value"], "loud.v": ["value"], "WithLoudClass.mem": ["member"], "number.bit_l": ["bit_length"],
    "x.shape.nume": ["numel"], "torch.Tensor.unsqueeze": ["unsqueeze", "unsqueeze_"], "torch.float32.is_c": ["is_complex"],
    # attributes of results
    "torch.ones(2).clamp_mi": ["clamp_min", "clamp_min_"], "(x @ x.T).tril": ["tril", "tril_"],
    "x[0].tril": ["tril", "tril_"], "d['alpha'].sum_": ["sum_to_size"], "several[0].sum_": ["sum_to_size"],
    "x.t().sum_": ["sum_to_size"], "x.split(1)[0].sum_": ["sum_to_size"], "'a b'.upp": ["upper"], "[1].appe": ["append"],
    "annotated().popi": ["popitem"], "(2 * x).sum_": ["sum_to_size"], "w.grad.sum_": ["sum_to_size"],
    # modules
    "model.fir": ["first"], "model.first.wei": ["weight"], "model.first.weight.sum_": ["sum_to_size"], "model(x).sum_": ["sum_to_size"],
    "model.first(": ["input="],
    # inside of other things
    "print(x.sum_": ["sum_to_size"], "[each for each in d if x.sum_": ["sum_to_size"], "f'{x}' + d['alpha'].sum_": ["sum_to_size"],
    "if True:\n    x.sum_": ["sum_to_size"], "x.sum(\n    x.sum_": ["sum_to_size"],
    # arguments
    "x.sum(dim=": ["0", "1", "-1", "-2"], "torch.sum(x, dim=": ["0", "1", "-1", "-2"], "x.sum(keepd": ["keepdim="],
    "d['alpha'].sum(dim=": ["0", "1", "-1", "-2"], "torch.transpose(x, 0, ": ["0", "1", "-1", "-2", "dim1="],
    "torch.zeros(2, dtype=float6": ["torch.float64"], "x.to(dtype=torch.bfl": ["bfloat16"], "torch.zeros(2, dtype=torch.fl": ["float16", "float32", "float64"], "scale(1, s": ["second=", "scale", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "several"],
    "scale(": ["first=", "second=", "dim="], "F.cross_entropy(x, x, reduction=": ['"mean"', '"sum"', '"none"'],
    "F.cross_entropy(x, x, reduction='m": ["mean"], "x.sum(0, keepdim=": ["True", "False"],
    # keys and files
    "d[": ["'alpha'", "'beta'", "7"], "d['al": ["alpha"], "open('tests/cli/repl/test_compl": ["tests/cli/repl/test_completion.py"],
    # imports
    "import fracti": ["fractions"], "from torch.linalg import slog": ["slogdet"], "import torch.lina": ["linalg"], "from torch import arang": ["arange"],
    # commands
    "%timei": ["%timeit"], "%time x.sum_": ["sum_to_size"],
    "%hist x bi": ["bins=", "bin"], "%save work --o": ["--over"], "%set capt": ["caption"], "%set caption o": ["on", "off"],
}  # fmt: skip
NOTHING = ("# x.su", "'text x.s", "1.", "nowhere.", "loud.value.", "x.nothing.", "'''\n%ti", "1 %ti", "x.to_mkl")


@pytest.mark.parametrize("text", OFFERED)
def test_what_is_offered(text, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert sorted(offered(text)) == sorted(OFFERED[text])


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_offered(text):
    assert offered(text) == []


ABOUT = {
    "x": ("x", ("tensor", "[2, 3] float32")), "arr": ("array", ("array", "[4] float64")), "num": ("number", ("int", "3")),
    "d": ("d", ("dict", "of 3")), "lou": ("loud", ("Loud", "")), "mat": ("math", None),
    "x.sum(dim=": ("1", ("dim", "size 3")), "x.sum(dim=-": ("-1", ("dim", "size 3, = 1")), "d[": ("'alpha'", ("tensor", "[2, 3] float32")),
    "x.sha": ("shape", ("property", "The size of each dimension")), "torch.ex": ("exp", ("function", "e to the power of input")),
    "x.exp": ("exp_", ("method", "in place: e to the power of input")), "scale(se": ("second=", ("argument", "2")),
    "x.to(dtype=": ("torch.float64", ("dtype", "double")),
}  # fmt: skip


@pytest.mark.parametrize("text", ABOUT)
def test_what_is_said_of_it(text):
    name, expected = ABOUT[text]
    assert expected is None or about(text, name) == expected


def test_what_nobody_can_type_is_not_offered():
    """A file can give a module and a tensor attributes of any name."""
    module = tensh.nn.Sequential(tensh.nn.Linear(1, 1))
    module.__dict__.update({"zz_ok": 1, "zz\x1b[2J": 2, "zz a": 3})
    module._modules["zz.b"] = tensh.nn.ReLU()
    assert offered("m.zz", {"m": module}) == ["zz_ok"] and "0" not in offered("m.", {"m": module})
    assert offered("zz", {"zz_ok": 1, "zz\n": 2}) == ["zz_ok"]


def test_dims_come_in_their_order():
    assert offered("x.sum(dim=") == ["0", "1", "-1", "-2"]


def test_how_much_is_replaced():
    assert complete("y = x.su", NAMES).length == 2
    assert complete("d['al", NAMES).length == 2
    assert complete("torch.zeros(2, dtype=float", NAMES).length == 5
    assert complete("torch.zeros(2, dtype=torch.fl", NAMES).length == 2


def test_what_is_lacking_is_not_offered():
    assert "to_mkldnn" not in offered("x.to_") and "to_mkldnn" not in offered("torch.Tensor.to_")


# ── nothing runs, and it is quick ────────────────────────────────────────────


def test_ten_thousand_names_and_a_gigabyte(monkeypatch):
    """No contents are read, no representation is made, no function written: so it does not matter how much there is."""
    names = {f"name_{number}": Loud() for number in range(10_000)} | {"torch": tensh, "huge": tensh.empty(2**28)}
    monkeypatch.setattr(tensh.Tensor, "__repr__", Loud.__repr__)
    monkeypatch.setattr(tensh.Tensor, "__array__", Loud.__repr__, raising=False)
    written = []
    for module in ("operator", "node_classes"):
        monkeypatch.setattr(f"tensh.engine.codegen.{module}.compile_source", lambda *args: written.append(args))
    assert "sum" in offered("huge.", names) and "huge" in offered("hu", names) and "sum" in offered("torch.s", names)
    assert about("hug", "huge", names) == ("tensor", "[268435456] float32")
    assert len(offered("name_", names)) == completion.MOST
    assert offered("name_9999", names) == ["name_9999"]
    assert written == []


def test_details_are_left_away_when_the_time_is_over(monkeypatch):
    def describe(known, names):
        raise AssertionError("details were asked")
        yield

    monkeypatch.setattr("tensh.cli.session.static.members.describe_members", describe)
    found = complete("x.su", NAMES, time=0).candidates
    assert [each.text for each in found][:2] == ["sub", "sub_"] and not any(each.detail for each in found)


LISTING = """
import tensh as torch
from tensh.cli.session.completion import complete
from tensh.engine.codegen.registry import read_all

def listed():
    spaces = ["torch", "torch.linalg", "torch.fft", "torch.nn.functional"]
    return {space: [each.text for each in complete(f"{space}.", {"torch": torch}, 60).candidates] for space in spaces}

first = listed()
kinds = {each.text: each.kind for each in complete("torch.", {"torch": torch}, 60).candidates}
assert [kinds[name] for name in ("save", "GradScaler", "linalg")] == ["function", "class", "module"]
read_all()
assert listed() == first
assert {"solve", "eig", "lstsq", "engine", "cli"}.isdisjoint(first["torch"])
assert {"sum", "linalg", "vmap", "save", "float32"} <= {*first["torch"]} and "solve" in first["torch.linalg"]
print([name for name in first["torch"] if not hasattr(torch, name)])
"""


def test_the_first_list_of_a_namespace_is_right():
    """Before and after all modules of the engine are imported, without names that only raise."""
    ran = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, env=plain_environment())
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


# ── where the cursor is ──────────────────────────────────────────────────────

PRIMARY = {
    "x": "x", "a + x.y": "x.y", "f(a, b)[0].c": "f(a, b)[0].c", "y = (a + b)": "(a + b)", "'a'.join(x)": "'a'.join(x)",
    "-x": "x", "a if b else c": "c", "f(g(": "", "[1, 2]": "[1, 2]", "损.失": "损.失", "x.y +": "",
}  # fmt: skip


@pytest.mark.parametrize("text", PRIMARY)
def test_the_expression_at_the_end(text):
    assert context.primary(text) == PRIMARY[text]


def test_the_call_at_the_end():
    call = context.call(context.place("f(g(1, (2, 3)), 'a,b', c=1, d=[x, "))
    assert call is None  # the innermost bracket is a list
    call = context.call(context.place("f(g(1, (2, 3)), 'a,b', c=1, d=x"))
    assert call.function == "f" and call.positional == ["g(1, (2, 3))", " 'a,b'"]
    assert call.named == {"c"} and call.keyword == "d" and call.value == "x"


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x.",
        "d['",
        "f(",
        "f(a=",
        "((((",
        "]]]",
        "'\\",
        "x..",
        "@",
        "%",
        "%%",
        "import ",
        "from  import",
        "\n\n",
        "f(*",
        "損.",
        "x?.",
    ],
)
def test_no_text_is_too_strange(text):
    complete(text, NAMES)


# ── in the editor ────────────────────────────────────────────────────────────


def test_the_editor_gets_the_same(monkeypatch):
    document = pytest.importorskip("prompt_toolkit.document").Document("y = x.sum_")
    from tensh.cli.repl.completer import SessionCompleter

    monkeypatch.setattr("tensh.cli.repl.completer.complete", partial(complete, time=60))

    class Session:
        namespace = NAMES

    (found,) = SessionCompleter(Session, idle=None).get_completions(document, None)
    assert (found.text, found.start_position, found.display_meta_text.split()[0]) == ("sum_to_size", -4, "method")
