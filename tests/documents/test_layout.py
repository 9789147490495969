"""Top names of tensh/ are PyTorch's or listed as tensh's own; modules are short; constants are assigned once."""

import ast
import re
from collections import Counter

import pytest

from tensh.alias.parts import OWN
from tensh.engine.methods.unsupported import is_in_pytorch
from tests.support.project import ROOT

PRIVATE = """__config__ __future__ _VF _decomp _guards _higher_order_ops _library _prims_common _subclasses _tensor _tensor_str _utils
    _vmap_internals""".split()
"""Names of PyTorch's private modules, which the record of its public names leaves out."""
LONGEST, WIDEST = 400, 126  # lines of a module, columns of the first line of a docstring
OPENING = re.compile(r'\s*r?"""[A-Z`("]')
ENDING = re.compile(r'([.:!?]|:  python .*|""".*""".*)$')
ENTRIES, CORE = 12, 1200  # entries at the top of the engine, and lines of its core


def test_names_at_the_top_are_of_pytorch_or_listed_as_own():
    entries = [path for path in (ROOT / "tensh").iterdir() if path.suffix in ("", ".py") and path.name != "__pycache__"]
    names = {path.stem for path in entries} - {"__init__", *PRIVATE}
    assert {name for name in names if not is_in_pytorch(f"torch.{name}")} == {*OWN}


def test_the_documents_list_own_names():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [name for name in OWN if name != "__main__" and f"`tensh/{name}`" not in text] == []


def test_the_documents_list_the_tools():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    names = [path.name for path in (ROOT / "tools").glob("*.py")]
    assert names and [name for name in names if f"`{name}`" not in text and f"tools/{name}" not in text] == []


def modules():
    """Path of a module -> its text, for all that are written by hand."""
    paths = [path for folder in ("tensh", "tests", "tools", "scripts") for path in (ROOT / folder).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_modules_are_short():
    lengths = {path: text.count("\n") for path, text in modules().items()}
    assert lengths and {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}


def test_the_summary_of_a_docstring_is_a_line_that_fits():
    """Nor does the first sentence go on in the next line."""
    openings = [(path, line) for path, text in modules().items() for line in text.splitlines() if OPENING.match(line)]
    assert openings and [(path, line) for path, line in openings if len(line) > WIDEST or not ENDING.search(line)] == []


def test_the_core_is_read_in_one_sitting():
    engine = ROOT / "tensh" / "engine"
    paths = [*(engine / "core").rglob("*.py")]
    assert paths and sum(path.read_text(encoding="utf-8").count("\n") for path in paths) <= CORE
    entries = [path for path in engine.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert 1 < len(entries) <= ENTRIES


def constants(module):
    """The names in capitals that the statements of a module assign, once for each assignment."""
    for statement in ast.parse(module).body:
        for target in getattr(statement, "targets", [statement.target] if isinstance(statement, ast.AnnAssign) else []):
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (name.id for name in names if isinstance(name, ast.Name) and name.id.isupper())


@pytest.mark.thorough
def test_a_constant_is_assigned_once():
    assert [*constants("FEW = 8\nA, FEW = 1, 2\nx = 3\nB: int = 4\nB += 1")] == ["FEW", "A", "FEW", "B"]
    paths = [path for folder in ("tensh", "tests", "tools") for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): Counter(constants(path.read_text(encoding="utf-8"))) for path in paths}
    twice = {path: [name for name, times in each.items() if times > 1] for path, each in found.items()}
    assert any(found.values()) and {path: names for path, names in twice.items() if names} == {}
