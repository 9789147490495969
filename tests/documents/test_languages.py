"""Explanations are in the chosen language: every sentence goes through ``_()``, and none is translated in part."""

import ast
import re
from pathlib import Path

import pytest

import tensh.support.language as language
from tensh.alias import torch_is_tensh
from tensh.cli.session.notes.texts.table import NOTES
from tensh.show.drawing.text import cells
from tensh.support.language import ENGLISH, LANGUAGES
from tests.recorded.mistakes.cases import SCRIPTS, explain
from tests.support.command_line import Done

ROOT = Path(__file__).parents[2]
ROOMS = (
    "tensh/explain/**/*.py",
    "tensh/show/**/*.py",
    "tensh/graph/**/*.py",
    "tensh/cli/learning/**/*.py",
    "tensh/cli/**/*.py",
)
NOT_SPOKEN = (  # text for other programs, and code
    "tensh/show/drawing/markup.py", "tensh/cli/checking/plugin.py", "tensh/cli/session/help/examples.py",
)  # fmt: skip
PROSE = re.compile(r"[a-z]{2,}[,:;]? [a-z]{2,}")
PLACE = re.compile(r"\{[^}]*\}")
READERS = {"says", "search", "fullmatch", "partition", "startswith", "replace", "match"}
"""Functions whose texts are read, not said: PyTorch's messages, patterns, pieces of code."""
SPEAKERS = {"_", "deferred", "count"}
"""Functions whose texts the catalogues have."""
CODE = {"Fit"}
"""Functions whose texts are code that a fix offers."""
NO_PROSE = (
    "{}for {} in range({}{}):",
    "for {} in range({}, {}): print({})",
    "{}(size, fill_value)",
    "{}(low, high, size)",
    "lambda epoch: {} ** epoch",
    "[each.{}({}) for each in {}]",
    "for layer in {}: x = layer(x)",
    "import os; {}",
    "with torch.no_grad(): {}",
    "with torch.no_grad(): {} {} {}",
    "[p for each in {} for p in each.parameters()]",
    "[each.item() for each in {}]",
    "[each.detach() for each in {}]",
    "[float(each) for each in {}]",
    "any(torch.equal({}, each) for each in {})",
    "[torch.tensor(each) for each in {}]",
    "for batch in {}:",
    '{key.removeprefix("{}"): value for key, value in {}.items()}',
    "built-in method ",
    "tensh launch: {}: {}\n",  # names and figures
    "{} = tuple(each.detach() for each in {})",
    "if hasattr({}, {}): {}",
    "an answer with more elements than characters",  # of an exception that is caught
    "module 'tensh.show' has no attribute '{}'",  # Python's words
    "tensh api {}",
    "from torch",
    "no dim",  # the subject of a note, in JSON
    "<frozen runpy>",
    *NOTES,
)


@pytest.fixture(autouse=True, scope="module")
def named_torch_throughout():
    with torch_is_tensh():  # once, for hundreds of programs
        yield


@pytest.fixture(autouse=True)
def english():
    yield
    language.choose(ENGLISH)


def untranslated(path):
    """Yield (line, text) of the sentences in functions that are shown without ``_()``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from sentences(function, function.body[ast.get_docstring(function) is not None :])


def sentences(parent, nodes):
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.Compare | ast.MatchValue):
            continue
        if isinstance(node, ast.Call) and name_called(node) in {*SPEAKERS, *READERS, *CODE}:
            continue
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            text = write(node)
            if PROSE.search(PLACE.sub("", text)) and text not in NO_PROSE and not text.startswith("<"):
                yield node.lineno, text
            if isinstance(node, ast.JoinedStr):
                yield from sentences(node, [each.value for each in node.values if isinstance(each, ast.FormattedValue)])
            continue
        yield from sentences(node, ast.iter_child_nodes(node))


def name_called(call):
    return getattr(call.func, "attr", None) or getattr(call.func, "id", None)


def write(node):
    if isinstance(node, ast.Constant):
        return node.value
    return "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)


def test_a_sentence_without_a_translation_is_found(tmp_path):
    path = tmp_path / "room.py"
    path.write_text(
        'def f(x):\n    """Say what x is."""\n    return _("this is said"), f"{x} is not a tensor", says("not a tensor")\n'
    )
    assert [*untranslated(path)] == [(3, "{} is not a tensor")]


@pytest.mark.thorough
@pytest.mark.parametrize("room", ROOMS)
def test_every_sentence_can_be_translated(room):
    paths = [*ROOT.glob(room)]
    assert paths
    spoken = [path for path in paths if str(path.relative_to(ROOT)) not in NOT_SPOKEN]
    found = [(str(path.relative_to(ROOT)), *each) for path in spoken for each in untranslated(path)]
    assert found == []


QUOTED = re.compile(r"^ *(?:->)? *\d* \|.*|^ *[~^ ]+$", re.MULTILINE)
"""The user's own code, and the marks under it."""
ADVICE_IN_CODE = re.compile(
    r"`[^`]*`|\b(?:for|while|with|def|global|return|assert|import|from|if|else|except|lambda)\b.*|\w+ ?= ?.*|[\w.]*\(.*\)"
)
MARK = re.compile(r"^( *)(~[~ ]*)$")


@pytest.mark.thorough
@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != ENGLISH])
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_explanation_is_in_one_language_and_its_marks_in_place(script, code):
    """No two words of English prose follow each other after the message, which is PyTorch's or Python's."""
    status, text = explain(script, code)
    explanation = "\n".join(line for line in text.split("\n") if line.startswith("        "))
    said = ADVICE_IN_CODE.sub("", QUOTED.sub("", explanation))
    assert status == 1
    assert not re.search(r"\b[A-Za-z]{2,}[,:;]? [a-z]{2,}\b", said), said
    for line, marks in find_marked(text):
        assert marks_stand_under_digits(line, marks), text


def find_marked(text):
    """The lines of an explanation that have sizes with marks below, each with the line of its marks."""
    lines = text.split("\n")
    return [(line, below) for line, below in zip(lines, lines[1:]) if MARK.match(below) and "[" in line]


def marks_stand_under_digits(line, marks):
    """Whether marks are in the columns of a line's sizes, whose wide characters take two."""
    columns = "".join(sign + "\0" * (cells(sign) - 1) for sign in line)
    return all(columns[mark.start() : mark.end()].isdigit() for mark in re.finditer("~+", marks))


@pytest.mark.parametrize(
    "line, marks, expected",
    [
        ("a [2, 30]", "      ~~", True),
        ("a [2, 30]", "     ~~", False),
        ("行 [2, 30]", "       ~~", True),
        ("行 [2, 30]", "      ~~", False),
        ("a [2, 30]", "         ~~", False),
    ],
)
def test_marks_are_read_by_columns(line, marks, expected):
    assert find_marked(f"{line}\n{marks}\n") == [(line, marks)]
    assert marks_stand_under_digits(line, marks) is expected


@pytest.mark.thorough
def test_explanations_have_marks():
    assert find_marked(explain(next(each for each in SCRIPTS if each.stem == "matmul_then_add"), "zh")[1])


SCREENS = """
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
net = nn.Linear(2, 3)
y = net(x).tanh().sum()
y.backward()
%who
%grads
%why x.grad
%graph y --values
%graph y --view tape --formulas
%modes y
%summary net x
%memory net(x).exp()
%trace (x * 2).sum()
%gradcheck torch.tanh x
%cmp x x+1
%hist x
%image torch.rand(8, 8)
%plot x[0]
%set precision
x?
net?
%help keys
%nosuch
%set nosuch 1
%set theme pink
%load nosuch.pt
%run nosuch.py
nosuch?
"""
OF_PYTHON = re.compile(r"torch\.\S+|Value\w*|%\w.*|--\w+ \w+|tensh\.show\S*|^ +->.*|tensh config set|in net|in auto")


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != ENGLISH])
def test_a_session_is_in_one_language(code):
    done = Done("--keep-going", "--language", code, "-", stdin=SCREENS)
    lines = [OF_PYTHON.sub("", QUOTED.sub("", line)) for line in (done.output + done.errors).splitlines()]
    assert len(lines) > 100
    assert [line for line in lines if re.search(r"\b[a-z]{2,}[,:;]? [a-z]{2,}\b", line)] == []


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != ENGLISH])
def test_help_of_the_command_line_is_in_one_language(code):
    for command in ((), ("run",), ("graph",), ("check",)):
        lines = Done("--language", code, *command, "--help").output.splitlines()
        assert len(lines) > 10
        assert [line for line in lines if re.search(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", line)] == []
