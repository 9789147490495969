"""What was meant: names, attributes, keywords, imports, commands and options that do not exist."""

import re
import string

import pytest

import tensh
from tensh.alias import torch_is_tensh
from tensh.cli.session.events import Failed
from tensh.cli.session.failures import spoken
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source
from tensh.engine.methods.unsupported import is_in_pytorch
from tensh.support.spelling import closest
from tests.support.sessions import run


def failure(text):
    """The failure that a source ends with."""
    session = Session()
    session.preload()
    with torch_is_tensh():
        (failed,) = [e for e in session.run(Source(text, "<test>", "test")) if isinstance(e, Failed)]
    return failed.failure


def meant(text):
    """The suggestion for that failure."""
    return failure(text).suggestion


MEANT = {
    # names
    "prnt(1)": "print", "true": "True", "tensor(3)": "torch.tensor", "relu(3)": "torch.relu", "cross_entropy(1, 2)": "F.cross_entropy",
    "total = 1\ntotl": "total",
    "null": "None", "nnLinear(2, 3)": "nn.Linear",
    "class A:\n    def __init__(self):\n        self.scale = 2\n    def f(self):\n        return scale\nA().f()": "self.scale",
    "class A:\n    def __init__(self):\n        self.scale = 2\n    def f(self):\n        scale = scale + 1\nA().f()": "self.scale",
    "def f(width):\n    return [wdith for _ in range(2)]\nf(1)": "width",
    "DataLoader([1])": "from torch.utils.data import DataLoader", "functools.cache": "import functools", "Normal(0, 1)": "from torch.distributions import Normal",
    # attributes
    "torch.radn(2)": "rand or randn", "class A:\n    fc1 = fc2 = 1\nA().fc3": "fc1 or fc2", "torch.optim.adam([])": "Adam", "torch.optim.Adam\ntorch.optim.adam([])": "Adam",
    "import datetime\ndatetime(2020, 1, 1)": "datetime.datetime", "import copy as c\nc([1])": "c.copy", "nn.parallel(3)": None, "import os\nos.path(3)": None,
    "torch.ones(2).reshap(2)": "reshape", "torch.concatanate": "concatenate", "np.linspce": "linspace",
    "class A:\n    colour = 1\nA().color": "colour", "torch.nn.lstm(2, 3)": "LSTM", "torch.nn.Linear(1, 1).wieght": "weight",
    "torch.soft": "softmax", "nn.functional.gumbel": "gumbel_softmax",
    # NumPy's words
    "x = torch.ones(2)\nx.astype(3)": "to(dtype)", "torch.ones(2).copy()": "clone()", "torch.array([1])": "torch.tensor",
    "torch.set_seed": "torch.manual_seed", "torch.random.PRNGKey": "torch.Generator", "torch.ones(2).get_shape": "shape", "torch.keras": "torch.nn", "jnp.ones": "torch",
    "nn.Dense(2, 3)": "Linear", "torch.reduce_mean(3)": "torch.mean", "torch.expand_dims(3)": "torch.unsqueeze", "torch.random.choice(3)": "torch.multinomial", "torch.power": "torch.pow",
    # words of Python 2, JavaScript and R
    "[1].push(2)": "append", "{}.iteritems()": "items", "raw_input()": "input", "console.log(1)": "print", "NA": "math.nan",
    # keywords
    # imports
    "from torch import arrange": "arange", "from torch import array": "tensor", "import torch.linal": "torch.linalg", "import pytorch": "torch",
}  # fmt: skip
NOTHING = (
    "torch.nativert",
    "torch.ones(2).dequantize()",
    "torch.ones(2) @ torch.ones(3)",
    "len(1, obj=2)",
    "f = lambda **k: k['a']\nf(b=1)",
    "import nowhere_at_all",
    "torch.ones(2).nope",
)


@pytest.mark.parametrize("text", MEANT)
def test_what_is_meant(text):
    assert meant(text) == MEANT[text]


KEYWORDS = {
    "torch.ones(2).sum(axes=0)": "torch.ones(2).sum(dim=0)",
    "torch.zeros(2, requires_gard=True)": "torch.zeros(2, requires_grad=True)",
    "torch.ones(2).std(ddof=1)": "torch.ones(2).std(correction=1)",
    "torch.linalg.norm(torch.ones(2), order=2)": "torch.linalg.norm(torch.ones(2), ord=2)",
    "torch.cat([torch.ones(2)], axsi=0)": "torch.cat([torch.ones(2)], dim=0)",
    "torch.clip(torch.ones(2), a_min=0)": "torch.clip(torch.ones(2), min=0)",
    "F.relu(torch.ones(2), inplce=True)": "F.relu(torch.ones(2), inplace=True)",
    "def f(first, second=1):\n    pass\nf(1, secnd=2)": "f(1, second=2)",
}


@pytest.mark.parametrize("text, code", KEYWORDS.items(), ids=KEYWORDS)
def test_a_keyword_that_is_meant_is_put_into_the_call(text, code):
    found = failure(text)
    assert found.suggestion is None
    assert [fit.text for fit in found.explanation.fits] == [code]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_meant(text):
    assert meant(text) is None


WORDS = {
    "history": "%history", "plot(x)": "%plot x", "load a.tsh": "%load a.tsh", "ls -l": "!ls -l", "git status": "!git status", "tensh run a.py": "!tensh run a.py",
    "learn": "!tensh learn", "man torch.relu": "torch.relu?", "how do I start": None, "tensh --help": "!tensh --help", "tensh -h": "!tensh -h", "1 - 'a'": None, "def f():\n    history\nf()": None,
    "$ python a.py": "!python a.py",
}  # fmt: skip
"""Lines that are commands without their sign -> the command."""


def test_lines_that_are_commands_without_their_sign():
    for text, command in WORDS.items():
        for allowed in (True, False):  # in a Python file there are no commands
            (failed,) = [e for e in run(text, commands=allowed) if isinstance(e, Failed)]
            why = failed.failure.explanation
            offered = why.fits[0].text if why and why.operation == "command" else None
            assert offered == (command if allowed else None), text


SIGNS = {
    "%": "%help lists them", "%%": "%help lists them", "(1 + 2)?": "y = (1 + 2), then y?", "?'a'": "y = 'a', then y?", "x +?": "such as torch.relu?",
}  # fmt: skip
"""Lines whose sign of a command stands beside no name -> words of the explanation."""


@pytest.mark.parametrize("text, words", SIGNS.items())
def test_signs_of_commands_without_a_name(text, words):
    (failed,) = [e for e in run(text, commands=True) if isinstance(e, Failed)]
    why = failed.failure.explanation
    assert words in f"{why.rule} {why.advice}"


@pytest.mark.parametrize("text, fits", {"for i in range(3)": "for i in range(3):", "def f(:": "def f():", "x*": None, "x?y": None, "x.": None, "else": None, "x = cuda:0": 'x = "cuda:0"'}.items())  # fmt: skip
def test_a_line_that_is_no_python_is_mended_or_not(text, fits):
    why = failure(text).explanation
    assert [each.text for each in (why.fits if why else ())] == ([fits] if fits else [])


def test_nothing_of_the_users_runs():
    code = """
class Loud:
    def __getattr__(self, name):
        raise AttributeError(name, name=name, obj=self)
    def __dir__(self):
        print("asked")
    field = 1
Loud().feld
"""
    assert meant(code) == "field"


def test_a_suggestion_among_a_set_is_the_same_in_every_run():
    """The order of a set of texts differs from run to run."""
    names = [f"a{letter}z" for letter in string.ascii_lowercase]
    assert closest("a_z", {*names}) == closest("a_z", names) != []


@pytest.mark.parametrize("word, ours", spoken.table(spoken.TENSOR).items())
def test_words_for_tensors_lead_somewhere(word, ours):
    assert not hasattr(tensh.Tensor, word)
    name = re.match(r"\w*", ours)[0]
    assert hasattr(tensh.Tensor, name) or ours.startswith(("torch.", "x[", "len("))


@pytest.mark.parametrize("word, ours", spoken.table(spoken.TORCH).items())
def test_words_for_functions_lead_somewhere(word, ours):
    assert not hasattr(tensh, word)
    path = "torch." + re.match(r"[\w.]*", ours)[0]
    value = tensh
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    assert value is not None or is_in_pytorch(path)


@pytest.mark.parametrize("word, ours", spoken.table(spoken.LAYERS).items())
def test_words_for_layers_lead_somewhere(word, ours):
    assert hasattr(tensh.nn, re.match(r"\w*", ours)[0]) and not hasattr(tensh.nn, word)


@pytest.mark.parametrize("word, ours", spoken.table(spoken.RANDOM).items())
def test_words_for_random_numbers_lead_somewhere(word, ours):
    assert hasattr(tensh, ours) and not hasattr(tensh.random, word)


OPTIONS = {
    ("--sede", "3", "-c", "1"): "did you mean --seed?",
    ("run", "--kep-going", "f.tsh"): "did you mean --keep-going?",
    ("api", "--mising"): "did you mean --missing?",
    ("-c",): "Option '-c' requires an argument",
    ("run", "f.tsh", "--set"): "Option '--set' requires an argument",
    ("rnu", "f"): "No such command 'rnu'; did you mean run?",
    ("run", "scripts/tensor.tsh"): "did you mean scripts/tensors.tsh?",
    ("run", "--set", "stesp=3", "scripts/linear_regression.tsh"): "did you mean steps?",
}


@pytest.mark.parametrize("arguments", OPTIONS)
def test_words_of_the_command_line(arguments, tensh_command):
    done = tensh_command(*arguments)
    assert done.returncode == 2 and OPTIONS[arguments] in done.stderr


def test_commands_of_a_session():
    session = Session()
    (failed,) = [e for e in session.run(Source("%tim 1", "<test>", "test")) if isinstance(e, Failed)]
    assert "did you mean %time?" in failed.failure.message
