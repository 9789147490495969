"""The first word of a docstring is true: generators yield, functions return, and classes are things, not questions.

A comment at the end of a line can be read alone.
"""

import ast
import re

import pytest

from tests.support.project import ROOT

FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
FRAGMENT = re.compile(r"\S  # (?:of|which|whose|that of) .*")  # the rest of a sentence that begins in the code
QUESTIONS = ("What ", "How ", "Whether ", "Where ", "When ", "Why ", "Which ", "It ", "The same ")


def own_statements(function):
    """All nodes of a function's body but those of functions and classes within it."""
    waiting = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def is_decorated(function, *words):
    return any(word in ast.unparse(decorator) for decorator in function.decorator_list for word in words)


def contradict(node):
    """The reason why the docstring of a class or function begins with a wrong word; None if it does not."""
    first, *rest = (ast.get_docstring(node) or "-").split()
    if isinstance(node, ast.ClassDef):
        return "a class returns nothing" if first in ("Return", "Yield") else None
    found = [*own_statements(node)]
    yields = any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in found)
    if first == "Return" and yields and not is_decorated(node, "contextmanager", "fixture"):
        return "a generator yields"
    results = [each.value for each in found if isinstance(each, ast.Return) and each.value is not None]
    if (
        first == "Yield"
        and not yields
        and any(isinstance(each, (ast.List, ast.ListComp, ast.Name)) for each in results)
    ):
        return "a list is returned"
    raises = any(isinstance(each, ast.Raise) for each in found)
    if first == "Return" and not (yields or results or raises) and rest[0] not in ("None", "to") and len(node.body) > 1:
        return "nothing is returned"
    return None


@pytest.mark.parametrize(
    "code, reason",
    [
        ('def f():\n "Return numbers."\n yield 1', "a generator yields"),
        ('def f():\n "Yield numbers."\n yield 1', None),
        ('@contextmanager\ndef f():\n "Return a context."\n yield 1', None),
        ('def f():\n "Yield numbers."\n return [1]', "a list is returned"),
        ('def f():\n "Yield numbers."\n return (x for x in y)', None),
        ('def f():\n "Return a number."\n x = 1', "nothing is returned"),
        ('def f():\n "Return a number."\n def g():\n  return 1\n return g', None),
        ('class C:\n "Return a number."', "a class returns nothing"),
        ('class C:\n "A number."', None),
    ],
)
def test_a_wrong_word_is_found(code, reason):
    assert contradict(ast.parse(code).body[0]) == reason


def questions(module):
    """The docstrings and comments in strings that begin with a question, or with a reference to what stands above."""
    statements = [each.value for each in ast.walk(module) if isinstance(each, ast.Expr)]
    texts = [each.value for each in statements if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return [text for text in texts if text.startswith(QUESTIONS)]


@pytest.mark.thorough
@pytest.mark.parametrize("folder", ["tensh", "tools"])
def test_docstrings_name_things(folder):
    assert questions(ast.parse('"""Rules."""\nX = 1\n"""How rules end."""')) == ["How rules end."]
    found = {path: questions(ast.parse(path.read_text(encoding="utf-8"))) for path in (ROOT / folder).rglob("*.py")}
    assert found and {path: texts for path, texts in found.items() if texts} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("folder", ["tensh", "tools", "tests", "scripts"])
def test_first_words_are_true(folder):
    wrong = []
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.ClassDef, *FUNCTIONS)) and (reason := contradict(node)):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {reason}")
    assert wrong == []


def test_comments_can_be_read_alone():
    assert FRAGMENT.search("size = 3  # of the window") and not FRAGMENT.search("size = 3  # numbers of the window")
    texts = {
        path: path.read_text(encoding="utf-8")
        for folder in ("tensh", "tools")
        for path in (ROOT / folder).rglob("*.py")
    }
    found = {path: FRAGMENT.findall(text) for path, text in texts.items()}
    assert found and {path: comments for path, comments in found.items() if comments} == {}
