"""Files, folders, modules and notes that documents, docstrings and comments name exist."""

import ast
import importlib
import io
import re
import tokenize
from functools import cache

import pytest

from tests.support.project import ROOT

DOCUMENTS = [*sorted(ROOT.glob("*.md")), ROOT / "tests" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
FOR_CONTRIBUTORS = [
    ARCHITECTURE,
    ROOT / "CONTRIBUTING.md",
    ROOT / "tests" / "README.md",
    ROOT / "docs" / "how" / "real.md",
]
FOLDERS = ("tensh", "tests", "tools", "scripts", "docs")
BASES = [ROOT, *(ROOT / name for name in ("tensh", "tensh/engine", "tensh/engine/operators", "tensh/cli"))]
"""Where names of folders may begin: ``arrays/threads.py`` is within the engine."""
FIRST = {path.name for base in BASES for path in base.iterdir() if path.is_dir() and path.name.isidentifier()} | {".ci"}
PATH = re.compile(r"(?<![\w/.:~<>{}*$-])(" + "|".join(map(re.escape, sorted(FIRST))) + r")(/[\w./*-]+)")
IN_CODE = re.compile(r"`([\w.]+/[\w./*-]*|[A-Z]+\.md)`")  # a path of the project between backticks
MODULE = re.compile(r"(?<![\w/.-])(?:tensh|tests|tools)(?:\.[A-Za-z_]\w*)+")
PLACEHOLDER = re.compile(r"\b(NAME|FAMILY|FOLDER|LANGUAGE)\b")  # stands for any name
FAMILIES = re.compile(r"tests\.recorded (?:--check )?[\w/ ]+")  # arguments of the recorder, which are not paths
BARE = re.compile(r"(?<![\w/.*-])([a-z_]\w*\.(?:py|txt|md|tsh|json))\b(?!\()")  # a file without its folder
EXAMPLES = {"a.txt", "graph.json", "hubconf.py", "lesson.tsh", "train.py"}
"""Names of a user's files, and of modules whose name ends like a file's."""
NO_MODULES = {"tensh.po", "tensh.mo", "tensh.x.y"}
"""Names of files that lie in several folders, and an example."""


def comments_and_docstrings(source):
    """The prose of a module as one text."""
    words = [
        each.string for each in tokenize.generate_tokens(io.StringIO(source).readline) if each.type == tokenize.COMMENT
    ]
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    return "\n".join(
        [*words, *(text.value for text in texts if isinstance(text, ast.Constant) and type(text.value) is str)]
    )


@cache
def prose():
    """path -> text: every document, and the comments and docstrings of every module."""
    modules = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    texts = {path: comments_and_docstrings(path.read_text(encoding="utf-8")) for path in modules}
    return {path: path.read_text(encoding="utf-8") for path in DOCUMENTS} | texts


def is_there(name, bases):
    """Return True if a path, with or without ``.py``, exists in one of the folders; NAME stands for any name."""
    pattern = PLACEHOLDER.sub("*", name.rstrip("/."))
    return any(any(base.glob(pattern)) or any(base.glob(f"{pattern}.py")) for base in bases)


def is_defined(name):
    """Return True for the dotted name of a folder or module of the project, or of a name that a module defines."""
    parts, place = name.split("."), ROOT
    for number, part in enumerate(parts):
        if (place / part).is_dir():
            place = place / part
        elif (place / f"{part}.py").is_file() and number == len(parts) - 1:
            return True
        elif place == ROOT / "tools":
            return False
        else:
            return is_attribute(parts, number)
    return True


def is_attribute(parts, number):
    """Return True if a module, whose name ends at or before a part, has the attributes that follow it."""
    try:
        found = importlib.import_module(".".join(parts[:number]))
        for part in parts[number:]:
            found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
    except (ImportError, AttributeError):
        return False
    return True


def missing_paths(text, folder, patterns=(PATH,), bases=()):
    """The paths in a text that lead to no file or folder."""
    places = [*BASES, *bases, folder, *(each for each in folder.parents if each.is_relative_to(ROOT))]
    text = FAMILIES.sub("", text)
    named = {"".join(found).rstrip(".-") for pattern in patterns for found in pattern.findall(text)}
    return sorted(name for name in named if not is_there(name, places))


def missing_modules(text):
    """The dotted names in a text that lead to no module and to no name in one."""
    return sorted(name for name in {*MODULE.findall(text)} - NO_MODULES if not is_defined(name))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def test_what_is_not_there_is_found():
    text = "see arrays/threads.py, tests/recorded/NAME/NAME.json, or tensh/gone.py; `docs/gone.md`."
    assert missing_paths(text, ROOT) == ["docs/gone.md", "tensh/gone.py"]
    assert missing_paths("`gone/a.py`", ROOT, patterns=[IN_CODE]) == ["gone/a.py"]
    assert missing_modules("tensh.nn.Linear, tests.gone and tensh.support.gone") == ["tensh.support.gone", "tests.gone"]


@pytest.mark.thorough
def test_paths_that_are_named_are_there():
    lacking = {name_of(path): missing_paths(text, path.parent) for path, text in prose().items()}
    assert {path: names for path, names in lacking.items() if names} == {}


@pytest.mark.thorough
def test_modules_that_are_named_are_there():
    lacking = {name_of(path): missing_modules(text) for path, text in prose().items()}
    assert {path: names for path, names in lacking.items() if names} == {}


def missing_files(text, known):
    """The names of files without a folder in a text that no file of the project has; blocks of code are left out."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return sorted({*BARE.findall(prose)} - known - EXAMPLES)


@pytest.mark.thorough
def test_files_that_are_named_without_a_folder_are_there():
    folders = [ROOT / folder for folder in FOLDERS]
    known = {path.name for folder in folders for path in folder.rglob("*.*")} | {path.name for path in ROOT.iterdir()}
    texts = {path: text for path, text in prose().items() if path.suffix == ".py" or path in FOR_CONTRIBUTORS}
    lacking = {name_of(path): missing_files(text, known) for path, text in texts.items()}
    assert missing_files("See summation.py and gone.py.", known) == ["gone.py"]
    assert {path: names for path, names in lacking.items() if names} == {}


@pytest.mark.parametrize("document", FOR_CONTRIBUTORS, ids=name_of)
def test_paths_in_code_are_there(document):
    text = document.read_text(encoding="utf-8")
    inner = [path for path in (ROOT / "tensh").rglob("*") if path.is_dir()] if document == ARCHITECTURE else []
    assert len(IN_CODE.findall(text)) > 5
    assert missing_paths(text, document.parent, [IN_CODE], inner) == []


# ── the tables of ARCHITECTURE.md ────────────────────────────────────────────
def rows(section):
    """The cells of each row of the tables in a numbered section; heads and rules are left out."""
    text = re.split(r"^## \d+\. ", ARCHITECTURE.read_text(encoding="utf-8"), flags=re.MULTILINE)[section]
    for line in text.splitlines():
        if line.startswith("|") and "`" in line.split("|")[1]:
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def modules_in_tables():
    """Yield (name, the folder to search) of each module in the first cell of a row."""
    folder = None
    for head, *_ in [*rows(1), *rows(5)]:
        names = re.findall(r"`([^`]+)`", head)
        if not head.startswith("&nbsp;"):
            folder = ROOT / names[0]
        yield from ((name, folder if head.startswith("&nbsp;") else ROOT) for name in names)
    for head, *_ in rows(4):
        names = re.findall(r"`([\w./*]+)`", head)
        if head.startswith("**"):
            folder = ROOT / "tensh" / "engine" / names[0]
        if not head.startswith(("**", "&nbsp;")):  # a port
            continue
        yield from ((name, folder.parent if head.startswith("**") else folder) for name in names)
    for head, *_ in rows(6):
        for name in re.findall(r"`((?!sys\.)[\w.*]+)`", head):
            yield name.removeprefix("tensh.").replace(".", "/"), ROOT / "tensh" / "cli"


def test_modules_of_the_tables_are_there():
    named = list(modules_in_tables())
    assert len(named) > 250
    assert [name for name, folder in named if not is_there(name, [folder, ROOT / "tensh"])] == []


# ── notes ────────────────────────────────────────────────────────────────────
@pytest.mark.thorough
def test_notes_that_are_referred_to_are_there():
    found = re.compile(r"^Note \[([^\]]+)\]", re.MULTILINE)
    referred = re.compile(r"Note \[([^\]]+)\](?:\s+in\s+([\w/]+\.py))?")
    notes = {title: path for path, text in prose().items() for title in found.findall(text)}
    references = [(name_of(path), *each) for path, text in prose().items() for each in referred.findall(text)]
    assert len(notes) > 30 and len(references) > len(notes)
    assert [each for each in references if not name_of(notes.get(each[1], ROOT)).endswith(each[2] or ".py")] == []
