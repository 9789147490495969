"""Names at the top of tensh/ are PyTorch's, or listed as tensh's own; no module is longer than a reader likes."""

from tensh.alias.parts import OWN
from tensh.engine.methods.unsupported import is_in_pytorch
from tests.support.project import ROOT

PRIVATE = "__config__ __future__ _guards _higher_order_ops _library _subclasses _tensor _utils _utils_helpers _vmap_internals".split()
"""Names of PyTorch's private modules, which the record of its public names leaves out."""
LONGEST = 400  # lines of a module


def test_names_at_the_top_are_of_pytorch_or_listed_as_own():
    entries = [path for path in (ROOT / "tensh").iterdir() if path.suffix in ("", ".py") and path.name != "__pycache__"]
    names = {path.stem for path in entries} - {"__init__", *PRIVATE}
    assert {name for name in names if not is_in_pytorch(f"torch.{name}")} == {*OWN}


def test_the_documents_list_own_names():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [name for name in OWN if name != "__main__" and f"`tensh/{name}`" not in text] == []


def test_modules_are_short():
    paths = [path for folder in ("tensh", "tests", "tools", "scripts") for path in (ROOT / folder).rglob("*.py")]
    lengths = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in paths}
    assert lengths and {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}
