"""The top of tensh/: a name there is PyTorch's, or one of the few that are listed as tensh's own."""

from tensh.alias.parts import OWN
from tensh.engine.methods.unsupported import is_in_pytorch
from tests.support.project import ROOT

PRIVATE = "__config__ __future__ _higher_order_ops _library _tensor _utils _utils_helpers _vmap_internals".split()
"""Names of PyTorch's private modules, which the record of its public names leaves out."""


def test_names_at_the_top_are_of_pytorch_or_listed_as_own():
    entries = [path for path in (ROOT / "tensh").iterdir() if path.suffix in ("", ".py") and path.name != "__pycache__"]
    names = {path.stem for path in entries} - {"__init__", *PRIVATE}
    assert {name for name in names if not is_in_pytorch(f"torch.{name}")} == {*OWN}


def test_the_documents_list_own_names():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [name for name in OWN if name != "__main__" and f"`tensh/{name}`" not in text] == []
